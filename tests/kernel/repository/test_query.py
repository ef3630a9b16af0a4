"""Queries and objectives as values of a configuration."""

from __future__ import annotations

from typing import Any

import pytest

from intemi.kernel import Input, Job, Machine, Model, Project, from_plain
from intemi.query import Objective, Query, Result
from intemi.series import Series
from tests.machines import cross_validation


class Asks(Machine):
    """Requests a cross-validation and leaves what a query finds in it."""

    version = 1
    data = Input(int)
    objective: Objective

    async def run(self, job: Job, data: Any) -> Model:
        done = await job.request(cross_validation(2, 3), data=data)
        found = job.query(self.objective.query, done)
        return Model(results={"Objective": self.objective.of(found), "Count": len(found)})


def test_a_composite_asks_about_what_it_has_requested() -> None:
    query = Query("test/kt", "Accuracy", labels=("Fold",))
    with Project(workers=2) as project:
        done = project.run(Asks(query.mean()), data=project.given(5))
        found = project.query(done, path="*/test/kt", labels="Accuracy")
        assert done.results == {"Objective": found.mean(), "Count": 6}
        some = Asks(Query("test/kt", "Accuracy", where=Result("Accuracy") < found.max()).maximum())
        less = project.run(some, data=project.given(5))
        assert less.results["Count"] < 6
        assert less.results["Objective"] < found.max()


@pytest.mark.parametrize(
    ("objective", "expected"),
    [
        (Query("a", "x").mean(), 2.0),
        (Query("a", "x").median(), 1.0),
        (Query("a", "x").minimum(), 1.0),
        (Query("a", "x").maximum(), 4.0),
        (Query("a", "x").total(), 6.0),
        (Query("a", "x").mean_minus_deviation(), 2.0 - 3**0.5),
    ],
)
def test_an_objective_is_one_number_of_a_series(objective: Objective, expected: float) -> None:
    assert objective.of(Series({"x": [1.0, 1.0, 4.0]})) == pytest.approx(expected, abs=1e-12)
    assert from_plain(objective.to_plain()) == objective
