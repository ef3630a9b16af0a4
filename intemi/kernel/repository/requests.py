"""Which requests of users a question starts at, if it names them or a run."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

from intemi.kernel.errors import ConfigurationError
from intemi.kernel.repository.runs import Run
from intemi.kernel.repository.tables import text

WhichRun = Run | int | Literal["all"] | None
"""The run whose requests are meant; all runs; None: for each name the latest request, in whichever run that is."""

_ON_PATH = "(?1 = roots.name OR substr(?1, 1, length(roots.name) + 1) = roots.name || '/')"
_NONE_LATER = "NOT EXISTS (SELECT 1 FROM roots AS later WHERE later.name = roots.name AND later.run {})"
_LATEST_IN_RUN = _NONE_LATER.format("= roots.run AND later.position > roots.position")
_LATEST = f"{_NONE_LATER.format('> roots.run')} AND {_LATEST_IN_RUN}"  # one comparison of pairs would not use the index


class Requests(NamedTuple):
    """Requests by the name that a path begins with; without a path, all of a run."""

    path: str | None
    run: int | Literal["all"] | None = None

    @property
    def condition(self) -> tuple[str, tuple[Any, ...]]:
        """What their rows in the table of requests fulfil, in SQL."""
        if self.path is None:
            return "roots.run = ?1", (self.run,)
        path = text(self.path)
        if self.run is None:
            return f"{_ON_PATH} AND {_LATEST}", (path,)
        if self.run == "all":
            return _ON_PATH, (path,)
        return f"{_ON_PATH} AND roots.run = ?2 AND {_LATEST_IN_RUN}", (path, self.run)

    def __str__(self) -> str:
        return f"{self.path!r} in " + ("this project" if type(self.run) is not int else f"run {self.run}")


def start_of(root: Any, run: WhichRun) -> Any:
    """Where a question starts: names and runs become `Requests`, a context stays as it is, None is everything."""
    number = run.number if isinstance(run, Run) else run
    if number is not None and number != "all" and type(number) is not int:
        raise ConfigurationError(f'query: run must be a run, its number or "all", got {run!r}')
    if root is None:
        return None if number in (None, "all") else Requests(None, number)
    if isinstance(root, str):
        return Requests(root, number)
    if run is not None:
        raise ConfigurationError(f"query: run says which request of a name is meant, got it with {root!r}")
    return Requests(None, root.number) if isinstance(root, Run) else root
