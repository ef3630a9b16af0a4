"""Knowledge bases as ASlib scenarios, the format of the algorithm selection library: a folder of text files.

Instances are data sets, algorithms are configurations, repetitions are splits, and features are meta-features. Only
`description.txt` (YAML), `algorithm_runs.arff` and `feature_values.arff` are read; `feature_runstatus.arff` and a
`readme.txt` are written as well, as the format asks for. See https://github.com/coseal/aslib-spec.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from intemi.data.errors import DataError, listed, shown
from intemi.data.quoting import pattern, quoted, value_at
from intemi.data.texts import decoded, file_bytes
from intemi.machines.interfaces import Floats
from intemi.machines.meta_learning.knowledge_base import KnowledgeBase
from intemi.machines.meta_learning.knowledge_entries import configuration_of, name_in_file
from intemi.machines.meta_learning.long_form import Run, base_of_runs
from intemi.whole_files import write_whole

STEP = "all"
"""The one step in which all meta-features are computed."""
STATUS = "{ok,timeout,memout,not_applicable,crash,other}"
FEATURE_STATUS = "{ok,timeout,memout,presolved,crash,unknown,other}"
README = """{scenario}: results of learning machines on data sets, written by intemi.

An instance is a data set, an algorithm is a configuration, a repetition is a split: repetitions of one number are on
the same split for all algorithms. Runs whose status is "other" were never made; their value is the lowest of the data
set, because the format allows no missing ones.
"""
_VALUE = pattern(",")


def write_aslib(base: KnowledgeBase, folder: str | os.PathLike[str], scenario: str, measure: str = "accuracy") -> None:
    """Write a knowledge base as a scenario: all results of the measure, of which the highest are best."""
    target = Path(folder)
    target.mkdir(parents=True, exist_ok=True)
    measures = [measure] if base.seconds is None else [measure, "seconds"]
    algorithms = [name_in_file(each) for each in base.configurations]
    write_whole(target / "readme.txt", README.format(scenario=scenario))
    write_whole(target / "description.txt", _description(base, scenario, measures, algorithms))
    attributes = [*((name, "NUMERIC") for name in measures), ("runstatus", STATUS)]
    runs = _rows_of_runs(base, algorithms)
    head = [("instance_id", "STRING"), ("repetition", "NUMERIC")]
    _write(target, "algorithm_runs", scenario, [*head, ("algorithm", "STRING"), *attributes], runs)
    features = [*head, *((name, "NUMERIC") for name in base.described_by)]
    table = np.zeros((len(base.data_sets), 0)) if base.descriptions is None else base.descriptions
    values = ([name, "1", *map(_text, row)] for name, row in zip(base.data_sets, table, strict=True))
    _write(target, "feature_values", scenario, features, values)
    steps = [(STEP, FEATURE_STATUS)] if base.described_by else []
    status = ([name, "1", *["ok"] * len(steps)] for name in base.data_sets)
    _write(target, "feature_runstatus", scenario, [*head, *steps], status)


def read_aslib(folder: str | os.PathLike[str], measure: str | None = None) -> KnowledgeBase:
    """The knowledge base of a scenario: one of its measures, by default the first.

    Runs that are not ok are not known. Of a measure that is to be minimized the results are negative, so that the
    highest are best. A measure of the type runtime beside it says what runs took.
    """
    source = Path(folder)
    measures = _measures(source / "description.txt")
    chosen = next(iter(measures)) if measure is None else measure
    if chosen not in measures:
        raise DataError(str(source), None, f"the measure {chosen!r}", f"one of {listed(measures)}")
    sign = 1.0 if measures[chosen][0] else -1.0
    runtime = next((name for name, (_, kind) in measures.items() if kind == "runtime" and name != chosen), None)
    base = base_of_runs(str(source / "algorithm_runs.arff"), _runs(source, chosen, sign, runtime))
    names, values = _features(source / "feature_values.arff")
    table = np.array([values.get(name, [np.nan] * len(names)) for name in base.data_sets]) if names else None
    return KnowledgeBase(base.data_sets, base.configurations, base.results, base.seconds, table, tuple(names))


def _description(base: KnowledgeBase, scenario: str, measures: Sequence[str], algorithms: Sequence[str]) -> str:
    import yaml

    features = list(base.described_by)
    described = {
        "scenario_id": scenario,
        "performance_measures": list(measures),
        "maximize": [name != "seconds" for name in measures],
        "performance_type": ["runtime" if name == "seconds" else "solution_quality" for name in measures],
        "algorithm_cutoff_time": "?",
        "algorithm_cutoff_memory": "?",
        "features_cutoff_time": "?",
        "features_cutoff_memory": "?",
        "algorithms_deterministic": [],
        "algorithms_stochastic": list(algorithms),
        "number_of_feature_steps": 1 if features else 0,
        "feature_steps": {STEP: {"provides": features}} if features else {},
        "default_steps": [STEP] if features else [],
        "features_deterministic": list(features),
        "features_stochastic": [],
    }
    text: str = yaml.safe_dump(described, sort_keys=False, allow_unicode=True, width=10_000)
    return text


def _rows_of_runs(base: KnowledgeBase, algorithms: Sequence[str]) -> Iterator[list[str]]:
    splits = base.results.shape[2]
    for row, data_set in enumerate(base.data_sets):
        known = base.results[row][~np.isnan(base.results[row])]
        lowest = float(known.min()) if len(known) else 0.0
        for column, algorithm in enumerate(algorithms):
            for split in range(splits):
                value = float(base.results[row, column, split])
                is_known = not np.isnan(value)
                cells = [data_set, str(split + 1), algorithm, repr(value if is_known else lowest)]
                if base.seconds is not None:
                    seconds = base.seconds[row, column] / splits
                    cells.append(repr(0.0 if np.isnan(seconds) else float(seconds)))
                yield [*cells, "ok" if is_known else "other"]


def _write(
    folder: Path, name: str, scenario: str, attributes: Sequence[tuple[str, str]], rows: Iterator[list[str]]
) -> None:
    lines = [f"@RELATION {quoted(f'{name.upper()}_{scenario}')}", ""]
    lines += [f"@ATTRIBUTE {quoted(label)} {kind}" for label, kind in attributes]
    lines += ["", "@DATA", *(",".join(cell if cell == "?" else quoted(cell) for cell in row) for row in rows), ""]
    write_whole(folder / f"{name}.arff", "\n".join(lines))


def _measures(file: Path) -> dict[str, tuple[bool, str]]:
    """Of each measure whether it is to be maximized, and its type."""
    import yaml

    try:
        described = yaml.safe_load(decoded(file_bytes(str(file)), str(file), "utf-8"))
    except yaml.YAMLError as error:
        raise DataError(str(file), None, str(error).partition("\n")[0], "YAML") from None
    if not isinstance(described, dict):
        raise DataError(str(file), None, type(described).__name__, "YAML with performance_measures")
    fields = [_listed(described.get(name)) for name in ("performance_measures", "maximize", "performance_type")]
    if not fields[0] or len({len(each) for each in fields}) > 1:
        counts = ", ".join(str(len(each)) for each in fields)
        raise DataError(
            str(file), None, f"{counts} entries", "as many in performance_measures, maximize, performance_type"
        )
    return {
        str(name): (maximize is True or str(maximize).lower() == "true", str(kind))
        for name, maximize, kind in zip(*fields, strict=True)
    }


def _listed(value: Any) -> list[Any]:
    """A list; older scenarios write names in one line, divided by commas."""
    if isinstance(value, list):
        return value
    return [part.strip() for part in str("" if value is None else value).split(",") if part.strip()]


def _runs(folder: Path, measure: str, sign: float, runtime: str | None) -> Iterator[Run]:
    file = str(folder / "algorithm_runs.arff")
    for line, row in _rows(file, ["instance_id", "repetition", "algorithm", measure, "runstatus"]):
        is_ok = row["runstatus"].lower() == "ok"
        value = sign * _number(file, line, measure, row[measure]) if is_ok else float("nan")
        seconds = _number(file, line, runtime, row[runtime]) if is_ok and runtime is not None else float("nan")
        split = re.sub(r"\.0*$", "", row["repetition"])
        yield Run(row["instance_id"], configuration_of(row["algorithm"]), split, value, seconds)


def _features(path: Path) -> tuple[list[str], dict[str, Floats]]:
    """The names of features, and their means over the repetitions of each instance."""
    if not path.exists():
        return [], {}
    file, found, names = str(path), {}, []
    collected: dict[str, list[list[float]]] = {}
    for line, row in _rows(file, ["instance_id", "repetition"]):
        names = [name for name in row if name not in ("instance_id", "repetition")]
        collected.setdefault(row["instance_id"], []).append([_number(file, line, name, row[name]) for name in names])
    for instance, repeated in collected.items():
        known = np.array(repeated)
        counts = (~np.isnan(known)).sum(axis=0)
        found[instance] = np.where(counts > 0, np.nansum(known, axis=0) / np.maximum(counts, 1), np.nan)
    return names, found


def _rows(file: str, needed: Sequence[str]) -> Iterator[tuple[int, dict[str, str]]]:
    """The rows of an ARFF file of texts and numbers, with their lines: names of attributes and what is written."""
    names: list[str] = []
    is_data = False
    for number, line in enumerate(decoded(file_bytes(file), file, "utf-8").decode("utf-8").splitlines(), 1):
        text = line.strip()
        if not text or text.startswith("%"):
            continue
        if is_data:
            cells = _cells(file, number, text)
            if len(cells) != len(names):
                raise DataError(file, number, f"{len(cells)} cells", f"{len(names)}, one for each attribute")
            yield number, dict(zip(names, cells, strict=True))
        elif text.lower().startswith("@attribute"):
            name = value_at(pattern(" \t"), text, len("@attribute") + _blanks(text[len("@attribute") :]), file, number)
            names.append(name.content)
        elif text.lower().startswith("@data"):
            is_data = True
            if missing := [each for each in needed if each not in names]:
                raise DataError(file, number, f"the attributes {listed(names)}", f"one that is called {missing[0]!r}")
    if not is_data:
        raise DataError(file, None, "no @DATA", "the rows of an ARFF file after @DATA")


def _blanks(text: str) -> int:
    return len(text) - len(text.lstrip(" \t"))


def _cells(file: str, line: int, text: str) -> list[str]:
    cells, at = [], 0
    while True:
        value = value_at(_VALUE, text, at, file, line)
        cells.append(value.content)
        if value.stop != ",":
            return cells
        at = value.next


def _number(file: str, line: int, name: str, text: str) -> float:
    try:
        return float("nan") if text == "?" else float(text)
    except ValueError:
        raise DataError(file, line, shown(text), f"a number for {name}") from None


def _text(number: float) -> str:
    return "?" if np.isnan(number) else repr(float(number))
