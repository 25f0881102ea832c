"""`tablectl settle`: rounds in, settlements out, one JSON object per line."""

import io
import os
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import BinaryIO, Final, NoReturn, Protocol

import click

from tablectl.cli.language import here, said, unreadable, why_not
from tablectl.core.forms import FormError
from tablectl.core.settle import SettledLine, Settler, error_line, settle_line
from tablectl.shell.rules import RulesError, settlers
from tablectl.words.reason import why

CHUNK: Final = 1 << 16
LINE_MAX: Final = 1 << 24
"""Bytes in a line. A real round has thousands; the bound keeps a file without line ends out of memory."""

BOM: Final = b"\xef\xbb\xbf"
BLANK: Final = b" \t\r"
"""What JSON takes for a blank inside a line; a form feed is none."""

UNREADABLE: Final = 2
ENDED_BY_PIPE: Final = 128 + 13
"""What a shell reports of a program that SIGPIPE ended."""


class Source(Protocol):
    """What lines are read from: `read1` gives what has arrived, and waits only where nothing has."""

    def read1(self, size: int, /) -> bytes:
        """At most `size` bytes; none at the end."""
        ...


@click.command()
@click.argument("file", default="-", type=click.Path(allow_dash=True))
@click.pass_context
def settle(ctx: click.Context, file: str) -> None:
    """Settles rounds, one JSON line for each. JSON Lines come in from FILE or standard input.

    Exit status: 0 all settled, 1 at least one error line, 2 the file can't be read, 74 the output can't be written.
    """
    try:
        with _opened(file) as source:
            ctx.exit(0 if settle_all(Asked(source), sys.stdout.buffer) else 1)
    except BrokenPipeError:
        _forget_the_output()
        ctx.exit(ENDED_BY_PIPE)
    except UnreadError as error:
        _leave(unreadable(file if file != "-" else said("settle.standard_input", here()), error.why), UNREADABLE)
    except RulesError as error:
        _leave(why_not(error), UNREADABLE)
    except OSError as error:
        _forget_the_output()
        output = said("settle.standard_output", here())
        _leave(said("error.unwritable", here(), path=output, why=why(error, here())), os.EX_IOERR)


class UnreadError(Exception):
    """The input can't be read; ``why`` is the system's own error."""

    def __init__(self, why: OSError) -> None:
        super().__init__(str(why))
        self.why = why


@dataclass(frozen=True, slots=True)
class Asked:
    """The input, whose errors are told from those of the output."""

    source: Source

    def read1(self, size: int, /) -> bytes:
        """As the source's own.

        Raises:
            UnreadError: it can't be read.
        """
        try:
            return self.source.read1(size)
        except OSError as error:
            raise UnreadError(error) from None


def _opened(file: str) -> io.BufferedReader:
    try:
        return open(0, "rb", closefd=False) if file == "-" else open(file, "rb")  # noqa: PTH123  # closed by the caller
    except OSError as error:
        raise UnreadError(error) from None


def _forget_the_output() -> None:
    """The interpreter flushes standard output once more at its end."""
    sys.stdout = open(os.devnull, "w")  # noqa: PTH123, SIM115


def _leave(message: str, code: int) -> NoReturn:
    click.echo(f"tablectl settle: {message}", err=True)
    raise SystemExit(code)


def settle_all(source: Source, target: BinaryIO) -> bool:
    """Settles until the source ends; what has arrived is answered before more is waited for.

    Returns:
        Whether every round was settled.
    """
    games = settlers()
    all_settled = True
    for lines in batches(source):
        answers = [answer for number, line in lines if (answer := _answer(number, line, games))]
        all_settled = all_settled and all(answer.settled for answer in answers)
        target.write("".join(f"{answer.text}\n" for answer in answers).encode("ascii"))
        target.flush()
    return all_settled


def _answer(number: int, line: bytes, games: Mapping[str, Settler]) -> SettledLine | None:
    """The answer to one line; None for a blank one."""
    if len(line) > LINE_MAX:
        return error_line(number, FormError("", f"the line is longer than {LINE_MAX} bytes"))
    if number == 1:
        line = line.removeprefix(BOM)
    return settle_line(line, number, games) if line.strip(BLANK) else None


Lines = list[tuple[int, bytes]]


def batches(source: Source) -> Iterator[Lines]:
    """The complete lines in each piece that arrives, numbered from 1; a last line may lack its end.

    Of a line that is too long one byte more than allowed is kept.
    """
    number, rest = 1, bytearray()
    while piece := source.read1(CHUNK):
        first, *others = piece.split(b"\n")
        rest += first[: LINE_MAX + 1 - len(rest)]
        if not others:
            continue
        lines = [bytes(rest), *others[:-1]]
        yield list(enumerate(lines, number))
        number += len(lines)
        rest = bytearray(others[-1])
    if rest:
        yield [(number, bytes(rest))]
