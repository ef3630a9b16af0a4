"""The numbers of the experiment with single trees: beside those of the book, and as tables in text."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import product

from configs.single_trees import DIRECT, SMALLER, VALIDATORS
from scripts.reproduction_charts import ALL_MARGINS, SHOWN, place_of, wins_within
from scripts.reproduction_claims import MARGINS, WEIGHTS
from scripts.reproduction_results import ALPHA, BY_KEY, Everything, Setting, Together, key


def numbers_of_the_book(everything: Everything) -> Iterator[str]:
    """The few numbers of the book that are known, beside ours."""
    full = key("none", "full")
    together = {setting: everything.together(setting) for setting in everything.settings}
    yield "## Numbers of the book\n"
    tasks = {setting: len(each.tasks) for setting, each in together.items()}
    by_seed = {setting.seed: count for setting, count in tasks.items()}
    counts = ", ".join(f"{count} tasks with seed {seed}" for seed, count in by_seed.items())
    yield f"All criteria, as far as they have finished: {counts}.\n"
    yield f"| | book | {' | '.join(map(str, together))} |"
    yield f"| --- | ---: |{' ---: |' * len(together)}"
    for what, book, name in (
        ("loss of the full tree", "-1.73", full),
        ("leaves of PEP, 1SE, in standard deviations of the oracle's", "2.56", key("direct", "PEP", "1SE")),
        ("leaves of EBP, 0SE", "4.96", key("direct", "EBP", "0SE")),
    ):
        numbers = [(each.loss if name == full else each.excess)[name] for each in together.values()]
        yield f"| {what} | {book} | {' | '.join(f'{number:.2f}' for number in numbers)} |"
    for what, book, name in (
        ("wins of multi OPT, 0SE, 0TE", "56 of 105, the most", key("multi", "OPT", "0SE", "0TE")),
        ("wins of the full tree", "35 of 105", full),
        ("wins of direct EBP, 1SE", "the second most", key("direct", "EBP", "1SE")),
        ("wins of multi OPT, 1SE, ½TE", "the third most", key("multi", "OPT", "1SE", "½TE")),
    ):
        ours = [f"{each.all_wins[name]} of {tasks[setting]}" for setting, each in together.items()]
        yield f"| {what} | {book} | {' | '.join(ours)} |"
    best = [max(each.all_wins, key=each.all_wins.__getitem__) for each in together.values()]
    most = [f"{name}: {each.all_wins[name]}" for name, each in zip(best, together.values(), strict=True)]
    yield f"| most wins | multi OPT 0SE 0TE | {' | '.join(most)} |\n"


def tables(everything: Everything) -> Iterator[str]:
    """All tables of the book, with one seed and one hold-out."""
    together = everything.together(SHOWN)
    wins, full = together.all_wins, key("none", "full")
    yield "## Tables\n"
    yield (
        f"The numbers of the charts: {', '.join(together.criteria)}, {len(together.tasks)} tasks, {SHOWN}. "
        "Rows are margins (standard errors, s: of the sample) and weights of training errors, columns methods. "
        "*single* is validation by a part held out, *multi* by inner cross-validation.\n"
    )
    quest = everything.of("QUEST", SHOWN)
    if quest is not None:
        of_quest = quest.all_wins
        yield from _grids("Wins with QUEST (5.3)", f"Of {len(quest.tasks)} tasks.", lambda name: str(of_quest[name]))
    tasks = len(together.tasks)
    text = f"Of {tasks} tasks, among all 145; {tasks * (len(BY_KEY) - 1):,} comparisons at the level {ALPHA:g}."
    yield from _grids("Wins (5.4)", text, lambda name: str(wins[name]))
    without = together.without_spread
    left_out = f" Left out, since the oracle has no spread: {', '.join(without)}." if without else ""
    yield from _grids(
        "Losses (5.5)",
        "Accuracy less the oracle's, in standard deviations of the oracle's, averaged over tasks." + left_out,
        lambda name: f"{together.loss[name]:.2f}",
    )
    yield from _grids(
        "Against the full tree (5.6)",
        "Wins, draws and losses over all tasks.",
        lambda name: "–" if name == full else str(together.against_full[name]),
    )
    yield from _sonar(everything)
    yield from _grids(
        "Leaves (5.10)",
        "Leaves more than the oracle's, in standard deviations of the oracle's, averaged over tasks.",
        lambda name: f"{together.excess[name]:.2f}",
    )
    yield from _wins_within(together, "direct", "5.9")
    for setting in (SHOWN, Setting(SMALLER, SHOWN.seed)):
        yield from _wins_within(everything.together(setting), "single", f"5.11, {setting.held_out} held out")
    yield from _wins_within(together, "multi", "5.12")
    yield from _ranks(together)


def _grids(title: str, text: str, cell: Callable[[str], str]) -> Iterator[str]:
    """One number of each of the 145 methods."""
    yield f"### {title}\n"
    yield f"{text} Full tree: {cell(key('none', 'full'))}; of the training part alone: {cell(key('single', 'full'))}.\n"
    yield from _grid("direct", (*DIRECT, "MDLP", "DIP"), MARGINS, ("0TE",), cell)
    yield from _grid("single", ("REP", *VALIDATORS), MARGINS, WEIGHTS, cell)
    yield from _grid("multi", tuple(VALIDATORS), ALL_MARGINS, WEIGHTS, cell)


def _grid(
    group: str, names: Sequence[str], margins: Sequence[str], weights: Sequence[str], cell: Callable[[str], str]
) -> Iterator[str]:
    yield f"| {group} | {' | '.join(names)} |"
    yield f"| --- |{' ---: |' * len(names)}"
    for se, te in product(margins, weights):
        known = [place_of(group, name, se, te) for name in names]
        cells = ["" if each is None else cell(each) for each in known]
        yield f"| {se if len(weights) == 1 else f'{se} {te}'} | {' | '.join(cells)} |"
    yield ""


def _wins_within(together: Together, group: str, book: str) -> Iterator[str]:
    """A row for each criterion (and weight), a column for each method and margin."""
    found = wins_within(together, group)
    weights = ("",) if group == "direct" else WEIGHTS
    names = tuple(DIRECT) if group == "direct" else tuple(VALIDATORS) if group == "multi" else ("REP", *VALIDATORS)
    columns = list(product(names, ALL_MARGINS if group == "multi" else MARGINS))
    yield f"### Wins among the {len(found['sum'])} of {group} alone ({book})\n"
    yield "Each criterion is a competition of its own: rows of different criteria must not be compared.\n"
    yield f"| | {' | '.join(f'{name} {se}' for name, se in columns)} |"
    yield f"| --- |{' ---: |' * len(columns)}"
    for criterion, te in product(found, weights):
        cells = [str(found[criterion][key(group, name, se, te)]) for name, se in columns]
        yield f"| {' '.join(filter(None, (criterion, te)))} | {' | '.join(cells)} |"
    yield ""


def _ranks(together: Together) -> Iterator[str]:
    ranked = list(together.ranks.items())
    yield "### Average ranks\n"
    yield (
        f"Of 145, over all tasks; Friedman's test: p = {together.friedman:.2g} (descriptive: tasks are not "
        "independent).\n"
    )
    yield "| the ten best | | the ten worst | |"
    yield "| --- | ---: | --- | ---: |"
    for (first, rank), (last, worst) in zip(ranked[:10], ranked[-10:], strict=True):
        yield f"| {first} | {rank:.1f} | {last} | {worst:.1f} |"
    full = key("none", "full")
    yield f"\nThe full tree is at {together.ranks[full]:.1f}, place {list(together.ranks).index(full) + 1}.\n"


def _sonar(everything: Everything) -> Iterator[str]:
    results = everything.of("IG", SHOWN)
    if results is None or "sonar" not in results.data_sets:
        return
    place = results.data_sets.index("sonar")

    def cell(name: str) -> str:
        accuracy, leaves = (results.numbers(name, label)[place] for label in ("Accuracy", "Leaves"))
        return f"{accuracy.mean() * 100:.1f} ± {accuracy.std(ddof=1) * 100:.1f}, {leaves.mean():.1f}"

    text = "Accuracy in percent, its standard deviation, and leaves; the book's best cells are above 75.5 %."
    yield from _grids("Sonar, information gain (5.7, 5.8)", text, cell)
