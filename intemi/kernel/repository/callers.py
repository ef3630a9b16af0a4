"""Errors in what the caller has given to a question, told from those of reading the index."""

from __future__ import annotations

from intemi.kernel.errors import IntemiError


class CallersError(IntemiError):
    """Carries an error of a function, qualifier or labeler of the caller's."""

    def __init__(self, error: Exception) -> None:
        super().__init__(str(error))
        self.error = error


def told_apart(error: Exception, raised_by: object) -> Exception:
    """What to raise for an error: one of the caller's code says nothing against the index.

    >>> told_apart(ValueError("no"), lambda item: True)
    CallersError('no')
    """
    is_ours = type(raised_by).__module__.partition(".")[0] == __name__.partition(".")[0]
    return error if is_ours or isinstance(error, IntemiError) else CallersError(error)
