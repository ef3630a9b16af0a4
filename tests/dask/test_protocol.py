from __future__ import annotations

from typing import Any

import pytest

from intemi.dask.protocol import Answer, BatchMessage, sealed, unsealed
from intemi.kernel.encoding import digest, encode
from intemi.kernel.workers.contents import ProtocolError

BATCH = BatchMessage(((1, b"machine"),), {b"name": b"content"})


def test_a_message_arrives_as_it_was_sent() -> None:
    assert unsealed(BatchMessage, sealed(BATCH)) == BATCH


@pytest.mark.parametrize("at", [0, 15, 16, 40, -1])
def test_a_message_with_one_changed_byte_is_refused(at: int) -> None:
    message = bytearray(sealed(BATCH))
    message[at] ^= 1
    with pytest.raises(ProtocolError, match="does not have the digest"):
        unsealed(BatchMessage, message)


@pytest.mark.parametrize("received", [None, "text", 3, {"outputs": 1}])
def test_what_is_no_bytes_is_refused(received: Any) -> None:
    with pytest.raises(ProtocolError, match="a message of bytes was expected, got"):
        unsealed(Answer, received)


def test_a_message_of_another_kind_is_refused() -> None:
    content = encode((1, 2, 3))
    with pytest.raises(ProtocolError, match="a message is no Answer"):
        unsealed(Answer, digest(content) + content)
