"""Certificates that are about to end: each threshold is recorded once, over restarts too."""

import asyncio
import json
from datetime import datetime
from pathlib import Path
from typing import Any

from cryptography import x509

from tablectl.config.files import endings
from tablectl.config.models import ConsoleSection, MqttSection
from tablectl.daemon.lifecycle import CertificateWatch
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


async def test_a_certificate_found_late_is_recorded_by_its_last_threshold_only(tmp_path: Path) -> None:
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
