"""Pieces of HTML for reports and notebooks: texts are escaped, numbers stand to the right, long parts are folded.

What a notebook shows has no colours of its own but translucent ones: letters and background are those of the page, so
that it can be read in light and in dark.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from html import escape

NOTEBOOK_STYLE = """
.intemi { overflow-x: auto; line-height: 1.4; }
.intemi table { border-collapse: collapse; margin: .3em 0; font-variant-numeric: tabular-nums; }
.intemi th, .intemi td { padding: .15em .7em; text-align: left; white-space: nowrap; vertical-align: top;
  background: none; border: 0; border-bottom: 1px solid var(--jp-border-color2, rgba(128, 128, 128, .35)); }
.intemi thead th { border-bottom-width: 2px; } .intemi caption { text-align: left; opacity: .75; }
.intemi .number { text-align: right; } .intemi .best { font-weight: 700; } .intemi .best::after { content: "\\00a0*"; }
 .intemi .none { opacity: .6; }
.intemi .failed { border-left: 3px solid #d55e00; padding-left: .6em; } .intemi p { margin: .3em 0; }
.intemi summary { cursor: pointer; } .intemi details details { margin-left: 1.2em; }
.intemi .mark { display: inline-block; padding: 0 .5em; border-radius: .3em; }
.intemi .reuse { background: rgba(0, 158, 115, .3); } .intemi .run { background: rgba(0, 114, 178, .3); }
.intemi .maybe { background: rgba(230, 159, 0, .3); } .intemi .join { background: rgba(128, 128, 128, .3); }
 .intemi .text { white-space: normal; min-width: 16em; }
"""


class Markup(str):
    """Text that is HTML already, and is not escaped again.

    >>> table([], [["<b>", Markup("<b>bold</b>")]]).count("<b>")
    1
    """


def table(
    heads: Iterable[str],
    rows: Iterable[Iterable[str]],
    caption: str = "",
    *,
    numeric: Collection[int] = (),
    classes: Mapping[tuple[int, int], str] | None = None,
    titles: Mapping[tuple[int, int], str] | None = None,
) -> str:
    """A table in a box of its own, which scrolls if it is wide; all texts are escaped.

    `numeric` columns stand to the right; `classes` are those of single cells, and `titles` what they say to a pointer,
    by row and column.

    >>> table(["learner", "wins"], [["<b>", "3"]], numeric={1}).count('class="number"')
    2
    """
    kinds, told = classes or {}, titles or {}
    said = f"<caption>{escape(caption)}</caption>" if caption else ""
    head = "".join(_cell("th", text, _classes(column in numeric)) for column, text in enumerate(heads))
    lines = [
        "".join(
            _cell("td", text, _classes(column in numeric, kinds.get((number, column))), told.get((number, column)))
            for column, text in enumerate(row)
        )
        for number, row in enumerate(rows)
    ]
    body = "".join(f"<tr>{line}</tr>" for line in lines)
    names = f"<thead><tr>{head}</tr></thead>" if head else ""
    return f'<div class="wide"><table>{said}{names}<tbody>{body}</tbody></table></div>'


def folded(summary: str, body: str) -> Markup:
    """A part that is opened by a click.

    >>> folded("more", "<p>all of it</p>")
    '<details><summary>more</summary><p>all of it</p></details>'
    """
    said = summary if isinstance(summary, Markup) else escape(summary)
    return Markup(f"<details><summary>{said}</summary>{body}</details>")


def paragraph(text: str, kind: str = "") -> str:
    """A paragraph of text.

    >>> paragraph("a < b", "note")
    '<p class="note">a &lt; b</p>'
    """
    return f"<p{_named(kind)}>{escape(text)}</p>"


def for_notebook(*parts: str) -> str:
    """Parts as one piece of a notebook.

    >>> for_notebook("<p>done</p>").startswith('<div class="intemi">')
    True
    """
    return f'<div class="intemi"><style>{NOTEBOOK_STYLE}</style>{"".join(parts)}</div>'


def listed(names: Sequence[str], most: int = 4) -> str:
    """Names as a sentence has them; the rest of many are counted.

    >>> listed(["a"]), listed(["a", "b", "c"]), listed(["a", "b", "c", "d", "e"], most=2)
    ('a', 'a, b and c', 'a, b and 3 others')
    """
    shown = list(names) if len(names) <= most else [*names[:most], f"{len(names) - most} others"]
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"


def _cell(tag: str, text: str, kind: str, title: str | None = None) -> str:
    said = "" if title is None else f' title="{escape(title)}"'
    inner = text if isinstance(text, Markup) else escape(text)
    return f"<{tag}{_named(kind)}{said}>{inner}</{tag}>"


def _classes(is_numeric: bool, more: str | None = None) -> str:
    return " ".join(filter(None, ("number" if is_numeric else "", more)))


def _named(kind: str) -> str:
    return f' class="{kind}"' if kind else ""
