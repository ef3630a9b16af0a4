"""The figure that every picture is, drawn without pyplot: no global state, no window, safe on any thread."""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from io import BytesIO, StringIO
from typing import Any

from matplotlib import rcParams
from matplotlib.figure import Figure

from intemi.whole_files import write_whole

_FONTS: Mapping[Any, Any] = {"pdf.fonttype": 42, "ps.fonttype": 42, "svg.fonttype": "none"}
"""Texts are embedded as TrueType, which publishers ask for, and are texts in SVG: they can be found and edited."""
_SETTING = threading.RLock()


@contextmanager
def real_texts() -> Iterator[None]:
    """Figures that are written within have texts as texts; matplotlib has settings for that, but no arguments."""
    with _SETTING:
        former = {name: rcParams[name] for name in _FONTS}
        rcParams.update(_FONTS)
        try:
            yield
        finally:
            rcParams.update(former)


class Picture(Figure):
    """A figure of matplotlib that shows itself in notebooks.

    >>> Picture(figsize=(2, 1)).savefig(StringIO(), format="svg")
    """

    def savefig(self, fname: Any, **options: Any) -> None:
        """As of any figure; a file is written whole or not at all."""
        if not isinstance(fname, str | os.PathLike):
            with real_texts():
                super().savefig(fname, **options)
            return
        name, kind = os.fspath(fname), options.pop("format", None)
        if kind is None:
            kind = os.path.splitext(name)[1][1:] or self.canvas.get_default_filetype()
            name = name if name.endswith(f".{kind}") else f"{name}.{kind}"
        written = BytesIO()
        self.savefig(written, format=kind, **options)
        write_whole(name, written.getvalue())

    def _repr_png_(self) -> bytes:
        written = BytesIO()
        self.savefig(written, format="png", dpi=110)
        return written.getvalue()


def svg_of(figure: Figure) -> str:
    """A figure as SVG that can be put into a page of HTML as it is, beside others.

    Only what is referred to keeps its id: those of the rest would be there several times.

    >>> svg_of(Picture(figsize=(2, 1))).startswith("<svg")
    True
    """
    written = StringIO()
    figure.savefig(written, format="svg", metadata={"Date": None, "Creator": None})
    text = written.getvalue()
    used = set(re.findall(r'(?:href="#|url\(#)([^")]+)', text))
    return re.sub(r' id="([^"]*)"', lambda id: id[0] if id[1] in used else "", text[text.index("<svg") :])
