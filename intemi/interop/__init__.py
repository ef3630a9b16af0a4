"""What lets other libraries use machines. They are imported when their name is first asked for."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from intemi.interop.scikit_learn import IntemiClassifier, IntemiWeightedClassifier
    from intemi.interop.search import IntemiSearch

__all__ = ["IntemiClassifier", "IntemiWeightedClassifier", "IntemiSearch"]


def __getattr__(name: str) -> Any:
    if name == "IntemiSearch":
        from intemi.interop.search import IntemiSearch

        return IntemiSearch
    if name in __all__:
        from intemi.interop import scikit_learn

        return getattr(scikit_learn, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
