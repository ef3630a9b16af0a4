"""Every statistical test agrees with scipy, other trusted programs or published numbers, and says which variant it is.

scipy is asked here and now. The numbers of other programs were computed once, by the call that is quoted beside them,
with statsmodels 0.15.0, scikit-posthocs 0.17.1, autorank 1.3.0, baycomp 1.0.3 and mlxtend 0.25.0.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import integrate, stats

from intemi.analysis import (
    AverageRanks,
    BayesianSignedRank,
    CorrectedTTest,
    CriticalDifference,
    FiveByTwoFTest,
    Friedman,
    Holm,
    McNemar,
    Nemenyi,
    PairedTTest,
    SignTest,
    TTest,
    Wilcoxon,
)
from intemi.analysis.critical_difference import dunn_quantile, nemenyi_quantile
from intemi.analysis.holm import holm_adjusted
from intemi.series import Series
from tests.analysis.published import AUC, demsar_auc, demsar_ranks, many, table_4_3

A = [0.81, 0.79, 0.84, 0.77, 0.82, 0.8, 0.83, 0.78, 0.85, 0.8]
B = [0.78, 0.8, 0.8, 0.74, 0.79, 0.8, 0.81, 0.75, 0.8, 0.81]
# The same as A − B, in whole numbers: ties stay ties, whatever a program does with floats.
HUNDREDTHS = [3, -1, 4, 3, 3, 0, 2, 3, 5, -1]
TWO_BY_FIVE = {"Repetition": [1] * 5 + [2] * 5, "Fold": [1, 2, 3, 4, 5] * 2}
FIVE_BY_TWO = {"Repetition": [1, 1, 2, 2, 3, 3, 4, 4, 5, 5], "Fold": [1, 2] * 5}


def close(value: float) -> Any:
    return pytest.approx(value, rel=1e-9, abs=1e-12)


def pair(first: list[float], second: list[float], **labels: Any) -> tuple[Series, Series]:
    return Series({"Accuracy": first, **labels}), Series({"Accuracy": second, **labels})


def correctness(n11: int, n10: int, n01: int, n00: int) -> tuple[Series, Series]:
    first, second = [1] * (n11 + n10) + [0] * (n01 + n00), [1] * n11 + [0] * n10 + [1] * n01 + [0] * n00
    return pair(first, second, Object=range(len(first)))


def studentized_range(q: float, k: int) -> float:
    """The distribution function for infinite degrees of freedom, by its definition."""

    def density(z: float) -> float:
        return float(k * stats.norm.pdf(z) * (stats.norm.cdf(z) - stats.norm.cdf(z - q)) ** (k - 1))

    return float(integrate.quad(density, -8, 12, epsabs=1e-13, limit=200)[0])


def test_tables_4_3_and_4_4_of_the_book() -> None:
    knn, svm = table_4_3()
    found, paired = TTest()(knn, svm).row(0), PairedTTest()(knn, svm).row(0)
    assert (round(found["t"], 3), round(found["p"], 4)) == (2.370, 0.0292)
    assert (round(paired["t"], 3), round(paired["p"], 4)) == (3.772, 0.0044)
    mcnemar = McNemar()(*correctness(170, 15, 1, 24)).row(0)
    assert (mcnemar["chi2"], round(mcnemar["p"], 4)) == (12.25, 0.0005)


@pytest.mark.parametrize(("variances", "equal"), [("equal", True), ("unequal", False)])
def test_the_t_test_of_independent_samples_is_scipys(variances: Any, equal: bool) -> None:
    found = TTest(variances=variances)(*pair(A, B)).row(0)
    expected = stats.ttest_ind(A, B, equal_var=equal)
    assert (found["t"], found["df"], found["p"]) == tuple(
        map(close, (expected.statistic, expected.df, expected.pvalue))
    )
    assert found["variant"].startswith("Student" if equal else "Welch")


def test_the_paired_t_test_is_scipys() -> None:
    found = PairedTTest()(*pair(A, B, **TWO_BY_FIVE)).row(0)
    expected = stats.ttest_rel(A, B)
    assert (found["t"], found["df"], found["p"]) == tuple(
        map(close, (expected.statistic, expected.df, expected.pvalue))
    )
    assert found["variant"] == "paired t-test, two-sided, differences taken as independent"
    assert found["paired by"] == "Repetition, Fold"


def test_the_corrected_resampled_t_test_is_baycomps() -> None:
    # mean, var, df = baycomp.CorrelatedTTest.compute_statistics(np.array(A), np.array(B), runs=2): mean / sqrt(var)
    # baycomp.CorrelatedTTest.probs(np.array(A), np.array(B), rope=0, runs=2)
    # Their difference is B − A.
    found = CorrectedTTest(folds=5)(*pair(A, B, **TWO_BY_FIVE)).row(0)
    assert (found["t"], found["p"]) == (close(1.7073860416190823), close(2 * 0.06096540752435842))
    assert "Nadeau and Bengio" in found["variant"]
    assert "0.25" in found["variant"]
    assert CorrectedTTest(test_to_training=0.25)(*pair(A, B)).row(0)["t"] == found["t"]


def test_the_five_by_two_f_test_is_mlxtends() -> None:
    # mlxtend.evaluate.combined_ftest_5x2cv(a, b, X, y, scoring=...), with estimators whose scores are A and B in turn
    found = FiveByTwoFTest()(*pair(A, B, **FIVE_BY_TWO)).row(0)
    assert (found["F"], found["p"]) == (close(1.3174603174603166), close(0.40103752609943466))
    assert found["variant"] == "combined 5 × 2 cv F-test (Alpaydın)"


def test_the_exact_wilcoxon_test_is_scipys_permutation_test_where_there_are_ties() -> None:
    found = Wilcoxon()(*pair(A, B)).row(0)
    nonzero = [each for each in HUNDREDTHS if each]
    expected = stats.wilcoxon(nonzero, method=stats.PermutationMethod(n_resamples=np.inf))
    assert min(found["R+"], found["R-"]) == expected.statistic
    assert found["p"] == close(expected.pvalue)
    assert "exact" in found["variant"]
    assert "zeros dropped" in found["variant"]


def test_the_exact_wilcoxon_test_is_scipys_exact_one_where_there_are_no_ties() -> None:
    first, second = [8.0, 1, 13, 4, 21, 2, 7, 15, 30, 12], [1.0, 2, 3, 6, 5, 6, 13, 3, 9, 1]
    found = Wilcoxon(distribution="exact")(*pair(first, second)).row(0)
    assert found["p"] == close(stats.wilcoxon(first, second, method="exact").pvalue)


def test_the_normal_wilcoxon_test_is_scipys() -> None:
    found = Wilcoxon(distribution="normal")(*pair(A, B)).row(0)
    assert found["p"] == close(stats.wilcoxon(HUNDREDTHS, method="asymptotic").pvalue)
    assert "corrected for ties" in found["variant"]
    split = Wilcoxon(distribution="normal", zeros="split")(*pair(A, B)).row(0)
    assert split["p"] == close(stats.wilcoxon(HUNDREDTHS, zero_method="zsplit", method="asymptotic").pvalue)
    assert "zeros split" in split["variant"]


def test_the_plain_normal_wilcoxon_test_is_the_books_formula() -> None:
    found = Wilcoxon(distribution="plain normal")(*pair(A, B)).row(0)
    z = (abs(found["W"]) - 0.5) / np.sqrt(9 * 10 * 19 / 6)
    assert found["p"] == close(2 * stats.norm.sf(z))
    assert "(|W| − 0.5)" in found["variant"]


def test_the_signed_ranks_of_demsars_table_2() -> None:
    found = Wilcoxon(zeros="split")(demsar_auc("C4.5+m"), demsar_auc("C4.5")).row(0)
    assert (found["R+"], found["R-"]) == (93, 12)


def test_the_sign_test_is_that_of_statsmodels() -> None:
    # statsmodels.stats.descriptivestats.sign_test([m - plain for plain, m, _, _ in AUC.values()])
    found = SignTest()(demsar_auc("C4.5+m"), demsar_auc("C4.5")).row(0)
    assert (found["higher"], found["lower"], found["equal"]) == (10, 2, 2)
    assert found["p"] == close(0.03857421875)
    split = SignTest(zeros="split")(demsar_auc("C4.5+m"), demsar_auc("C4.5")).row(0)
    assert split["p"] == close(stats.binomtest(11, 14).pvalue)  # 11 wins of 14, as Demšar counts them
    assert "zeros split" in split["variant"]


@pytest.mark.parametrize(
    ("test", "statistic", "p", "variant"),
    [
        # statsmodels.stats.contingency_tables.mcnemar([[180, 15], [1, 14]], exact=False, correction=False)
        (McNemar(), 12.25, 0.0004652581580710503, "McNemar's test, χ², no continuity correction"),
        # mcnemar(..., exact=False, correction=True)
        (McNemar(continuity=1), 10.5625, 0.0011540500847815342, "McNemar's test, χ², continuity correction 1"),
        # mcnemar(..., exact=True), whose statistic is min(n10, n01)
        (McNemar(distribution="exact"), 12.25, 0.000518798828125, "McNemar's test, exact binomial, two-sided"),
        # (|15 − 1| − 0.5)² / 16, the book's formula A.13
        (
            McNemar(continuity=0.5),
            11.390625,
            stats.chi2.sf(11.390625, 1),
            "McNemar's test, χ², continuity correction 0.5",
        ),
    ],
)
def test_mcnemars_test_is_that_of_statsmodels(test: McNemar, statistic: float, p: float, variant: str) -> None:
    found = test(*correctness(180, 15, 1, 14)).row(0)
    assert (found["chi2"], found["p"], found["variant"]) == (close(statistic), close(p), variant)


def test_friedmans_test_of_demsars_table_6_by_his_formulas() -> None:
    found = Friedman(best="lowest", ties="ignored")(demsar_ranks()).row(0)
    assert (round(found["chi2"], 2), round(found["F"], 2)) == (9.28, 3.69)
    assert (found["df of F"], found["df of denominator"]) == (3, 39)
    assert "not corrected for ties" in found["variant"]


def test_friedmans_test_with_tie_correction_is_scipys() -> None:
    series = demsar_ranks()
    found = Friedman(best="lowest")(series).row(0)
    expected = stats.friedmanchisquare(*(group.values for group in series.group_by("machine")))
    assert (found["chi2"], found["p"]) == (close(expected.statistic), close(expected.pvalue))
    assert round(found["chi2"], 2) == 10.23
    assert "corrected for ties" in found["variant"]
    assert "not corrected" not in found["variant"]


def test_the_average_ranks_of_demsars_table_6() -> None:
    found = AverageRanks(best="lowest")(demsar_ranks())
    assert dict(zip(found["machine"], np.round(found.values, 3).tolist(), strict=True)) == {
        "C4.5+m+cf": 1.964,
        "C4.5+m": 2.0,
        "C4.5+cf": 2.893,
        "C4.5": 3.143,
    }


def test_the_critical_difference_is_demsars_and_autoranks() -> None:
    found = CriticalDifference(best="lowest")(demsar_ranks()).row(0)
    assert (round(found["critical difference"], 2), round(found["q"], 3)) == (1.25, 2.569)
    assert studentized_range(found["q"] * np.sqrt(2), 4) == close(0.95)
    # autorank(-ranks, alpha=0.05, force_mode="nonparametric", order="descending").cd, from a table it interpolates
    assert found["critical difference"] == pytest.approx(1.2535512603486423, rel=1e-5)
    assert found["variant"].startswith("Nemenyi")
    control = CriticalDifference(best="lowest", compared="control")(demsar_ranks()).row(0)
    assert control["critical difference"] == close(stats.norm.isf(0.05 / 6) * np.sqrt(4 * 5 / (6 * 14)))
    assert control["variant"].startswith("Bonferroni–Dunn")


def test_critical_values_are_those_of_demsars_table_5() -> None:
    nemenyi = {0.05: [1.960, 2.343, 2.569, 2.728, 2.850, 2.949, 3.031, 3.102, 3.164]}
    nemenyi[0.10] = [1.645, 2.052, 2.291, 2.459, 2.589, 2.693, 2.780, 2.855, 2.920]
    dunn = {
        0.05: [1.960, 2.241, 2.394, 2.498, 2.576, 2.638, 2.690],
        0.10: [1.645, 1.960, 2.128, 2.241, 2.326, 2.394, 2.450],
    }
    quantiles: list[tuple[Callable[[float, int], float], dict[float, list[float]]]]
    quantiles = [(nemenyi_quantile, nemenyi), (dunn_quantile, dunn)]
    for quantile, table in quantiles:
        for alpha, printed in table.items():
            assert [quantile(alpha, k) for k in range(2, len(printed) + 2)] == pytest.approx(printed, abs=0.0011)


def test_nemenyis_test_is_that_of_scikit_posthocs() -> None:
    # scikit_posthocs.posthoc_nemenyi_friedman(-ranks)
    expected = [
        0.08867270928888271,
        0.9561771752218107,
        0.07418479506874454,
        0.2592280701547286,
        0.999859449385133,
        0.22669688602641525,
    ]
    found = Nemenyi(best="lowest")(demsar_ranks())
    assert found.values.tolist() == pytest.approx(expected, rel=1e-9)
    error = np.sqrt(4 * 5 / (6 * 14))
    for item in found:
        assert 1 - item["p"] == close(studentized_range(abs(item["rank difference"]) / error * np.sqrt(2), 4))
    assert not any(found["different"])
    assert found.row(0)["variant"] == "Nemenyi's test of average ranks, Studentized range, 6 comparisons"


def test_holms_procedure_with_a_control_is_demsars() -> None:
    found = Holm(best="lowest", control="C4.5")(demsar_ranks())
    printed = {"C4.5+m+cf": 2.416, "C4.5+m": 2.342, "C4.5+cf": 0.512}  # ranks and 0.488 rounded before dividing
    for item in found:
        assert -item["z"] == pytest.approx(printed[item["machine"]], abs=0.001)
        assert item["p"] == close(2 * stats.norm.sf(abs(item["z"])))
    expected = holm_adjusted(found["p"].tolist())
    assert found.values.tolist() == expected
    assert {item["machine"] for item in found if item["different"]} == {"C4.5+m+cf", "C4.5+m"}
    assert "with C4.5, 3 comparisons adjusted by Holm" in found.row(0)["variant"]


def test_holms_adjustment_is_that_of_statsmodels() -> None:
    # statsmodels.stats.multitest.multipletests([0.016, 0.019, 0.607, 0.2, 0.004], method="holm")[1]
    assert holm_adjusted([0.016, 0.019, 0.607, 0.2, 0.004]) == pytest.approx([0.064, 0.064, 0.607, 0.4, 0.02], rel=1e-9)


@pytest.mark.parametrize(
    ("rope", "seed", "expected"),
    [
        # baycomp.SignedRankTest.probs(plain, m, rope, nsamples=50000, random_state=seed), of the AUC of Table 6 / 1000
        (0.0, 0, (0.00106, 0.0, 0.99894)),
        (0.0, 7, (0.0009, 0.0, 0.9991)),
        (0.01, 0, (0.0, 0.32904, 0.67096)),
        (0.01, 7, (0.0, 0.32784, 0.67216)),
    ],
)
def test_the_bayesian_signed_rank_test_is_baycomps(rope: float, seed: int, expected: tuple[float, ...]) -> None:
    test = BayesianSignedRank(rope=rope, seed=seed)
    found = test(demsar_auc("C4.5"), demsar_auc("C4.5+m")).row(0)
    assert (found["first higher"], found["equivalent"], found["second higher"]) == tuple(map(close, expected))
    assert found["variant"].startswith("Bayesian signed-rank test")


def test_friedmans_test_of_the_rounded_results_ties_what_the_ranks_tell_apart() -> None:
    series = many(AUC, ("C4.5", "C4.5+m", "C4.5+cf", "C4.5+m+cf"), "AUC")
    expected = stats.friedmanchisquare(*(group.values for group in series.group_by("machine")))
    assert Friedman()(series).row(0)["chi2"] == close(expected.statistic)
