from __future__ import annotations

import pickle

import pytest

from intemi.series import Groups, Series, SeriesError

S = Series(
    {
        "Accuracy": [0.9, 0.8, 0.7, 0.6],
        "machine": ["knn", "svm", "knn", "svm"],
        "Fold": [0, 0, 1, 1],
    }
)
GROUPS = S.group_by("machine")


def test_groups_are_unpacked_in_order() -> None:
    knn, svm = GROUPS
    assert knn == S[[0, 2]].without("machine")
    assert tuple(GROUPS) == (knn, svm)
    assert GROUPS.labels == ("machine",)
    assert len(GROUPS) == 2


def test_a_group_is_found_by_its_key() -> None:
    assert GROUPS["svm"] == GROUPS[("svm",)] == tuple(GROUPS)[1]
    assert "svm" in GROUPS
    assert "tree" not in GROUPS
    assert S.group_by("machine", "Fold")["svm", 1].values.tolist() == [0.6]
    assert S.group_by("Fold")[1.0] == S.group_by("Fold")[1]
    with pytest.raises(SeriesError, match=r"a key must be one of \('knn',\), \('svm',\), got 'tree'"):
        GROUPS["tree"]


def test_series_of_groups_can_be_subtracted_as_they_do_not_have_the_group_label() -> None:
    knn, svm = GROUPS
    assert (knn - svm).row(0) == pytest.approx({"Accuracy": 0.1, "Fold": 0})


def test_groups_that_do_not_fit_together_are_refused() -> None:
    with pytest.raises(SeriesError, match="must not have the group's label machine"):
        Groups(["machine"], [(["knn"], S)])
    with pytest.raises(SeriesError, match=r"the same labels, got Accuracy, Fold \(main Accuracy\) and for \('svm',\)"):
        GROUPS.map(lambda each: each if each.max() == 0.9 else each.without("Fold"))
    with pytest.raises(SeriesError, match="must differ, got \\('knn',\\) twice"):
        Groups(["machine"], [(["knn"], S.without("machine"))] * 2)
    with pytest.raises(SeriesError, match="a key must have a cell for each of machine"):
        Groups(["machine"], [(["knn", 1], S.without("machine"))])


def test_no_groups_cannot_be_ungrouped() -> None:
    none = GROUPS.select([])
    assert len(none) == 0
    with pytest.raises(SeriesError, match="at least one group, got none"):
        none.ungroup()


def test_only_groups_that_are_there_are_selected() -> None:
    with pytest.raises(SeriesError, match="got 'tree'"):
        GROUPS.select(["tree"])


def test_a_group_label_that_the_series_has_already_is_refused() -> None:
    with pytest.raises(SeriesError, match="must not have the group's label group"):
        S.with_column("group", 1).split(4)
    assert S.with_column("group", 1).split(4, label="part").labels == ("part",)


def test_groups_are_equal_if_everything_is() -> None:
    assert S.group_by("machine") == GROUPS
    assert S[::-1].group_by("machine") != GROUPS
    assert GROUPS.select(["knn"]) != GROUPS
    assert S.group_by("Fold") != S.with_column("Fold", [0.0, 0.0, 1.0, 1.0]).group_by("Fold")
    assert GROUPS != "GROUPS"
    assert pickle.loads(pickle.dumps(GROUPS)) == GROUPS


def test_groups_show_their_keys_and_sizes() -> None:
    assert repr(S.group_by("machine", "Fold")).splitlines()[:2] == ["Groups by machine, Fold", "  knn, 0: 1 row"]
    assert "&lt;b&gt;: 4 rows" in S.with_column("machine", "<b>").group_by("machine")._repr_html_()
    many = Series({"Accuracy": range(50), "Fold": range(50)}).group_by("Fold")
    assert repr(many).splitlines()[-1] == "  … 50 groups"
