"""The repository: everything that was ever run in a project, to be asked questions about.

What is written: `notes` of requests and of what is on its way. The `index` reads what the store has on record into
`tables`, which a `file` keeps an image of. How a question is answered: `finding` looks for `item`s that fit
`qualifiers`, below the requests of `runs` that the question names; `labels` are read off them, and the `provenance`
of what they were made from. A `query` is a question as a value, and `commentators` add labels to machines that have
finished. `repository` is what a project sees of all this.
"""

from intemi.kernel.encoding import storable
from intemi.kernel.repository.commentators import Commentator
from intemi.kernel.repository.item import Item
from intemi.kernel.repository.labels import Fixed, Labeler, OnPath
from intemi.kernel.repository.qualifiers import (
    And,
    At,
    Comment,
    Comparison,
    Named,
    Not,
    OfType,
    Or,
    Parameter,
    Provides,
    Qualifier,
    Result,
)
from intemi.kernel.repository.query import Objective, Query
from intemi.kernel.repository.runs import Run
from intemi.series import Series

storable(Series)  # so that a series can be a result

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
    "Commentator",
    "Run",
]
