"""`intemi completion`."""

from __future__ import annotations

import click


@click.command(
    epilog="""\b
Examples:
  intemi completion bash >> ~/.bashrc
  intemi completion zsh >> ~/.zshrc
  intemi completion fish > ~/.config/fish/completions/intemi.fish"""
)
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def command(shell: str) -> None:
    """Write the completion script of a shell."""
    from click.shell_completion import get_completion_class

    from intemi.cli.main import command as whole

    script = get_completion_class(shell)
    assert script is not None
    click.echo(script(whole, {}, "intemi", "_INTEMI_COMPLETE").source())
