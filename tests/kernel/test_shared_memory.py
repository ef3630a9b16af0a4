"""Shared memory: large arrays that are kept exist once, cannot be written, and end with their last user."""

from __future__ import annotations

import gc
import os

import numpy as np
import pytest

from intemi.kernel import shared_memory
from intemi.kernel.protection import is_sealed, protected, sealed
from intemi.kernel.shared_memory import mapped, region_of, shared

pytestmark = pytest.mark.skipif(os.name != "posix", reason="memory is shared on POSIX systems only")

MIN_BYTES = 2**20
LARGE = MIN_BYTES // 8


@pytest.fixture(autouse=True)
def small_regions(monkeypatch: pytest.MonkeyPatch) -> None:
    """Share arrays that are not so large that the tests take long."""
    monkeypatch.setattr(shared_memory, "MIN_SHARED_BYTES", MIN_BYTES)


def address_of(array: np.ndarray) -> int:
    return int(array.__array_interface__["data"][0])


def test_a_large_array_that_is_kept_lies_in_shared_memory() -> None:
    values = np.arange(float(LARGE)).reshape(-1, 64)
    kept = sealed(values)
    assert np.array_equal(kept, values)
    assert (kept.dtype, kept.shape) == (values.dtype, values.shape)
    assert region_of(address_of(kept), kept.nbytes) is not None
    assert is_sealed(kept)
    with pytest.raises(ValueError, match="WRITEABLE"):
        kept.flags.writeable = True


def test_a_part_of_a_large_array_lies_in_its_region() -> None:
    kept = sealed(np.arange(float(LARGE)))
    part = kept[100:200]
    region = region_of(address_of(part), part.nbytes)
    assert region is not None
    assert address_of(part) - region.address == 800


def test_a_small_array_stays_where_it_is() -> None:
    values = np.arange(10.0)
    assert np.shares_memory(sealed(values), values)
    assert region_of(address_of(values), values.nbytes) is None
    assert shared(values) is None


@pytest.mark.parametrize("dtype", ["f4", "i8", "u1", "U5", "datetime64[s]", "i4,f8", bool])
def test_arrays_of_every_kind_can_be_shared(dtype: object) -> None:
    values = np.zeros(MIN_BYTES, dtype)
    kept = sealed(values)
    assert np.array_equal(kept, values)
    assert region_of(address_of(kept), kept.nbytes) is not None


def test_another_mapping_shows_the_same_memory_and_cannot_be_written() -> None:
    kept = sealed(np.arange(float(LARGE)))
    region = region_of(address_of(kept), kept.nbytes)
    assert region is not None
    other = np.frombuffer(mapped(os.dup(region.descriptor), region.size), float)
    assert np.array_equal(other, kept)
    assert address_of(other) != address_of(kept)
    with pytest.raises(ValueError, match="read-only"):
        other[0] = 1.0


def test_a_region_ends_with_the_last_array_in_it() -> None:
    before = len(shared_memory._regions)
    kept = protected((sealed(np.arange(float(LARGE))), "a"))
    assert len(shared_memory._regions) == before + 1
    part = kept[0][:10]
    del kept
    gc.collect()
    assert len(shared_memory._regions) == before + 1
    del part
    gc.collect()
    assert len(shared_memory._regions) == before


def test_there_are_not_more_regions_than_descriptors_may_be_open(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shared_memory, "MAX_REGIONS", len(shared_memory._regions))
    values = np.arange(float(LARGE))
    assert np.shares_memory(sealed(values), values)
