"""`tablectl dev replay`."""

from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import click

from tablectl.edited_files import read_text
from tablectl.features.common.language import here, said, why_not
from tablectl.features.common.output import write_line, write_lines

if TYPE_CHECKING:
    from drivers.diagnostics.explain import Explainer
    from tablectl.history.captures import Line, Replay


@click.command()
@click.argument("capture", type=click.Path(path_type=Path))
@click.option("--against", type=click.Path(path_type=Path), help="Another capture, or the text that a replay printed.")
@click.option("--cards", is_flag=True, help="Name the cards, also those that lay face down.")
@click.option("--times/--no-times", default=True, help="With the time of each frame.")
def replay(capture: Path, against: Path | None, cards: bool, times: bool) -> None:
    """Runs captured bytes through today's codecs. Prints what they mean.

    CAPTURE is a file or the folder `capture` beside a journal. With --against only the first difference is printed.
    Cards are hidden without --cards: some of them never lay face up.

    Exit status: 0 read, 1 there is a difference, 65 it is no capture, 66 it can't be read.
    """
    from tablectl.history.captures import CaptureError, Replay, files_of, first_difference

    try:
        reading = Replay(lambda protocol, kind: _explainer(protocol, kind, cards=cards))
        lines = reading.lines(files_of(capture))
        if against is not None:
            other = _expected(against, cards=cards)
            if difference := first_difference((line.text for line in lines), other):
                _leave(difference, 1)
            write_line(said("replay.same", here()))
            return
        _print(lines, reading, capture, times=times)
    except CaptureError as error:
        _leave(f"tablectl dev replay: {why_not(error)}", 65)
    except UnicodeDecodeError:
        _leave(f"tablectl dev replay: {said('replay.no_text', here(), path=against)}", 65)
    except OSError as error:
        if error.filename is None:
            raise  # it is the terminal's, or nobody reads on
        _leave(f"tablectl dev replay: {why_not(error)}", 66)
    for device, count in reading.rejected.items():
        write_line(said("replay.rejected", here(), device=device, count=count), err=True)
    if reading.lost:
        write_line(said("replay.lost", here(), count=reading.lost), err=True)


def _print(lines: "Iterator[Line]", reading: "Replay", capture: Path, *, times: bool) -> None:
    from tablectl.history.captures import CaptureError

    first = next(lines, None)
    if first is None and not reading.rejected and capture.is_file() and capture.stat().st_size:
        raise CaptureError(f"{capture}: no whole line of a capture is in it")
    for line in chain([first] if first else [], lines):
        write_line(line.stamped if times else line.text)


def _explainer(protocol: str, kind: str, *, cards: bool) -> "Explainer":
    from drivers.diagnostics.explain import explainer

    return explainer(protocol, kind if protocol == "link" else "", cards=cards)


def _expected(path: Path, *, cards: bool) -> Iterator[str]:
    """The lines of a capture, or of a text that a replay printed without times."""
    from tablectl.history.captures import Replay, files_of

    if path.is_dir() or path.suffix == ".jsonl":
        reading = Replay(lambda protocol, kind: _explainer(protocol, kind, cards=cards))
        yield from (line.text for line in reading.lines(files_of(path)))
    else:
        yield from read_text(path).splitlines()


def _leave(message: str, code: int) -> NoReturn:
    write_lines(message, err=True)
    raise SystemExit(code)
