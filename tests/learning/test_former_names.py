"""Configurations that folders hold from before ports and parameters got their present names."""

from __future__ import annotations

from typing import Any

import pytest

from intemi.data import Data
from intemi.kernel import ConfigurationError, Machine, from_plain
from intemi.machines import (
    KNN,
    CorrelationRanking,
    Discretization,
    FeatureSelection,
    Imputation,
    NominalToIndicators,
    Normalization,
    PrincipalComponents,
    Scheme,
    Standardization,
    TransformAndClassify,
)

FORMER: list[tuple[Machine, str]] = [
    (Standardization(), "standardized"),
    (Normalization(), "normalized"),
    (Discretization(), "discretized"),
    (Imputation(), "imputed"),
    (NominalToIndicators(), "indicators"),
    (PrincipalComponents(), "projected"),
]


def chain(transformation: Machine) -> Scheme:
    scheme = Scheme(data=Data)
    first = scheme.add(transformation, data=scheme.data, name="first")
    scheme.add(KNN(), data=first.transformed, name="knn")
    scheme.expose(changed=first.transformed)
    return scheme


def renamed(plain: Any, former: str) -> Any:
    """Plain data with the present name of an output replaced by a former one."""
    if isinstance(plain, dict):
        return {key: renamed(value, former) for key, value in plain.items()}
    if isinstance(plain, list):
        return [renamed(each, former) for each in plain]
    return former if plain == "transformed" else plain


@pytest.mark.parametrize(("machine", "former"), FORMER, ids=lambda each: str(each))
def test_a_scheme_with_the_former_name_of_an_output_is_read_with_its_present_one(machine: Machine, former: str) -> None:
    plain = chain(machine).to_plain()
    assert renamed(plain, former) != plain
    assert from_plain(renamed(plain, former)) == chain(machine)


def test_so_is_one_with_a_selection_of_features() -> None:
    scheme = Scheme(data=Data)
    ranking = scheme.add(CorrelationRanking(), data=scheme.data)
    best = scheme.add(FeatureSelection(), data=scheme.data, ranking=ranking.ranking)
    scheme.expose(best=best.transformed)
    assert from_plain(renamed(scheme.to_plain(), "selected")) == scheme


def test_the_former_name_of_a_parameter_is_read() -> None:
    both = TransformAndClassify(Standardization(), KNN())
    plain = both.to_plain()
    plain["classifier"] = plain.pop("learner")
    assert from_plain(plain) == both


def test_who_writes_a_former_name_today_is_told_the_present_ones() -> None:
    scheme = Scheme(data=Data)
    with pytest.raises(ConfigurationError, match="its outputs are transformed, transformation"):
        scheme.add(Standardization(), data=scheme.data).standardized  # noqa: B018
