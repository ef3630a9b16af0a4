"""Published results that statistical tests were computed on, as series."""

from __future__ import annotations

from typing import Any

from intemi.series import Series

# The book's Table 4.3: hits out of 21 in each of ten folds.
NEAREST_NEIGHBOURS = [20, 17, 19, 17, 20, 17, 19, 18, 19, 19]
SUPPORT_VECTORS = [17, 16, 19, 15, 17, 16, 19, 16, 19, 17]

# Demšar (2006), Table 6: AUC in thousandths and, in brackets there, ranks. The ranks tell 0.975 from 0.975 in "voting".
VARIANTS = ("C4.5", "C4.5+m", "C4.5+cf", "C4.5+m+cf")
AUC: dict[str, tuple[int, int, int, int]] = {
    "adult": (763, 768, 771, 798),
    "breast cancer": (599, 591, 590, 569),
    "breast cancer wisconsin": (954, 971, 968, 967),
    "cmc": (628, 661, 654, 657),
    "ionosphere": (882, 888, 886, 898),
    "iris": (936, 931, 916, 931),
    "liver disorders": (661, 668, 609, 685),
    "lung cancer": (583, 583, 563, 625),
    "lymphography": (775, 838, 866, 875),
    "mushroom": (1000, 1000, 1000, 1000),
    "primary tumor": (940, 962, 965, 962),
    "rheum": (619, 666, 614, 669),
    "voting": (972, 981, 975, 975),
    "wine": (957, 978, 946, 970),
}
RANKS: dict[str, tuple[float, float, float, float]] = {
    "adult": (4, 3, 2, 1),
    "breast cancer": (1, 2, 3, 4),
    "breast cancer wisconsin": (4, 1, 2, 3),
    "cmc": (4, 1, 3, 2),
    "ionosphere": (4, 2, 3, 1),
    "iris": (1, 2.5, 4, 2.5),
    "liver disorders": (3, 2, 4, 1),
    "lung cancer": (2.5, 2.5, 4, 1),
    "lymphography": (4, 3, 2, 1),
    "mushroom": (2.5, 2.5, 2.5, 2.5),
    "primary tumor": (4, 2.5, 1, 2.5),
    "rheum": (3, 2, 4, 1),
    "voting": (4, 1, 2, 3),
    "wine": (3, 1, 4, 2),
}


def over_folds(values: list[float], **labels: Any) -> Series:
    """The accuracies of one machine in consecutive folds."""
    return Series({"Accuracy": values, "Fold": range(1, len(values) + 1), **labels})


def table_4_3() -> tuple[Series, Series]:
    """5NN and SVM on the folds of the book's Table 4.3."""
    return over_folds([x / 21 for x in NEAREST_NEIGHBOURS]), over_folds([x / 21 for x in SUPPORT_VECTORS])


def many(table: dict[str, Any], machines: tuple[str, ...], main: str) -> Series:
    """A table of machines over data sets as one series."""
    return Series(
        {
            main: [float(value) for row in table.values() for value in row],
            "machine": list(machines) * len(table),
            "data": [data for data in table for _ in machines],
        }
    )


def demsar_ranks() -> Series:
    return many(RANKS, VARIANTS, "rank")


def demsar_auc(machine: str) -> Series:
    """The AUC of one machine over the data sets, with one rounding each, as a table in a file would give it."""
    column = VARIANTS.index(machine)
    return Series({"AUC": [row[column] / 1000 for row in AUC.values()], "data": list(AUC)})
