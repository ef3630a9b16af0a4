"""The words of questions to a project: which items a question is about, and which labels they get.

    from intemi import Project
    from intemi.query import Named, Parameter, Result

    with Project("wine") as project:
        good = project.query(where=Named("svm test") & (Result("Accuracy") > 0.9), labels=["Accuracy", Parameter("C")])

`Query` and `Objective` are questions as values, which configurations such as a parameter search hold. `At`, `Named`,
`OfType`, `Provides` and comparisons of a `Result`, a `Comment` or a `Parameter` say which items qualify; they are
combined with `&`, `|` and `~`. `Result`, `Comment` and `Parameter` are labels as well, and so are `OnPath` and `Fixed`.
Your own extend `Qualifier` or `Labeler`, and look at an `Item`. A `Run` is a session that has requested something.
"""

from intemi.kernel.repository import (
    At,
    Comment,
    Fixed,
    Item,
    Labeler,
    Named,
    Objective,
    OfType,
    OnPath,
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
    "Qualifier",
    "Labeler",
    "Item",
    "Run",
]
