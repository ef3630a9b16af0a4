"""The default space has what a table of that size needs, and nothing that it cannot use."""

import warnings

import numpy as np
import pytest

from intemi import Project
from intemi.data import Column, Data, Table
from intemi.machines.meta_learning import DataDescription, calibration, default_space, default_validation
from intemi.machines.meta_learning.default_space import first_candidates
from intemi.machines.meta_learning.descriptions import describe
from intemi.machines.meta_learning.evaluation import evaluate
from intemi.machines.meta_learning.measuring import made_data


def kinds_for(**sizes: float) -> str:
    return " ".join(str(each.to_plain()) for each in first_candidates(DataDescription(**sizes)))


def test_learners_that_need_numbers_stand_behind_what_makes_numbers() -> None:
    plain = kinds_for(rows=150, numeric=4)
    assert "Imputation" not in plain
    assert "NominalToIndicators" not in plain
    mixed = kinds_for(rows=150, numeric=4, nominal=2, missing=0.1)
    assert "Imputation" in mixed
    assert "NominalToIndicators" in mixed


def test_what_needs_all_pairs_of_rows_is_left_out_for_many_rows() -> None:
    assert "SVM" in kinds_for(rows=5_000, numeric=4)
    assert "SVM" not in kinds_for(rows=50_000, numeric=4)
    assert "KNN" not in kinds_for(rows=50_000, numeric=4)


def test_more_rows_are_divided_less_often() -> None:
    splits = [default_validation(DataDescription(rows=rows, numeric=4)) for rows in (150, 5_000, 50_000)]
    assert [(each.distributor.kind, each.repetitions) for each in splits] == [
        ("CVDistributor", 2),
        ("CVDistributor", 1),
        ("HoldOutDistributor", 1),
    ]


@pytest.mark.filterwarnings("ignore")
def test_every_first_candidate_learns_from_a_mixed_table_with_missing_values() -> None:
    made = made_data(60, 3, 2, 3)
    values = np.array(made.features)
    values[0, ::7] = values[3, ::5] = np.nan
    data = Data(Table(made.columns, values, Column("class", made.labels), made.classes))
    with Project() as project:
        given = project.given(data)
        learned = [project.request(each, data=given) for each in first_candidates(describe(data))]
        for capsule in learned:
            assert len(capsule.wait().outputs["classifier"].classify(data)) == 60


def test_what_every_candidate_takes_was_measured() -> None:
    data = DataDescription(rows=300, numeric=5, nominal=3, symbols=4, missing=0.1)
    calibration._warn_once.cache_clear()
    with warnings.catch_warnings():
        warnings.simplefilter("error", calibration.MachineWarning)
        for item in default_space(data).begin().poll():
            assert evaluate(item.configuration, {"data": data}, calibration.shipped_calibration()).seconds > 0
