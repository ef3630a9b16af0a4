from __future__ import annotations

import threading
import warnings

import pytest

from intemi.dask.warned import ClusterWarning, warn


def test_a_warning_that_is_an_error_is_shown_and_the_thread_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[threading.ExceptHookArgs] = []
    monkeypatch.setattr(threading, "excepthook", shown.append)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warn("a worker is frozen")
    assert [(each.exc_type, str(each.exc_value)) for each in shown] == [(ClusterWarning, "a worker is frozen")]
