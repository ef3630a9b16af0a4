"""Transformations one after the other are a transformation."""

from __future__ import annotations

import pytest

from intemi import Project
from intemi.data.csv import parse_csv
from intemi.kernel import BindingError, ConfigurationError
from intemi.machines import (
    KNN,
    MDL,
    CVDistributor,
    Discretization,
    EqualWidth,
    Imputation,
    NominalToIndicators,
    Reads,
    Standardization,
    TransformAndClassify,
    TransformationChain,
)

STEPS = (Imputation(), NominalToIndicators(), Standardization())
MIXED = parse_csv(b"x,colour,class\n1,red,a\n,blue,b\n4,,a\n2,red,b\n", "x.csv")


def test_a_chain_does_what_its_steps_do_one_after_the_other() -> None:
    with Project() as project:
        chained = project.run(TransformationChain(STEPS), data=project.given(MIXED))
        data = MIXED
        for step in STEPS:
            data = project.run(step, data=project.given(data)).outputs["transformed"]
        assert chained.outputs["transformed"] == data
        assert chained.outputs["transformation"].transform(MIXED) == data


def test_a_chain_stands_before_a_learner() -> None:
    with Project() as project:
        learned = project.run(TransformAndClassify(TransformationChain(STEPS), KNN(k=1)), data=project.given(MIXED))
        assert learned.outputs["classifier"].classify(MIXED).tolist() == MIXED.classes.tolist()


def test_a_chain_reads_what_the_strongest_of_its_steps_reads() -> None:
    assert TransformationChain((Discretization(EqualWidth()), Imputation())).reads is Reads.FEATURES
    assert TransformationChain((Imputation(), Discretization(MDL()))).reads is Reads.TARGETS
    assert TransformationChain(STEPS).keeps_rows


def test_what_is_no_transformation_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="steps must be at least one transformation"):
        TransformationChain(())
    for wrong in (KNN(), CVDistributor()):
        with pytest.raises(BindingError, match=r"TransformationChain: steps\.1 must have the role Transformer"):
            TransformationChain((Imputation(), wrong))
