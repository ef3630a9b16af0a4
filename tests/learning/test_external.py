"""External transformation: test data the way of training data."""

from __future__ import annotations

import numpy as np
import pytest

from intemi.data import Data
from intemi.kernel import MachineFailed, Project
from intemi.machines import Scheme
from intemi.machines.transformations import ExternalTransformation, Standardization
from tests.learning.tables import numeric, outputs


def test_test_data_are_transformed_as_training_data_were() -> None:
    scheme = Scheme(training=Data, test=Data)
    standardization = scheme.add(Standardization(ddof=0), data=scheme.training)
    external = scheme.add(ExternalTransformation(), data=scheme.test, transformation=standardization.transformation)
    scheme.expose(result=external.transformed)
    with Project() as project:
        training, test = (project.given(numeric(values)) for values in ([0, 2], [0, 1, 5]))
        result = project.run(scheme, training=training, test=test).outputs["result"]
        np.testing.assert_allclose(result.features, [[-1, 0, 4]])


def test_data_with_other_columns_fail_with_a_sentence_that_says_so() -> None:
    transformation = outputs(Standardization(), data=numeric([1, 2], [3, 4]))["transformation"]
    with Project() as project:
        inputs = {"data": project.given(numeric([1, 2])), "transformation": project.given(transformation)}
        with pytest.raises(MachineFailed, match="the column 'x1' is missing"):
            project.run(ExternalTransformation(), **inputs)
