"""Lifecycle of a session: the previous end, program, clock, and certificates."""

import asyncio
import json
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import field
from pathlib import Path
from typing import Any, Final

from tablectl.config.errors import render
from tablectl.config.files import Ending, endings, tls_complaints, tls_files
from tablectl.config.models import ConsoleSection, MqttSection
from tablectl.core.facts import (
    CertificateExpiring,
    ClockStepped,
    FaultCleared,
    FaultRaised,
    ProgramVerified,
    SessionEnded,
)
from tablectl.core.faults import Code
from tablectl.core.protocols import Clock, TableStoppedError
from tablectl.core.table import fault
from tablectl.daemon.host.program import Verified, begin_verification, verify
from tablectl.daemon.table import LiveTable
from tablectl.journal.encoding import read_fact
from tablectl.journal.files import open_kept
from tablectl.journal.journal import Journal
from tablectl.journal.reading.rows import Remembered
from tablectl.lazy_dataclass import dataclass, replace
from tablectl.tls_files import RENEWAL_S, stamps

LAST_EXIT: Final = "last-exit"
HOLDER: Final = "holder"
"""In the state folder: what systemd's ExecStopPost= wrote about the end of the process before."""

_OF_SYSTEMD: Final = {"watchdog": "watchdog", "exit-code": "failed", "timeout": "failed", "resources": "failed"}
"""$SERVICE_RESULT, where it says more than that the process was killed."""

AT_START: Final = "start"
VERIFY_EVERY_S: Final = 3600.0
CLOCK_EVERY_S: Final = 1.0
CLOCK_CALM_S: Final = 300.0
"""A clock that nobody has set for so long is steady again; one that isn't is told of as often."""

MOST_STEPS: Final = 3
"""So many steps in a time that isn't calm are recorded one by one."""

CERTIFICATES_EVERY_S: Final = 3600.0
THRESHOLDS_DAYS: Final = (30, 7, 1)
_NEAR: Final = {30: "30 days", 7: "7 days", 1: "a day"}

STEP_US: Final = 500_000
"""The wall clock was set where it moved this much beside the monotonic one; slewing moves it 500 us in a second."""


def previous_end(journal: Journal, records: int, boot_id: str, folder: Path) -> str:
    """The end of the session before, by the journal's last record and systemd.

    Args:
        records: in the journal.
        boot_id: of the machine's present boot.

    Returns:
        One of `stopped killed power_lost watchdog failed unknown`; the last for a new journal.
    """
    last = next(iter(journal.replay(records - 1)), None) if records else None
    if last is None:
        return "unknown"
    fact = read_fact(last.body)
    if isinstance(fact.body, SessionEnded):
        return "stopped"
    if fact.at.boot_id != boot_id:
        return "power_lost"
    try:
        result = (folder / LAST_EXIT).read_text("ascii").strip()
    except (OSError, ValueError):
        result = ""
    return _OF_SYSTEMD.get(result, "killed")


def forget_exit(folder: Path) -> None:
    """Remove what systemd left, once it is told in the log."""
    with suppress(OSError):
        (folder / LAST_EXIT).unlink(missing_ok=True)


def last_holder(folder: Path, boot_id: str) -> str:
    """Return the session that held this very lock last, in this boot of the machine.

    Empty where none did, as in a copy of the folder that another daemon may be at work in.
    """
    try:
        place, _, session = (folder / HOLDER).read_text("ascii").strip().rpartition(" ")
        return session if place == _lock_of(folder, boot_id) else ""
    except (OSError, ValueError):
        return ""


def name_holder(folder: Path, boot_id: str, session: str) -> None:
    """Note the session that holds the lock, before anybody else hears of it.

    It needs no sync: after a loss of power it is another boot. Where it can't be written, the next session asks the
    broker for this one.
    """
    with suppress(OSError), open_kept(folder / HOLDER) as file:
        file.truncate(0)
        file.write(f"{_lock_of(folder, boot_id)} {session}\n".encode("ascii"))


def _lock_of(folder: Path, boot_id: str) -> str:
    found = (folder / "lock").stat()
    return f"{boot_id} {found.st_dev} {found.st_ino}"


@dataclass(frozen=True, slots=True)
class ProgramWatch:
    """Verification of the installed program: at the start, every hour, on request.

    Args:
        root: of the installation; None for a checkout.
    """

    table: LiveTable[Any]
    root: Path | None
    _turn: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def start(self) -> None:
        """Verify the program before the table is ready.

        A checkout has nothing to verify, unless its fault is still present.
        """
        if self.root is not None or fault(self.table.state, Code.PROGRAM_CHANGED, "") is not None:
            await self.check(AT_START)

    async def run(self) -> None:
        """Verify every hour, resting after every file."""
        stop = threading.Event()

        def rest(seconds: float) -> None:
            """Pause the verification.

            Raises:
                InterruptedError: the daemon stops.
            """
            if stop.wait(seconds):
                raise InterruptedError("the daemon stops")

        try:
            while self.root is not None:
                await asyncio.sleep(VERIFY_EVERY_S)
                await self.check("hourly", rest=rest)
        finally:
            stop.set()

    async def check(
        self, occasion: str, *, seed: bytes = b"", by: str | None = None, rest: Callable[[float], None] | None = None
    ) -> Verified:
        """Verify the program, record the outcome, and raise or end the fault.

        Raises:
            TableStoppedError: the journal can't be written.
        """
        async with self._turn:
            if occasion == AT_START and self.root is not None:
                seen = await asyncio.to_thread(begin_verification(self.root))
            else:
                seen = await asyncio.to_thread(verify, self.root, seed=seed, rest=rest)
            body = ProgramVerified(
                occasion, seen.result, seen.version, seen.program, seen.files, seen.differing, seen.findings, seen.key
            )
            await self.table.ask(replace(self.table.note(body), by=by))
            return seen


@dataclass(slots=True)
class ClockWatch:
    """Record of the wall clock's steps.

    The first few are recorded one by one. A clock that goes on being set, as by two time services, is a fault: from
    then on at most one record every few minutes says how far it was set in all, until nobody has set it for so long.
    """

    table: LiveTable[Any]
    clock: Clock
    _offset_us: int = 0
    _unrecorded_us: int = 0
    _steps: int = 0
    _stepped_s: float = 0.0
    _told_s: float = 0.0

    async def run(self) -> None:
        """Look every second."""
        self.begin()
        while True:
            await asyncio.sleep(CLOCK_EVERY_S)
            with suppress(TableStoppedError):
                await self.look()

    def begin(self) -> None:
        """Take the clock as it is; a fault of an earlier session stands until it was calm."""
        self._offset_us = _offset_us(self.clock)
        self._told_s = self._stepped_s = self.clock.monotonic_s()

    async def look(self) -> None:
        """Record what has happened to the clock since the last look, where it is time to.

        Raises:
            TableStoppedError: the journal can't be written.
        """
        offset_us, now_s = _offset_us(self.clock), self.clock.monotonic_s()
        if is_set := abs(offset_us - self._offset_us) >= STEP_US:
            self._unrecorded_us += offset_us - self._offset_us
            self._steps += 1
            self._stepped_s = now_s
        self._offset_us = offset_us
        is_unsteady = self.table.standing(Code.CLOCK_UNSTEADY) is not None
        if now_s - self._stepped_s >= CLOCK_CALM_S:
            await self._record()
            if is_unsteady:
                await self.table.ask(self.table.note(FaultCleared(Code.CLOCK_UNSTEADY)))
            self._steps = 0
        elif is_set and self._steps <= MOST_STEPS and not is_unsteady:
            await self._record()
        elif self._steps > MOST_STEPS and (not is_unsteady or now_s - self._told_s >= CLOCK_CALM_S):
            self._told_s = now_s
            await self._record()
            await self.table.ask(self.table.note(FaultRaised(Code.CLOCK_UNSTEADY, "", f"set {self._steps} times")))

    async def _record(self) -> None:
        if abs(self._unrecorded_us) >= STEP_US:
            after_us = self.clock.now().utc_us
            await self.table.ask(self.table.note(ClockStepped(after_us - self._unrecorded_us, after_us)))
        self._unrecorded_us = 0


@dataclass(frozen=True, slots=True)
class CertificateWatch:
    """Watch over the expiry of certificates.

    It records that a certificate is about to end, once for each threshold that it has passed, and maintains the faults.

    Args:
        sections: of the configuration that name certificates, by name.
        renewal_s: how often the files are looked at.
    """

    table: LiveTable[Any]
    clock: Clock
    sections: Mapping[str, MqttSection | ConsoleSection]
    renewal_s: float = RENEWAL_S

    async def run(self) -> None:
        """Look every hour, and soon after a file has changed."""
        files = [file for section in self.sections.values() for file in tls_files(section)]
        with suppress(TableStoppedError):
            seen = checked = await asyncio.to_thread(stamps, files)
            await self.check()
            due_s = self.clock.monotonic_s() + CERTIFICATES_EVERY_S
            while files:
                await asyncio.sleep(self.renewal_s)
                before, seen = seen, await asyncio.to_thread(stamps, files)
                if seen == before != checked or self.clock.monotonic_s() >= due_s:
                    checked, due_s = seen, self.clock.monotonic_s() + CERTIFICATES_EVERY_S
                    await self.check()

    async def check(self) -> None:
        """Update the faults, and record each threshold passed since the last check.

        The last check may have been before a restart.

        Raises:
            TableStoppedError: the journal can't be written.
        """
        found = await asyncio.to_thread(self._endings)
        unusable = await asyncio.to_thread(self._unusable)
        unusable += [f"{each.file}: expired on {each.until.date()}" for each in found if self._left_us(each) <= 0]
        await self._tell(Code.CERTIFICATE_UNUSABLE, unusable)
        await self._tell(Code.CERTIFICATE_ENDS, self._near(found))
        await self._record(found)

    async def _record(self, found: Sequence[Ending]) -> None:
        if not found:
            return
        journal = self.table.journal
        kept: dict[str, int] = json.loads(await journal.remembered(Remembered.CERTIFICATES) or "{}")
        told = {each.fingerprint: kept[each.fingerprint] for each in found if each.fingerprint in kept}
        for each in found:
            until_us = round(each.until.timestamp() * 1_000_000)
            days = _threshold(until_us - self.clock.now().utc_us)
            if days is None or told.get(each.fingerprint, days + 1) <= days:
                continue
            await self.table.ask(self.table.note(CertificateExpiring(each.file, each.fingerprint, until_us, days)))
            told[each.fingerprint] = days
        if told != kept:
            await journal.remember(Remembered.CERTIFICATES, json.dumps(told))

    async def _tell(self, code: Code, found: Sequence[str]) -> None:
        """Raise the fault for the findings, again where they differ from its detail.

        It is cleared where there is none.
        """
        standing, detail = self.table.standing(code), "; ".join(found)
        if standing == detail:
            return
        if standing is not None:
            await self.table.ask(self.table.note(FaultCleared(code)))
        if detail:
            await self.table.ask(self.table.note(FaultRaised(code, "", detail)))

    def _endings(self) -> list[Ending]:
        return [each for name, section in self.sections.items() for each in endings(name, section)]

    def _unusable(self) -> list[str]:
        """Files that can't be used as they are now, whichever are in use."""
        found = (each for name, section in self.sections.items() for each in tls_complaints(name, section))
        return [f"{'.'.join(each.path)}: {render(each.message)}" for each in found]

    def _near(self, found: Sequence[Ending]) -> list[str]:
        """Certificates that end within a threshold.

        The text stays the same until the next threshold.
        """
        ours = [(each, self._left_us(each)) for each in found if not each.is_list]
        near = [(each, _threshold(left_us)) for each, left_us in ours if left_us > 0]
        return [f"{each.file}: ends within {_NEAR[days]}, on {each.until.date()}" for each, days in near if days]

    def _left_us(self, ending: Ending) -> int:
        return round(ending.until.timestamp() * 1_000_000) - self.clock.now().utc_us


def _threshold(left_us: int) -> int | None:
    """The threshold of fewest days that is passed with so much time left.

    None where none is passed.
    """
    return min((days for days in THRESHOLDS_DAYS if left_us <= days * 86_400_000_000), default=None)


def _offset_us(clock: Clock) -> int:
    at = clock.now()
    return at.utc_us - at.monotonic_ns // 1000
