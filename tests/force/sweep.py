"""A small table struck at one system call after another, brought back, and judged."""

import json
import multiprocessing
import os
import shutil
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from multiprocessing.context import ForkServerContext
from pathlib import Path
from typing import Final

from tests.force import tracer
from tests.force.crashes import whole_lines
from tests.force.judge import Judge
from tests.force.small import Form, Hold, Job, main, said
from tests.force.tracer import Call
from tests.support.patience import PATIENCE_S

SLOW_US: Final = 40_000
KILLED: Final = -9
FAILED_CLOSED: Final = os.EX_IOERR
REFUSED_TO_START: Final = (os.EX_IOERR, os.EX_CANTCREAT, os.EX_DATAERR)


class Blow(StrEnum):
    """What strikes at a system call."""

    KILL = "kill"
    EIO = "EIO once"
    EIO_FOR_GOOD = "EIO from then on"
    ENOSPC = "ENOSPC once"
    ENOSPC_FOR_GOOD = "ENOSPC from then on"
    NOTHING_WRITTEN = "a write of 0 bytes"
    SLOW = "slow"


ERRORS: Final = tuple(blow for blow in Blow if blow is not Blow.KILL)
WRITES: Final = frozenset({"write", "pwrite64"})


@dataclass(frozen=True, slots=True)
class Strike:
    """A blow at one call, while the table starts or while it plays."""

    blow: Blow
    hold: Hold
    call: Call

    def options(self) -> Sequence[str]:
        """What strace is told."""
        return (*(("-f",) if self.call.aside else ()), *self._injected())

    def _injected(self) -> Sequence[str]:
        match self.blow:
            case Blow.KILL:
                return tracer.killing(self.call)
            case Blow.NOTHING_WRITTEN:
                return tracer.writing_nothing(self.call)
            case Blow.SLOW:
                return tracer.slow(self.call, SLOW_US)
            case _:
                error, _, lasting = self.blow.value.partition(" ")
                return tracer.failing(self.call, error, for_good=lasting != "once")

    def __str__(self) -> str:
        return f"{self.blow.value} at {self.call} ({'its start' if self.hold is Hold.START else 'play'})"


@dataclass(slots=True)
class Tally:
    """What a sweep came to."""

    struck: int = 0
    missed: int = 0
    wrong: list[str] = field(default_factory=list[str])
    ends: dict[str, int] = field(default_factory=dict[str, int])

    def add(self, other: "Tally") -> None:
        """Takes another one in."""
        self.struck += other.struck
        self.missed += other.missed
        self.wrong += other.wrong
        for end, times in other.ends.items():
            self.ends[end] = self.ends.get(end, 0) + times


@dataclass(frozen=True, slots=True)
class Arena:
    """Where tables are struck: a game, a place for their folders, and strace.

    Args:
        seeded: a mistake that every table here is made with.
    """

    game: str
    folder: Path
    strace: Path
    context: ForkServerContext
    seeded: str = ""

    def job(self, name: str) -> Job:
        """A table's, in a folder of its own; a name is one table's."""
        folder = self.folder / name
        folder.mkdir(parents=True)
        return Job(self.game, folder, seeded=self.seeded)

    def run(self, job: Job, options: Sequence[str] = (), trace: str = "trace", only: str = "") -> int:
        """Runs a table to its end, watched where its job says; its exit code, or the signal that ended it.

        Args:
            only: the one file of it that is watched.
        """
        ours, theirs = multiprocessing.Pipe()
        process = self.context.Process(target=main, args=(job, theirs))
        process.start()
        theirs.close()
        try:
            if job.hold is not Hold.NOWHERE:
                assert ours.poll(PATIENCE_S), "the table never came so far"
                thread = ours.recv()
                with tracer.attached(self.strace, thread, job.state, job.folder / trace, *options, only=only):
                    ours.send(None)
            process.join(PATIENCE_S)
            assert process.exitcode is not None, "the table hangs"
            return process.exitcode
        finally:
            process.kill()
            process.join()
            process.close()
            ours.close()

    def calls(self, hold: Hold, after: Strike | None = None) -> list[Call]:
        """The calls of an undisturbed start or play; `after`: of the start after this strike."""
        job = self.job(f"calls-{hold}-{'fresh' if after is None else 'again'}")
        if after is not None:
            self.run(replace(job, hold=after.hold), after.options())
        assert self.run(replace(job, hold=hold)) == os.EX_OK
        return tracer.calls((job.folder / "trace").read_text("utf-8", "replace").splitlines())

    def aside(self, known: Iterable[Call]) -> list[Call]:
        """The calls of an undisturbed table that are made by other threads than the two that make those known."""
        job = self.job("calls-aside")
        assert self.run(replace(job, hold=Hold.START), ("-f",)) == os.EX_OK
        return tracer.beside(whole_lines((job.folder / "trace").read_text("utf-8", "replace").splitlines()), known)

    def undisturbed(self) -> list[Form]:
        """What the rounds come to where nothing happens."""
        job = self.job("undisturbed")
        assert self.run(job) == os.EX_OK, (job.folder / "words").read_text("utf-8")
        return Judge(job).check()

    def strike(self, strike: Strike, settlements: list[Form], then: Iterable[Strike] = ()) -> Tally:
        """Strikes once, and again at the starts that follow; brings the table back and judges it."""
        where = ("aside", strike.call.file) if strike.call.aside else ()
        job = self.job("-".join((strike.blow.name, strike.hold, strike.call.name, str(strike.call.nth), *where)))
        tally = Tally()
        try:
            for nth, one in enumerate((strike, *then)):
                self._strike(job, one, f"trace-{nth}", tally)
            self._come_back(job, settlements)
        except Exception as error:  # noqa: BLE001  # whatever is wrong is told with where it was
            tally.wrong.append(f"{self.game}: {strike}{_then(then)}: {type(error).__name__}: {error}"[:2000])
        finally:
            if not tally.wrong:
                shutil.rmtree(job.folder)
        return tally

    def _strike(self, job: Job, strike: Strike, trace: str, tally: Tally) -> None:
        before = len(said(job.said))
        only = strike.call.file if strike.call.aside else ""
        code = self.run(replace(job, hold=strike.hold), strike.options(), trace, only)
        struck = tracer.was_struck(job.folder / trace)
        tally.struck += struck
        tally.missed += not struck
        name = f"{strike.blow.value}: {'killed' if code == KILLED else f'exit {code}'}"
        if code == os.EX_OK and strike.blow is not Blow.SLOW:
            name += f" ({strike.call.name} on {strike.call.file})"
        tally.ends[name] = tally.ends.get(name, 0) + 1
        if struck:
            _check_end(strike, code, said(job.said)[before:])

    def _come_back(self, job: Job, settlements: list[Form]) -> None:
        code = self.run(job)
        assert code == os.EX_OK, f"the next start ended with {code}: {(job.folder / 'words').read_text('utf-8')[-400:]}"
        found = Judge(job).check()
        assert money(found) == money(settlements), f"the rounds came to {found}"


def _check_end(strike: Strike, code: int, lines: list[Form]) -> None:
    """A blow ends a table as it should: killed, closed with its exit code, or not at all where it does no harm."""
    match strike.blow:
        case Blow.KILL:
            assert code == KILLED, f"exit code {code}"
        case Blow.SLOW:
            assert code == os.EX_OK, f"exit code {code}"
        case _:
            assert code in {os.EX_OK, *REFUSED_TO_START}, f"exit code {code}"
            ended = [line for line in lines if line["kind"] == "ended"]
            assert bool(ended) == (code != os.EX_OK), f"exit code {code}, and it said {ended}"
            if strike.hold is Hold.PLAY and strike.blow in {Blow.EIO, Blow.EIO_FOR_GOOD}:
                assert code == FAILED_CLOSED, f"exit code {code} after a write to the journal failed"


def money(settlements: list[Form]) -> list[str]:
    """What the rounds came to, in an order that can be compared; numbers of draws are each log's own."""
    return [json.dumps(form.get("settlement"), sort_keys=True) for form in settlements]


def _then(strikes: Iterable[Strike]) -> str:
    return "".join(f", then {strike}" for strike in strikes)


def strikes(calls: Iterable[Call], hold: Hold, blows: Sequence[Blow]) -> Iterator[Strike]:
    """Every blow at every call that it can strike."""
    for call in calls:
        for blow in blows:
            if blow is not Blow.NOTHING_WRITTEN or call.name in WRITES:
                yield Strike(blow, hold, call)
