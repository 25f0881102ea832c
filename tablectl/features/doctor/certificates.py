"""The certificates: how long each is still valid."""

from datetime import UTC, datetime
from typing import Final

from tablectl.config import Config
from tablectl.config.files import SOON, Ending, endings
from tablectl.daemon.host.clock import SystemClock
from tablectl.features.doctor.report import Finding, Level

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
