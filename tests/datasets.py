"""Real data for tests: those of the wide check, or where they are not there, of the same kind, those of the tests.

Most tests ask for a *kind* of data: numbers and several classes, symbols with missing values. They name a data set of
the wide check (57 data sets beside the repository), and have its stand-in from `tests/reference` where that is not
there, so that nothing is skipped in any clone. Tests of one data set with its own numbers are marked `wide`: they are
collected only if it is there.
"""

from __future__ import annotations

from pathlib import Path

from intemi.data import Data
from scripts.reference_data import HOME, WIDE, ReferenceData

_OF_A_KIND = {
    "wine": ("glass", "ecoli"),  # numbers, several classes
    "twenty": ("vowel",),
    "waveform": ("vehicle", "waveform-21", "waveform-5000"),
    "digits": ("letter", "optdigits", "pendigits", "satimage", "segment", "segment-train"),
    "rings": ("ann-thyroid", "bupa", "diabetes", "heart-statlog"),  # numbers, two classes
    "breast-diagnostic": ("appendicitis", "ionosphere", "sonar", "wdbc"),
    "grades": ("arrhythmia", "breast-w", "cleveland", "heart-h", "hepatitis"),  # numbers, some missing
    "survey": (  # numbers and symbols, some missing
        *("autos", "breast-cancer", "colic", "credit-a", "heart-c", "hypothyroid", "labor", "sick", "soybean"),
        *("soybean-large", "vote"),
    ),
    "codes": ("anneal", "australian", "credit-g", "flags"),  # numbers and symbols
    "led7": ("audiology", "primary-tumor", "zoo"),  # symbols
    "flats": ("car", "lymph"),
    "monks-2": ("splice",),
    "tic-tac-toe": ("kr-vs-kp",),
}
STAND_INS = {name: home for home, names in _OF_A_KIND.items() for name in names}
"""By the names of the wide check, data sets of the same kind; those that both have stand for themselves."""


def available() -> tuple[str, ...]:
    """The names of all data sets."""
    return WIDE.names() or HOME.names()


def path(name: str) -> Path:
    """The file of a data set."""
    collection, name = _found(name)
    return collection.data / f"{name}.arff"


def load(name: str) -> Data:
    """A data set, its last column the target."""
    collection, name = _found(name)
    return collection.load(name)


def folds(name: str) -> tuple[int, ...]:
    """For each case of a data set the number of its fold, 0 to 9."""
    collection, name = _found(name)
    return collection.folds(name)


def index() -> dict[str, dict[str, str]]:
    """What the index of the wide check says of each data set, by the heads of its columns."""
    lines = (WIDE.data / "INDEX.md").read_text().splitlines()
    head, _, *rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if line.startswith("|")]
    return {row[0]: dict(zip(head, row, strict=True)) for row in rows}


def _found(name: str) -> tuple[ReferenceData, str]:
    return (WIDE, name) if WIDE.is_there else (HOME, STAND_INS.get(name, name))
