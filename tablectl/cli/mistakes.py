"""What is wrong with a command line, in the language of the house: click itself knows English only."""

from collections.abc import Sequence

import click

from tablectl.cli.language import said
from tablectl.words import Language
from tablectl.words.retold import retold

FAMILIES: Sequence[str] = ("cli.click", "cli.usage", "os")


def usage_told(error: click.UsageError, language: Language) -> str:
    """How the command is used, where its help is, and what is wrong."""
    lines: list[str] = []
    if error.ctx is not None:
        usage = error.ctx.get_usage().removeprefix("Usage: ")
        lines.append(said("click.usage", language, usage=usage))
        help_option = error.ctx.command.get_help_option(error.ctx)
        if help_option is not None:
            # The longest of its names, as click itself shows it.
            command = f"{error.ctx.command_path} {max(help_option.opts, key=len)}"
            lines.append(said("click.try", language, command=command))
        lines.append("")
    message = " ".join(error.format_message().split())
    return "\n".join([*lines, said("click.error", language, message=retold(message, language, *FAMILIES))])
