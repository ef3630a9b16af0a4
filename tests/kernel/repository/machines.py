"""Machines for tests of the repository: results of all kinds, trees of any shape; and a walk through them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from intemi.kernel import Capsule, Job, Machine, Model, Output, parameter

VALUES: dict[str, Any] = {
    "bool": True,
    "int": -3,
    "big": 2**80,
    "float": 0.1,
    "negative zero": -0.0,
    "infinite": float("-inf"),
    "nan": float("nan"),
    "none": None,
    "text": "naïve\0 text",
    "empty": "",
    "vector": np.arange(3.0),
    "bits": np.array([True, False]),
    "bytes": np.arange(4, dtype=np.int8),
    "table": np.arange(6).reshape(2, 3),
    "numpy": np.float32(0.5),
}


class Leave(Machine):
    """Leaves one of the values as a result, and its name."""

    version = 1
    value: str

    def run(self) -> Model:
        return Model(results={"Value": VALUES[self.value], "Name": self.value})


class Grade(Machine):
    """Leaves a number."""

    version = 1
    result = Output(int)
    number: int = 0

    def run(self) -> Model:
        return Model(result=self.number, results={"Grade": self.number, "Half": self.number / 2})


class GoodGrade(Grade):
    """One that inherits."""

    version = 1


class Twig(Machine):
    """A composite of other machines; comments tell the place and whether it is even, and the width is a result."""

    version = 1
    parts: tuple[Machine, ...] = ()
    note: str = parameter(default="none", kw_only=True)

    async def run(self, job: Job) -> Model:
        for place, part in enumerate(self.parts):
            job.request(part, name=f"part {place}", comments={"Place": place} if place % 2 else None)
        return Model(results={"Width": len(self.parts)})


class Breaks(Machine):
    """Fails after its children have finished."""

    version = 1
    parts: tuple[Machine, ...] = ()

    async def run(self, job: Job) -> Model:
        await job.settled(*(job.request(part, name=f"part {place}") for place, part in enumerate(self.parts)))
        raise ValueError("it broke: caf\udce9")


def walk(capsule: Capsule) -> Iterator[Capsule]:
    """A capsule and all that is under it, parents first."""
    yield capsule
    for child in capsule.children:
        yield from walk(child)
