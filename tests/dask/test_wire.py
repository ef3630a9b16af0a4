from __future__ import annotations

from typing import Any

import pytest

from intemi.dask import wire
from intemi.dask.wire import Answer, BatchMessage, Garbled
from intemi.kernel.encoding import digest, encode
from intemi.kernel.seeds import Seed

BATCH = BatchMessage("home", ((1, b"machine"),), {b"name": b"content"}, False, 2**20)


def test_a_message_arrives_as_it_was_sent() -> None:
    assert wire.unsealed(BatchMessage, wire.sealed(BATCH)) == BATCH


@pytest.mark.parametrize("at", [0, 15, 16, 40, -1])
def test_a_message_with_one_changed_byte_is_refused(at: int) -> None:
    message = bytearray(wire.sealed(BATCH))
    message[at] ^= 1
    with pytest.raises(Garbled, match="does not have the digest"):
        wire.unsealed(BatchMessage, message)


@pytest.mark.parametrize("received", [None, "text", 3, {"outputs": 1}])
def test_what_is_no_bytes_is_refused(received: Any) -> None:
    with pytest.raises(Garbled, match="a message of bytes was expected, got"):
        wire.unsealed(Answer, received)


def test_a_message_of_another_kind_is_refused() -> None:
    content = encode((1, 2))
    with pytest.raises(Garbled, match="a message is no Answer"):
        wire.unsealed(Answer, digest(content) + content)


@pytest.mark.parametrize("seed", [None, Seed(3), Seed(2**80, (1, 2))])
def test_a_seed_travels_in_plain_values(seed: Seed | None) -> None:
    assert wire.unpacked_seed(wire.packed_seed(seed)) == seed
