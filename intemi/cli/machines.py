"""`intemi machines`."""

from __future__ import annotations

import textwrap
from typing import Any

import click

from intemi.cli.opening import import_option, json_option, write_json


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
    from intemi.experiments.catalogue import entries
    from intemi.experiments.describing import by_kind, of_kind, plain_description
    from intemi.experiments.errors import near
    from intemi.kernel.errors import ConfigurationError

    kinds = by_kind()
    if name is None or name.lower() in map(str.lower, kinds):
        chosen = {kind: found for kind, found in kinds.items() if name is None or kind.lower() == name.lower()}
        if as_json:
            write_json([plain_description(entry) for found in chosen.values() for entry in found])
            return
        for kind, found in chosen.items():
            click.secho(kind, bold=True)
            for entry in found:
                click.echo(_line(entry.name, entry.summary))
            click.echo()
        if name is None:
            click.echo("`intemi machines NAME` describes one of them.")
        return
    known = entries()
    if name not in known:
        raise ConfigurationError(f"no machine or component is called {name!r}; {near(name, known)}")
    if as_json:
        write_json(plain_description(known[name]))
        return
    if known[name].is_abstract:
        click.echo(f"{known[name].description}\n\nOf this kind: {', '.join(of_kind(known[name]))}")
        return
    _describe(plain_description(known[name]))


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
