from __future__ import annotations

import numpy as np
import pytest

from intemi.dask.contents import MAX_UNFINISHED, Contents, Dropped
from intemi.dask.wire import Garbled, Reference
from intemi.kernel.encoding import digest, encode


def named(value: object) -> tuple[bytes, bytes]:
    encoded = encode(value)
    return digest(encoded), encoded


def test_a_content_is_its_value() -> None:
    contents = Contents(limit=1000)
    name, encoded = named((1, "two", 3.0))
    contents.add(name, encoded)
    assert contents.value(Reference(name, {}), trusted=False) == (1, "two", 3.0)


def test_a_content_of_another_digest_is_refused() -> None:
    contents = Contents(limit=1000)
    with pytest.raises(Garbled, match="does not have the digest"):
        contents.add(named(1)[0], named(2)[1])
    assert contents.lacking([named(1)[0]]) == [named(1)[0]]


def test_what_was_used_last_is_kept() -> None:
    contents = Contents(limit=3000)
    names = [named("x" * 900 + str(number)) for number in range(4)]
    for name, encoded in names[:3]:
        contents.add(name, encoded)
    assert contents.lacking([names[0][0]]) == []  # which uses it
    contents.add(*names[3])
    assert contents.lacking([name for name, _ in names]) == [names[1][0]]
    assert contents.size <= 3000


def test_a_content_that_made_room_for_others_is_not_taken_for_a_garbled_one() -> None:
    contents = Contents(limit=1000)
    names = [named("x" * 900 + str(number)) for number in range(2)]
    for name, encoded in names:
        contents.add(name, encoded)
    with pytest.raises(Dropped, match="give DaskWorkers more memory"):
        contents.value(Reference(names[0][0], {}), trusted=False)


@pytest.mark.parametrize("is_whole", [True, False])
def test_a_large_content_comes_in_pieces(is_whole: bool) -> None:
    contents = Contents(limit=10**6)
    name, encoded = named(np.arange(1000))
    for at in range(0, len(encoded), 500):
        piece = encoded[at : at + 500] if is_whole or at else b"\0" * 500
        if is_whole or at + 500 < len(encoded):
            contents.add_piece(name, at, piece, len(encoded))
        else:
            with pytest.raises(Garbled):
                contents.add_piece(name, at, piece, len(encoded))
    assert contents.lacking([name]) == ([] if is_whole else [name])


def test_a_content_that_two_homes_send_at_a_time_is_taken_once() -> None:
    contents = Contents(limit=10**6)
    name, encoded = named(np.arange(100))
    half = len(encoded) // 2
    for at, piece in ((0, encoded[:half]), (0, encoded[:half]), (half, encoded[half:]), (half, encoded[half:])):
        contents.add_piece(name, at, piece, len(encoded))
    assert contents.lacking([name]) == []
    assert not contents._unfinished


def test_contents_whose_rest_never_comes_do_not_pile_up() -> None:
    contents = Contents(limit=10**6)
    for number in range(3 * MAX_UNFINISHED):
        contents.add_piece(digest(b"%d" % number), 0, b"begin", 1000)
    assert len(contents._unfinished) == MAX_UNFINISHED


def test_a_pickle_is_taken_from_a_home_that_trusts_only() -> None:
    contents = Contents(limit=1000)
    pickled = b"Pnot even one"
    contents.add(digest(pickled), pickled)
    with pytest.raises(Garbled, match="pickled"):
        contents.value(Reference(digest(pickled), {}), trusted=False)
