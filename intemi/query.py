"""The words of questions to a project: which items a question is about, and which labels they get.

    from intemi import Project
    from intemi.query import Named, Parameter, Result

    with Project("wine") as project:
        good = project.query(where=Named("svm test") & (Result("Accuracy") > 0.9), labels=["Accuracy", Parameter("C")])

`Query` and `Objective` are questions as values, which configurations such as a parameter search hold. `At`, `Named`,
`OfType`, `Provides` and comparisons of a `Result`, a `Comment` or a `Parameter` say which items qualify. They are
combined with `&`, `|` and `~`; what comes out are an `And`, an `Or`, a `Not`, a `Comparison`. `Result`, `Comment` and
`Parameter` are labels as well, and so are `OnPath` and `Fixed`. Your own extend `Qualifier` or `Labeler`, and look at
an `Item`. A `Run` is a session that has requested something.
"""

from intemi.kernel.repository import (
    And,
    At,
    Comment,
    Comparison,
    Fixed,
    Item,
    Labeler,
    Named,
    Not,
    Objective,
    OfType,
    OnPath,
    Or,
    Parameter,
    Provides,
    Qualifier,
    Query,
    Result,
    Run,
)

__all__ = [
    "Query",
    "Objective",
    "At",
    "Named",
    "OfType",
    "Provides",
    "Result",
    "Comment",
    "Parameter",
    "OnPath",
    "Fixed",
    "And",
    "Or",
    "Not",
    "Comparison",
    "Qualifier",
    "Labeler",
    "Item",
    "Run",
]
