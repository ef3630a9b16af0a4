"""Commentators that are attached to a request: they run as soon as it is done, on a thread of their own.

The request is answered before they begin, and stays so whatever becomes of them: what goes wrong is a warning.
"""

from __future__ import annotations

import threading
import warnings
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from intemi.kernel.composite import Wait
from intemi.kernel.timers import Timers

if TYPE_CHECKING:
    from intemi.kernel.capsule import Capsule
    from intemi.kernel.context import Context
    from intemi.kernel.line import AssemblyLine
    from intemi.kernel.repository.commentators import Commentator


class CommentatorWarning(UserWarning):
    """A commentator failed; the request that it was attached to did not."""


class Attached:
    """Runs commentators on everything under the requests that they are attached to, one request after another."""

    def __init__(self, line: AssemblyLine) -> None:
        self._line = line
        self._calls = Timers()
        self._unsaid: dict[threading.Event, Context] = {}

    def attach(self, capsule: Capsule, commentators: Sequence[Commentator]) -> threading.Event:
        """Run commentators when a request is done; the event is set when they have finished."""
        said = threading.Event()
        begin = partial(self._begin, capsule.context, tuple(commentators), said)
        with self._line.step():
            if not Wait((capsule,)).arm(begin):
                begin()
        return said

    def _begin(self, context: Context, commentators: tuple[Commentator, ...], said: threading.Event) -> None:
        if context.record is None:  # it was aborted, or has never begun
            said.set()
            return
        self._unsaid[said] = context
        self._calls.after(0, partial(self._speak, context, commentators, said))

    def _speak(self, context: Context, commentators: tuple[Commentator, ...], said: threading.Event) -> None:
        assert self._line.repository is not None
        try:
            for commentator in commentators:
                try:
                    self._line.repository.comment(commentator, context, None)
                except Exception as error:  # of a user's code, or of a store that cannot be used
                    text = f"{context.path}: {commentator.kind} failed: {type(error).__name__}: {error}"
                    warnings.warn(CommentatorWarning(text), stacklevel=2)
        finally:
            del self._unsaid[said]
            said.set()

    def unsaid_under(self, context: Context) -> list[threading.Event]:
        """The events of commentators that still speak of requests at or under a context that is done."""
        return [said for said, about in list(self._unsaid.items()) if about is context or _is_under(about, context)]

    def close(self) -> None:
        """Let them finish."""
        for said in list(self._unsaid):
            said.wait()


def _is_under(context: Context, other: Context) -> bool:
    above = context.parent
    while above is not None and above is not other:
        above = above.parent
    return above is other
