"""`tablectl settle`: rounds in, settlements out, one JSON object per line."""

import errno
import io
import json
import os
import select
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import BinaryIO, Final, NoReturn

import click

from tablectl.core.bets.settle import SettledLine, Settlers, error_line, settle_line
from tablectl.core.json_form import FormError
from tablectl.features.common.language import here, said, unreadable, why_not
from tablectl.features.common.output import write_lines
from tablectl.features.common.worker_processes import LostWorkerError, cores, in_order
from tablectl.journal.reading.rows import UnreadableError
from tablectl.rule_tables import RulesError, settlers
from tablectl.words.reason import why

CHUNK: Final = 1 << 16
CHUNK_FOR_JOBS: Final = 1 << 18
"""Bytes that one process settles at a time: more than a core does in the time of handing them over."""

JOBS_MAX: Final = 256
"""Processes that may be asked for: they all start before the first line is read."""

LINE_MAX: Final = 1 << 24
"""Bytes in a line. A real round has thousands; the bound keeps a file without line ends out of memory."""

BOM: Final = b"\xef\xbb\xbf"
BLANK: Final = b" \t\r"
"""What JSON takes for a blank inside a line; a form feed is none."""

SETTLED: Final = b'"mo.tablectl.round.settled.v1"'

UNREADABLE: Final = 2
ENDED_BY_PIPE: Final = 128 + 13
"""What a shell reports of a program that SIGPIPE ended."""


@click.command()
@click.argument("file", default="-", type=click.Path(allow_dash=True))
@click.option(
    "--jobs",
    type=click.IntRange(min=0, max=JOBS_MAX),
    default=1,
    is_flag=False,
    flag_value=0,
    metavar="N",
    help="Settle in N processes, without N in one for each core. The answers keep their order.",
)
@click.option(
    "--rules",
    "rule_table",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="A rule table to settle its game by, in place of the shipped one.",
)
@click.option(
    "--journal",
    "folder",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Settle the rounds of a state folder, a copy of it or an archive's, in place of FILE.",
)
@click.pass_context
def settle(ctx: click.Context, file: str, jobs: int, rule_table: Path | None, folder: Path | None) -> None:
    """Settles rounds, one JSON line for each.

    JSON Lines come in from FILE or standard input.

    Exit status: 0 all settled, 1 at least one error line, 2 the file or the rule table can't be read, 74 the output
    can't be written.
    """
    try:
        if sys.__stdout__ is None:  # closed before the start: settlements would go nowhere, and as if all were well
            raise OSError(errno.EBADF, os.strerror(errno.EBADF))
        settle_lines = partial(_settle_lines, settlers(rule_table))
        done = _settle_file(file, jobs, settle_lines) if folder is None else _settle_past(folder, settle_lines)
        ctx.exit(0 if done else 1)
    except BrokenPipeError:
        _forget_the_output()
        ctx.exit(ENDED_BY_PIPE)
    except UnreadError as error:
        _leave(unreadable(file if file != "-" else said("settle.standard_input", here()), error.why), UNREADABLE)
    except (RulesError, UnreadableError) as error:
        _leave(why_not(error), UNREADABLE)
    except LostWorkerError:
        _forget_the_output()
        _leave(said("settle.lost_process", here()), os.EX_SOFTWARE)
    except OSError as error:
        _forget_the_output()
        output = said("settle.standard_output", here())
        _leave(said("error.unwritable", here(), path=output, why=why(error, here())), os.EX_IOERR)


class UnreadError(Exception):
    """The input can't be read; `why` is the system's own error."""

    def __init__(self, why: OSError) -> None:
        super().__init__(str(why))
        self.why = why


def _piece(source: io.FileIO, size: int) -> bytes:
    """Return what has arrived of the input.

    Its errors are told from those of the output. Another program may have set it not to block: nothing yet isn't the
    end then.

    Raises:
        UnreadError: it can't be read.
    """
    try:
        while (piece := source.read(size)) is None:
            select.select([source], [], [])
    except OSError as error:
        raise UnreadError(error) from None
    return piece


def _settle_file(file: str, jobs: int, settle_lines: "Callable[[Lines], Answers]") -> bool:
    """Settle the lines of a file; True if every round was settled."""
    with _opened(file) as source:
        lines = batches(partial(_piece, source), CHUNK if jobs == 1 else CHUNK_FOR_JOBS)
        if jobs == 1:
            answers: Iterable[Answers] = map(settle_lines, lines)
        else:
            answers = in_order(settle_lines, lines, jobs or cores(), partial(_has_arrived, source))
        return _write(answers, sys.stdout.buffer)


def _settle_past(folder: Path, settle_lines: "Callable[[Lines], Answers]") -> bool:
    """Settle the rounds that were settled at a table once more; True if every one was.

    Raises:
        UnreadableError: they can't be read.
    """
    from tablectl.history.cold import open_past
    from tablectl.history.explain.steps import event_form

    with closing(open_past(folder)) as reader:
        settled = (row for row in reader.events() if row.topic == "event/round" and SETTLED in row.payload)
        rounds = (event_form(row).get("data", {}) for row in settled)
        lines = (json.dumps({name: each.get(name) for name in ("game", "rules", "round")}) for each in rounds)
        return _write((settle_lines([line]) for line in enumerate(map(str.encode, lines), 1)), sys.stdout.buffer)


def _opened(file: str) -> io.FileIO:
    try:
        return io.FileIO(0, closefd=False) if file == "-" else io.FileIO(file)
    except OSError as error:
        raise UnreadError(error) from None


def _forget_the_output() -> None:
    """The interpreter flushes standard output once more at its end."""
    sys.stdout = open(os.devnull, "w")  # noqa: PTH123, SIM115


def _leave(message: str, code: int) -> NoReturn:
    write_lines(f"tablectl settle: {message}", err=True)
    raise SystemExit(code)


Lines = list[tuple[int, bytes]]
"""Lines with their numbers, from 1."""

Answers = tuple[bytes, bool]
"""The output for some lines, and whether all of them were settled."""


def settle_all(source: io.BufferedIOBase, target: BinaryIO) -> bool:
    """Settle until the source ends.

    What has arrived is answered before more is waited for.

    Returns:
        True if every round was settled.
    """
    return _write(map(partial(_settle_lines, settlers()), batches(source.read1)), target)


def _write(answers: Iterable[Answers], target: BinaryIO) -> bool:
    all_settled = True
    for text, settled in answers:
        all_settled = all_settled and settled
        target.write(text)
        target.flush()
    return all_settled


def _settle_lines(games: Settlers, lines: Lines) -> Answers:
    answers = [answer for number, line in lines if (answer := _answer(number, line, games))]
    text = "".join([f"{answer.text}\n" for answer in answers])
    return text.encode("ascii"), all(answer.settled for answer in answers)


def _has_arrived(source: io.FileIO) -> bool:
    """Return True if the next piece can be read without waiting."""
    return bool(select.select([source], [], [], 0)[0])


def _answer(number: int, line: bytes, games: Settlers) -> SettledLine | None:
    """The answer to one line; None for a blank one."""
    if len(line) > LINE_MAX:
        return error_line(number, FormError("", f"the line is longer than {LINE_MAX} bytes"))
    if number == 1:
        line = line.removeprefix(BOM)
    return settle_line(line, number, games) if line.strip(BLANK) else None


def batches(read: Callable[[int], bytes], size: int = CHUNK) -> Iterator[Lines]:
    """Yield the complete lines in each piece that arrives, numbered from 1.

    A last line may lack its end. Of a line that is too long one byte more than allowed is kept.

    Args:
        read: returns what has arrived, at most so many bytes, and waits only where nothing has; none at the end.
        size: bytes that are read at a time.
    """
    number, rest = 1, bytearray()
    while piece := read(size):
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
