"""What is wrong with an experiment file, in one shape: file, line, path of the value, what it is and what helps."""

from __future__ import annotations

from collections.abc import Iterable

from intemi.kernel.errors import ConfigurationError

MOST_NAMES = 20
"""How many names are listed where none of them is similar."""


MAX_PATH, MAX_MESSAGE = 200, 600
"""Characters; the middle of longer ones is left out."""


def cut(text: str, most: int) -> str:
    """A text of at most so many characters.

    >>> cut("abcdefghij", 7)
    'abc…hij'
    """
    half = (most - 1) // 2
    return text if len(text) <= most else f"{text[:half]}…{text[-half:]}"


class ExperimentError(ConfigurationError):
    """An experiment file cannot be understood; the text says where, what was given and what is allowed.

    >>> raise ExperimentError("trees.yaml", 7, "learners.svm.C", "must be above 0, got -1")
    Traceback (most recent call last):
    ...
    intemi.experiments.errors.ExperimentError: trees.yaml:7: learners.svm.C: must be above 0, got -1
    """

    def __init__(self, file: str, line: int, path: str, message: str) -> None:
        path, message = cut(path, MAX_PATH), cut(message, MAX_MESSAGE)
        super().__init__(f"{file}:{line}: {path}: {message}" if path else f"{file}:{line}: {message}")
        self.file = file
        self.line = line
        self.path = path
        self.message = message

    def __reduce__(self) -> tuple[type, tuple[str, int, str, str]]:
        return type(self), (self.file, self.line, self.path, self.message)


def near(name: str, known: Iterable[str]) -> str:
    """A remedy for a name that is not known: the one that was probably meant, or what there is.

    >>> near("Acuracy", ["Accuracy", "AUC"]), near("x", ["Accuracy", "AUC"])
    ("did you mean 'Accuracy'?", 'there are Accuracy, AUC')
    """
    from difflib import get_close_matches

    every = list(known)
    lower = {each.lower(): each for each in reversed(every)}
    found = get_close_matches(name.lower(), lower, n=1, cutoff=0.6)
    if not found:  # part of a name: Gaussian for GaussianKernel
        part = name.lower()
        found = [
            each
            for each in lower
            if min(len(part), len(each)) > 2 and (part in each or part.startswith(each) or part.endswith(each))
        ][:1]
    if found:
        return f"did you mean {lower[found[0]]!r}?"
    more = f" and {len(every) - MOST_NAMES} more" if len(every) > MOST_NAMES else ""
    return f"there are {', '.join(every[:MOST_NAMES])}{more}" if every else "there are none"


def chosen(who: str, what: str, name: str | None, names: Iterable[str]) -> str:
    """The name that was given, if it is one of some, or the only one there is."""
    known = list(names)
    if name is None and len(known) == 1:
        return known[0]
    if name is None:
        raise ConfigurationError(f"{who}: name one {what}; there are {', '.join(known) or 'none'}")
    if name not in known:
        raise ConfigurationError(f"{who}: no {what} is called {name!r}; {near(name, known)}")
    return name
