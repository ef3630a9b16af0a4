"""`intemi machines`."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from typing import Any

import click

from intemi.cli.opening import import_option, json_option, write_json
from intemi.kernel.errors import ConfigurationError


@click.command(
    epilog="""\b
Examples:
  intemi machines                   everything that there is, by kind
  intemi machines learners          one kind
  intemi machines SVM               one machine: its ports and parameters
  intemi machines --json            for programs"""
)
@click.argument("name", required=False)
@import_option
@json_option
def command(name: str | None, as_json: bool) -> None:
    """List machines, components and algorithms, or describe one, as their classes declare themselves."""
    from intemi.experiments.catalogue import entries, full_name
    from intemi.experiments.describing import by_kind, of_kind, other_names, plain_description
    from intemi.experiments.errors import near

    kinds, others = by_kind(), other_names()
    if name is None or name.lower() in map(str.lower, kinds):
        chosen = {kind: found for kind, found in kinds.items() if name is None or kind.lower() == name.lower()}
        if as_json:
            write_json([plain_description(entry) for found in chosen.values() for entry in found])
            return
        for kind, found in chosen.items():
            _list(kind, {entry.name: entry.summary for entry in found})
        if name is None:
            for kind in others:
                _list(kind, others[kind])
            click.echo("`intemi machines NAME` describes one of them.")
        return
    known = entries()
    name = full_name(name, known)
    if name not in known:
        _show_other(name, others, as_json, near(name, known))
        return
    if as_json:
        write_json(plain_description(known[name]))
        return
    if known[name].is_abstract:
        click.echo(f"{known[name].description}\n\nOf this kind: {', '.join(of_kind(known[name]))}")
        return
    _describe(plain_description(known[name]))


def _show_other(name: str, others: Mapping[str, Mapping[str, str]], as_json: bool, hint: str) -> None:
    """Show a kind of what is no machine, or one of that kind; refuse a name of nothing."""
    chosen = {kind: found for kind, found in others.items() if kind.lower() == name.lower()}
    chosen = chosen or {kind: {name: found[name]} for kind, found in others.items() if name in found}
    if not chosen:
        raise ConfigurationError(f"no machine or component is called {name!r}; {hint}")
    if as_json:
        write_json(
            [{"name": each, "kind": k, "description": d} for k, found in chosen.items() for each, d in found.items()]
        )
        return
    for kind, found in chosen.items():
        _list(kind, found)


def _list(kind: str, summaries: Mapping[str, str]) -> None:
    click.secho(kind, bold=True)
    for name, summary in summaries.items():
        click.echo(_line(name, summary))
    click.echo()


def _line(name: str, summary: str) -> str:
    text = f"  {name:26} {summary}"
    return text if len(text) <= 110 else f"{text[:109]}…"


def _describe(described: dict[str, Any]) -> None:
    click.secho(f"{described['name']}", bold=True, nl=False)
    click.echo(f" ({described['is']}, {described['kind']})\n")
    click.echo(described["description"])
    for label in ("takes", "gives"):
        if described[label]:
            click.echo(f"\n{label.capitalize()} {', '.join(described[label])}", nl=False)
    if described["takes"] or described["gives"]:
        click.echo()
    click.echo("\nParameters" if described["parameters"] else "\nIt has no parameters.")
    for each in described["parameters"]:
        words = [each["type"], each["range"], "required" if each["required"] else f"by default {each['default']}"]
        words += [f"searched among {each['search']}"] if each["search"] else []
        click.echo(f"  {each['name']}: {', '.join(filter(None, words))}")
        if each["description"]:
            click.echo(textwrap.indent(textwrap.fill(each["description"], 100), "      "))
    given = ", ".join(f"{each['name']}: …" for each in described["parameters"] if each["required"])
    click.echo(f"\nIn an experiment file: {{type: {described['name']}{', ' + given if given else ''}}}")
