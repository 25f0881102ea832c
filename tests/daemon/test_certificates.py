"""Certificates that are about to end: each threshold is recorded once, over restarts too."""

import asyncio
import json
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from cryptography import x509

from tablectl.config.files import endings
from tablectl.config.models import ConsoleSection, MqttSection
from tablectl.core.faults import Code
from tablectl.daemon.lifecycle import CertificateWatch
from tablectl.daemon.table import LiveTable
from tablectl.journal.reading.reader import open_reader
from tablectl.journal.reading.verify import verify
from tests.console.rig import VirtualClock
from tests.daemon.test_table import BEGUN, Seen, ask, running
from tests.support.authority import Authority

BEGINNING_S = 1_700_000_000
"""Of the virtual clock."""


def ends_s(file: str) -> float:
    return x509.load_pem_x509_certificate(Path(file).read_bytes()).not_valid_after_utc.timestamp()


def told(seen: Seen) -> list[tuple[str, int]]:
    """The files and thresholds of the events, in order."""
    forms: list[dict[str, Any]] = [json.loads(event.payload) for event in seen.events]
    kind = "mo.tablectl.audit.certificate_expiring.v1"
    return [(form["data"]["file"], form["data"]["days"]) for form in forms if form["type"] == kind]


async def test_each_threshold_of_a_certificate_is_recorded_once(tmp_path: Path) -> None:
    pair = Authority(tmp_path).sign("table")
    section, clock, hour = MqttSection(url="mqtts://b", cert_file=pair.cert), VirtualClock(), 3600
    end_s = ends_s(pair.cert) - BEGINNING_S
    days: list[list[tuple[str, int]]] = []
    for before_h in (31 * 24, 30 * 24, 29 * 24, 7 * 24, 7 * 24 - 1, 24, 1, -1):
        clock.at_s = end_s - before_h * hour
        async with running(tmp_path / "journal") as (table, seen):
            if not table.state.log_id:
                await ask(table, *BEGUN[:2])
            watch = CertificateWatch(table, clock, {"mqtt": section})
            await watch.check()
            await watch.check()
            days.append(told(seen))
    named = [[("mqtt.cert_file", each)] for each in (30, 7, 1)]
    assert days == [[], named[0], [], named[1], [], named[2], [], []]


async def test_certificate_found_late_is_recorded_by_its_last_threshold_only(tmp_path: Path) -> None:
    authority = Authority(tmp_path)
    pair, crl = authority.sign("table"), authority.revoke()
    console = ConsoleSection(cert_file=pair.cert, key_file=pair.key, client_crl_file=crl)
    clock = VirtualClock(ends_s(pair.cert) - BEGINNING_S - 5 * 86_400)
    async with running(tmp_path / "journal") as (table, seen):
        await ask(table, *BEGUN[:2])
        await CertificateWatch(table, clock, {"console": console}).check()
        assert told(seen) == [("console.cert_file", 7), ("console.client_crl_file", 7)]
        data = json.loads(seen.events[-2].payload)["data"]
        (ending, _) = await asyncio.to_thread(lambda: tuple(endings("console", console)))
        assert (data["by"], data["fingerprint"]) == ("table", ending.fingerprint)
        assert datetime.fromisoformat(data["until"]) == ending.until


async def test_a_renewed_certificate_is_recorded_anew(tmp_path: Path) -> None:
    authority = Authority(tmp_path)
    clock = VirtualClock()
    async with running(tmp_path / "journal") as (table, seen):
        await ask(table, *BEGUN[:2])
        for _ in range(2):
            pair = authority.sign("table")
            clock.at_s = ends_s(pair.cert) - BEGINNING_S - 10 * 86_400
            section = MqttSection(url="mqtts://b", cert_file=pair.cert)
            await CertificateWatch(table, clock, {"mqtt": section}).check()
        assert told(seen) == [("mqtt.cert_file", 30)] * 2


async def test_journal_that_tells_of_an_ending_certificate_is_whole(tmp_path: Path) -> None:
    pair = Authority(tmp_path).sign("table")
    clock = VirtualClock(ends_s(pair.cert) - BEGINNING_S - 5 * 86_400)
    async with running(tmp_path / "journal") as (table, _):
        await ask(table, *BEGUN[:2])
        await CertificateWatch(table, clock, {"mqtt": MqttSection(url="mqtts://b", cert_file=pair.cert)}).check()
        records = table.state.records
    assert await asyncio.to_thread(records_of, tmp_path / "journal") == records


def records_of(folder: Path) -> int:
    """The records of a journal that is what was written."""
    with closing(open_reader(folder)) as reader:
        return verify(reader, []).records


def faults(table: LiveTable[Any]) -> dict[int, str]:
    """The faults that stand, with their details."""
    return {each.code: each.detail for each in table.state.faults}


def raised(seen: Seen) -> list[tuple[str, int]]:
    """What was told of faults, in order."""
    forms: list[dict[str, Any]] = [json.loads(event.payload) for event in seen.events]
    kinds = {f"mo.tablectl.fault.{each}.v1": each for each in ("raised", "cleared")}
    return [(kinds[form["type"]], form["data"]["code"]) for form in forms if form["type"] in kinds]


async def test_certificate_that_ends_is_a_fault_told_at_each_threshold(tmp_path: Path) -> None:
    pair = Authority(tmp_path).sign("table")
    section, clock = MqttSection(url="mqtts://b", cert_file=pair.cert), VirtualClock()
    until = datetime.fromtimestamp(ends_s(pair.cert), UTC)
    details: list[dict[int, str]] = []
    async with running(tmp_path / "journal") as (table, seen):
        await ask(table, *BEGUN[:2])
        watch = CertificateWatch(table, clock, {"mqtt": section})
        for left_h in (31 * 24, 30 * 24, 29 * 24, 7 * 24, 24, 1, 0):
            clock.at_s = until.timestamp() - BEGINNING_S - left_h * 3600
            await watch.check()
            details.append(faults(table))
    ends = [f"mqtt.cert_file: ends within {time}, on {until.date()}" for time in ("30 days", "7 days", "a day")]
    near = [{int(Code.CERTIFICATE_ENDS): each} for each in ends]
    over = {int(Code.CERTIFICATE_UNUSABLE): f"mqtt.cert_file: expired on {until.date()}"}
    assert details == [{}, near[0], near[0], near[1], near[2], near[2], over]
    assert raised(seen) == [
        ("raised", 731),
        *[("cleared", 731), ("raised", 731)] * 2,
        *[("raised", 732), ("cleared", 731)],
    ]


async def test_fault_of_certificate_outlives_restart_and_is_told_once(tmp_path: Path) -> None:
    pair = Authority(tmp_path).sign("table")
    section = MqttSection(url="mqtts://b", cert_file=pair.cert)
    clock = VirtualClock(ends_s(pair.cert) - BEGINNING_S - 5 * 86_400)
    told_of: list[list[tuple[str, int]]] = []
    for _ in range(2):
        async with running(tmp_path / "journal") as (table, seen):
            if not table.state.log_id:
                await ask(table, *BEGUN[:2])
            await CertificateWatch(table, clock, {"mqtt": section}).check()
            assert set(faults(table)) == {Code.CERTIFICATE_ENDS}
            told_of.append(raised(seen))
    assert told_of == [[("raised", 731)], []]


async def test_revocation_list_is_a_fault_once_expired(tmp_path: Path) -> None:
    authority = Authority(tmp_path)
    section = ConsoleSection(client_crl_file=authority.revoke())
    async with running(tmp_path / "journal") as (table, _):
        await ask(table, *BEGUN[:2])
        (ending,) = await asyncio.to_thread(lambda: tuple(endings("console", section)))
        end_s = ending.until.timestamp() - BEGINNING_S
        clock = VirtualClock(end_s - 3600)
        watch = CertificateWatch(table, clock, {"console": section})
        await watch.check()
        assert faults(table) == {}
        clock.at_s = end_s + 1
        await watch.check()
        assert faults(table) == {732: f"console.client_crl_file: expired on {ending.until.date()}"}


async def test_renewal_is_seen_soon_and_spoilt_one_is_fault(tmp_path: Path) -> None:
    authority = Authority(tmp_path)
    pair = authority.sign("table", expired=True)
    section = ConsoleSection(cert_file=pair.cert, key_file=pair.key)
    clock = VirtualClock(ends_s(authority.file) - BEGINNING_S - 3600)
    async with running(tmp_path / "journal") as (table, _), asyncio.TaskGroup() as group:
        await ask(table, *BEGUN[:2])
        watch = CertificateWatch(table, clock, {"console": section}, renewal_s=0.01)
        watching = group.create_task(watch.run())
        await standing(table, {732: "console.cert_file: expired on "})
        await asyncio.to_thread(authority.sign, "table")
        await standing(table, {731: "console.cert_file: ends within a day, on "})
        await asyncio.to_thread(Path(pair.key).write_text, "spoilt")
        why = "console.cert_file: ends within", "console.key_file: certificate and key can't be used: not in PEM form"
        await standing(table, dict(zip((731, 732), why, strict=True)))
        await asyncio.to_thread(authority.sign, "table")
        await standing(table, {731: "console.cert_file: ends within a day, on "})
        watching.cancel()


async def standing(table: LiveTable[Any], expected: dict[int, str]) -> None:
    """Wait until exactly these faults stand, whose details begin so."""
    async with asyncio.timeout(60):
        while True:
            found = faults(table)
            if set(found) == set(expected) and all(found[code].startswith(expected[code]) for code in found):
                return
            await asyncio.sleep(0.01)
