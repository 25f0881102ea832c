"""The daemon itself: whether it runs and is well, its faults and its certificates."""

from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import httpx

from tablectl import network
from tablectl.config import console_address, console_url
from tablectl.config.checks import state_dir
from tablectl.config.files import SOON, Ending, endings
from tablectl.config.models import Config
from tablectl.daemon.host.clock import SystemClock
from tablectl.features.common.api_client import ANSWER_MOST, STRANGE, RequestFailedError, form_of
from tablectl.features.common.table_requests import console_of
from tablectl.features.doctor.report import Finding, Level
from tablectl.journal.database import JournalBusyError, JournalError, lock
from tablectl.lazy_dataclass import dataclass

ANSWER_WITHIN_S: Final = 2.0
UNIT_READS: Final = Path("/etc/tablectl")
"""Where systemd/tablectl@.service has the configuration from."""

LATE_S: Final = 0.25
"""A loop that is later than this keeps people waiting."""


@dataclass(frozen=True, slots=True)
class Running:
    """A daemon at work.

    Args:
        status: in one word.
        health: as on the MQTT topic `health`; empty where another program answers in its place.
    """

    status: str
    health: Mapping[str, Any]

    @property
    def devices(self) -> Mapping[str, Mapping[str, Any]]:
        """Counters of each device, by name."""
        devices: Mapping[str, Mapping[str, Any]] = self.health.get("devices", {})
        return devices


async def ask_daemon(config: Config) -> Running | None:
    """Return the health of the table's daemon.

    It is None where no daemon answers at the console's address.
    """
    where = console_of(config)
    try:
        async with (
            httpx.AsyncClient(
                base_url=where.url, verify=where.trusts, timeout=ANSWER_WITHIN_S, trust_env=False
            ) as http,
            http.stream("GET", "/v1/health") as response,
        ):
            read = await network.read_all(response.aiter_bytes(), ANSWER_MOST)
        said = form_of(read or b"", where.url)
        health = dict(said.get("health") or {})
        devices = {str(name): dict(counted) for name, counted in dict(health.get("devices") or {}).items()}
        late_s = float(health.get("loop_lag_s", 0))
        return Running(str(said["status"]), {**health, "devices": devices, "loop_lag_s": late_s})
    except (httpx.HTTPError, RequestFailedError, *STRANGE):
        return None


def look_at_daemon(config: Config, path: Path, running: Running | None) -> Finding:
    """Check that the daemon runs and is well.

    Args:
        path: of the configuration, which the service reads in one folder only.
    """
    if running is None:
        return _silent(config, path)
    late_s = float(running.health.get("loop_lag_s", 0))
    if running.status not in {"ok", "init"}:
        return Finding("daemon", Level.BAD, "daemon_ill", {"status": running.status})
    if late_s > LATE_S:
        return Finding("daemon", Level.NOTE, "daemon_late", {"late": f"{late_s:.2f}"})
    return Finding("daemon", Level.OK, "daemon", {"status": running.status, "address": console_url(config)})


def _silent(config: Config, path: Path) -> Finding:
    if _has_lock(config) and console_address(config)[1] == 0:
        return Finding("daemon", Level.NOTE, "daemon_anywhere", {"address": config.console.listen})
    if _has_lock(config):
        return Finding("daemon", Level.BAD, "daemon_silent", {"address": console_url(config)})
    if path.absolute().parent == UNIT_READS:
        return Finding("daemon", Level.NOTE, "daemon_stopped", {"unit": path.stem})
    values = {"file": path, "read": UNIT_READS / f"{config.table.name}.toml", "unit": config.table.name}
    return Finding("daemon", Level.NOTE, "daemon_stopped_elsewhere", values)


def _has_lock(config: Config) -> bool:
    """Return True if some process holds the table's journal."""
    if not (state_dir(config) / "lock").exists():
        return False
    try:
        lock(state_dir(config)).close()
    except JournalBusyError:
        return True
    except JournalError:
        return False
    return False


SECTIONS: Final = ("mqtt", "console")


def look_at_certificates(config: Config) -> list[Finding]:
    """Return a finding for each certificate that the configuration names.

    Its list of revoked ones has one too.
    """
    now = datetime.fromtimestamp(SystemClock().now().utc_us / 1_000_000, UTC)
    return [_finding(each, now) for name in SECTIONS for each in endings(name, getattr(config, name))]


def _finding(ending: Ending, now: datetime) -> Finding:
    left = ending.until - now
    values = {"file": ending.file, "days": left.days, "date": ending.until.date()}
    if ending.until <= now:
        return Finding("tls", Level.BAD, "certificate_expired", values)
    if left < SOON and not ending.is_list:
        return Finding("tls", Level.NOTE, "certificate_ends", values)
    return Finding("tls", Level.OK, "certificate", values)
