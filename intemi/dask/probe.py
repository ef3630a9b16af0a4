"""Whether a worker computes what the client computes: versions, and a canary.

The canary is a digest of what a few kernels give on a fixed table. Another processor, or another library of linear
algebra, that rounds in another way is found before its results are mixed with those of the client.
"""

from __future__ import annotations

import os
import platform
import socket
from collections.abc import Mapping
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import numpy as np

from intemi.kernel.encoding import digest, encode
from intemi.kernel.linear_algebra import give_back, use_one_thread
from intemi.kernel.shipped import VERSION, package_source
from intemi.kernel.values import run_leaf

PACKAGES = ("numpy", "numba", "scikit-learn", "scipy")


def answer(expected: dict[str, str]) -> dict[str, Any]:
    """The report of a worker, or why it has none; errors travel as text, since dask waits for ever for some.

    The canary may take a minute, where kernels have to be compiled for it: only if the versions are the expected ones.
    """
    try:
        facts = report()
        return {**facts, "canary": canary()} if facts["versions"] == expected else facts
    except Exception as error:
        return {"error": f"{type(error).__name__}: {error}"}


def report() -> dict[str, Any]:
    """What this process is: its place, and versions."""
    return {"host": socket.gethostname(), "pid": os.getpid(), "versions": versions()}


def versions() -> dict[str, str]:
    """The versions that decide what a leaf gives.

    >>> sorted(versions())
    ['Python', 'intemi', 'numba', 'numpy', 'scikit-learn', 'scipy']
    """
    found = {"Python": ".".join(platform.python_version_tuple()[:2]), "intemi": f"{VERSION} ({package_source()})"}
    for name in PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = "not installed"
    return found


@cache
def canary() -> str:
    """The digest of what some kernels give on a fixed table."""
    use_one_thread(canary)
    try:
        return digest(encode([*_linear_algebra(), *_learners()])).hex()
    finally:
        give_back(canary)


def _linear_algebra() -> list[Any]:
    numbers = np.random.Generator(np.random.PCG64(1)).normal(size=(60, 6))
    product = numbers.T @ numbers
    return [product, np.linalg.solve(product, numbers[0]), np.exp(numbers).sum(axis=0), np.log(np.abs(numbers)).mean()]


def _learners() -> list[Any]:
    from intemi.data import from_numpy
    from intemi.kernel.seeds import Seed
    from intemi.machines import NaiveBayes, Standardization
    from intemi.machines.trees import DecisionTree

    numbers = np.random.Generator(np.random.PCG64(2)).normal(size=(90, 4))
    names = np.where(numbers[:, 0] + 0.5 * numbers[:, 1] ** 2 > 0.3, "yes", "no")
    data = from_numpy(numbers, names)
    return [
        run_leaf(leaf, {"data": data}, Seed(3)).outputs for leaf in (Standardization(), NaiveBayes(), DecisionTree())
    ]


def differences(worker: Mapping[str, Any]) -> list[str]:
    """In what a worker differs from this process, each as a phrase."""
    if "error" in worker:
        return [f"it cannot run intemi ({worker['error']})"]
    ours, theirs = versions(), worker["versions"]
    found = [
        f"{name} {theirs.get(name, 'unknown')} instead of {here}"
        for name, here in ours.items()
        if theirs.get(name) != here
    ]
    if not found and worker["canary"] != canary():
        found.append("the canary (the same versions, but its processor or linear algebra rounds in another way)")
    return found
