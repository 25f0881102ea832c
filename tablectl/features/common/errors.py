"""Errors of commands: one line, in the person's language, and an exit code."""

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from typing import NoReturn, cast

import click

from tablectl.features.common.language import said, why_not
from tablectl.features.common.output import write_lines
from tablectl.words import Language
from tablectl.words.reason import retold

FAMILIES: Sequence[str] = ("cli.click", "cli.usage", "os")
NOT_FOUND, UNREADABLE = 1, 2


def usage_text(error: click.UsageError, language: Language) -> str:
    """Return usage, the hint at `--help`, and the error, in a language.

    Of a group without a command it is the help. click itself has only English.
    """
    if isinstance(error, click.exceptions.NoArgsIsHelpError):
        return error.message
    lines: list[str] = []
    if error.ctx is not None:
        lines.append(error.ctx.get_usage())
        help_option = error.ctx.command.get_help_option(error.ctx)
        if help_option is not None:
            # The longest of its names, as click itself shows it.
            command = f"{error.ctx.command_path} {max(help_option.opts, key=len)}"
            lines.append(said("click.try", language, command=command))
        lines.append("")
    message = " ".join(error.format_message().split())
    return "\n".join([*lines, said("click.error", language, message=retold(message, language, *FAMILIES))])


@contextmanager
def leaving(command: str) -> Generator[None]:
    """Ends the process with one line where something can't be read or written."""
    from tablectl.config.errors import ConfigError
    from tablectl.history.export import ExportError
    from tablectl.journal.reading.rows import UnreadableError

    try:
        yield
    except (ConfigError, ExportError, UnreadableError) as error:
        leave(command, why_not(error), UNREADABLE)
    except OSError as error:
        if error.filename is None:
            raise  # it is the terminal's, or nobody reads on
        leave(command, why_not(error), UNREADABLE)


def first_of(error: BaseException) -> BaseException:
    """The first error in a group of groups; itself where it is none."""
    if isinstance(error, BaseExceptionGroup):
        return first_of(cast("BaseExceptionGroup[BaseException]", error).exceptions[0])
    return error


def leave(command: str, message: str, code: int) -> NoReturn:
    """Ends the process with this line."""
    write_lines(f"tablectl {command}: {message}", err=True)
    raise SystemExit(code)
