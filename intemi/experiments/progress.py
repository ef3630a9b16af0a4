"""Progress of requests: bars in a terminal and in notebooks, plain lines in logs, nothing where nothing is wanted.

A display is drawn a few times a second whatever happens, so it costs the same for ten machines and for a million.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from importlib import import_module
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal, Self, TextIO

from intemi.experiments.tally import Branch, Tally, tally
from intemi.kernel.capsule import Capsule
from intemi.kernel.project import Project
from intemi.series.display import printable

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

How = Literal["auto", "bars", "lines", "none"]
BARS_PER_SECOND = 4
SECONDS_PER_PAGE = 0.5
"""In a notebook, where every display travels to a browser."""
SECONDS_PER_LINE = 10.0
MOST_HOSTS = 3
"""Hosts of a cluster that are named: those that have run most."""
MOST_BARS = 12
"""Branches that are shown at once: those on their way first, then the last that are done."""


class Progress:
    """Show how far requests of a project are, as long as the `with` block lasts.

    "auto" draws bars where somebody watches (a terminal, a notebook) and writes lines elsewhere.

    >>> from intemi.machines import SklearnDataset
    >>> with Project() as project, Progress(project, how="lines", file=sys.stdout) as progress:
    ...     progress.expect("flowers")
    ...     done = progress.watch("flowers", project.request(SklearnDataset("iris"), name="flowers")).wait()
    1 of 1 done, 1 run, 0 unified, 0 failed
    """

    def __init__(self, project: Project, how: How = "auto", file: TextIO | None = None) -> None:
        self.how = _settled(how, file or sys.stderr)
        self._file = file or sys.stderr
        self._live: Any = None
        self._page: Any = None
        self._ticker: threading.Thread | None = None
        self._ended = threading.Event()
        self._said = ""
        self.tally: Tally = Tally() if self.how == "none" else tally(project)

    def expect(self, name: str, parts: int | None = None) -> None:
        """Announce a request that is going to be made, and how many machines it will request directly."""
        self.tally.add(name, parts)

    def watch(self, name: str, capsule: Capsule) -> Capsule:
        """Watch a request that was made under that name."""
        self.tally.see(name, capsule)
        return capsule

    def __enter__(self) -> Self:
        if self.how == "bars" and in_notebook():
            display: Any = import_module("IPython.display").display
            self._page = display(self._shownin_notebook(), raw=True, display_id=True)
            self._start(SECONDS_PER_PAGE, self._turn)
        elif self.how == "bars":
            from rich.console import Console
            from rich.live import Live

            console = Console(file=self._file)
            self._live = Live(
                get_renderable=lambda: self.rendered(console), console=console, refresh_per_second=BARS_PER_SECOND
            )
            self._live.start()
        elif self.how == "lines":
            self._start(SECONDS_PER_LINE, self._say)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._ended.set()
        if self._live is not None:
            self._live.stop()
        if self._ticker is not None:
            self._ticker.join()
        if self._page is not None:
            self._turn()
        elif self.how == "lines" and self.line() != self._said:
            self._say()

    def _start(self, seconds: float, show: Callable[[], None]) -> None:
        """Show how far it is every so often, until it has ended."""

        def tick() -> None:
            while not self._ended.wait(seconds):
                show()

        self._ticker = threading.Thread(target=tick, daemon=True, name="progress")
        self._ticker.start()

    # Plain lines

    def _say(self) -> None:
        self._said = self.line()
        print(printable(self._said), file=self._file, flush=True)

    def line(self) -> str:
        """How far it is, in one line."""
        done = sum(branch.is_done for branch in self.tally.branches.values())
        totals = self.tally.totals
        text = (
            f"{done} of {len(self.tally.branches)} done, {_counts(totals['run'], totals['unified'], totals['failed'])}"
        )
        text += self._hosts(", ")
        left = self.tally.seconds_left
        running = self.tally.now_running()
        if done < len(self.tally.branches) and left is not None:
            text += f", about {_time(left)} left"
        return f"{text}, running {running[0]}" if running and not self._ended.is_set() else text

    # Bars

    def _turn(self) -> None:
        self._page.update(self._shownin_notebook(), raw=True)

    def _shownin_notebook(self) -> dict[str, str]:
        """The display as HTML, and as text for what keeps or shows no HTML."""
        import io

        from rich.console import Console

        console = Console(
            record=True, file=io.StringIO(), width=100, height=30, force_jupyter=False, color_system="truecolor"
        )
        console.print(self.rendered(console))
        frame = '<pre style="line-height:normal">{code}</pre>'
        page = console.export_html(inline_styles=True, code_format=frame, clear=False)
        return {"text/html": page, "text/plain": console.export_text()}

    def rendered(self, console: Console) -> RenderableType:
        """The display as it is now."""
        from rich.console import Group
        from rich.progress_bar import ProgressBar
        from rich.table import Table
        from rich.text import Text

        table = Table.grid(padding=(0, 2), expand=False)
        for branch in self._shown(max(3, min(MOST_BARS, console.height - 5))):
            share = branch.share
            bar = ProgressBar(
                total=1.0,
                completed=share or 0.0,
                width=20,
                pulse=share is None and branch.requested > 0,
                complete_style="cyan",
                finished_style="red" if branch.ended == "failed" else "green",
            )
            style = "red" if branch.ended == "failed" else "dim" if branch.is_done else ""
            table.add_row(
                Text(printable(branch.name), style=style, overflow="ellipsis", no_wrap=True),
                bar,
                Text(_counts(branch.run, branch.unified, branch.failed), style="red" if branch.failed else "dim"),
            )
        return Group(table, Text(self._summary()), Text(self._running(console.width), style="dim", no_wrap=True))

    def _shown(self, most: int) -> list[Branch]:
        every = list(self.tally.branches.values())
        going = [branch for branch in every if not branch.is_done and branch.run]
        waiting = [branch for branch in every if not branch.is_done and not branch.run]
        done = [branch for branch in every if branch.is_done]
        room = max(0, most - len(going))
        chosen = [*going[:most], *(done[-room:] if room else []), *waiting[: max(0, room - len(done))]]
        return [branch for branch in every if branch in chosen]

    def _summary(self) -> str:
        totals, seconds = self.tally.totals, self.tally.seconds
        done = sum(branch.is_done for branch in self.tally.branches.values())
        rate = totals["run"] / seconds if seconds > 0 else 0.0
        left = self.tally.seconds_left
        told = "" if left is None or done == len(self.tally.branches) else f" · about {_time(left)} left"
        hosts = self._hosts(" · ")
        return f"{done}/{len(self.tally.branches)} done · {_time(seconds)} · {rate:,.0f} machines/s{hosts}{told}"

    def _hosts(self, separator: str) -> str:
        """How many leaves have run on which hosts, if there is a cluster."""
        found = [f"{run:,} on {host}" for host, run in self.tally.busiest_hosts(MOST_HOSTS)]
        more = len(self.tally.hosts) - len(found)
        return "".join([separator, ", ".join(found), f" and {more} more" if more > 0 else ""]) if found else ""

    def _running(self, width: int) -> str:
        running = list(map(printable, self.tally.now_running()))
        return f"running {'; '.join(running[:3])}"[: max(10, width - 1)] if running else ""


def _settled(how: How, file: TextIO) -> How:
    if how != "auto":
        return how
    return "bars" if file.isatty() or in_notebook() else "lines"


def in_notebook() -> bool:
    """Whether a notebook shows what is displayed."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return shell is not None and type(shell).__name__ == "ZMQInteractiveShell"


def _counts(run: int, unified: int, failed: int) -> str:
    return f"{run:,} run, {unified:,} unified, {failed:,} failed"


def _time(seconds: float) -> str:
    if seconds < 60:
        return f"{seconds:.0f} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes}:{rest:02} min" if minutes < 60 else f"{minutes // 60}:{minutes % 60:02} h"
