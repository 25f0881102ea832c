"""Collection of a bundle: configuration, health, journal, links and machine."""

import os
import platform
import sys
from collections.abc import Iterator, Mapping
from contextlib import closing
from importlib.metadata import distributions
from pathlib import Path
from subprocess import DEVNULL, SubprocessError, run
from typing import Any, Final, cast

import apsw

import tablectl
from tablectl import network
from tablectl.config import load
from tablectl.config.checks import state_dir
from tablectl.config.errors import ConfigError
from tablectl.config.models import Config
from tablectl.config.source import read_source
from tablectl.config.values import secret_file
from tablectl.daemon.host.clock import SystemClock
from tablectl.daemon.signing.keys import private_file
from tablectl.edited_files import open_regular
from tablectl.features.bundle.archive import Bundle, lines, pretty
from tablectl.features.bundle.config import secret_files_in, secrets_in, shown
from tablectl.features.bundle.journal import journal_files
from tablectl.features.bundle.log import LogLines
from tablectl.features.bundle.redact import Redactor, without_cards
from tablectl.features.doctor import examine
from tablectl.features.doctor.daemon import ask_daemon
from tablectl.features.doctor.report import form
from tablectl.features.doctor.report import lines as doctor_lines
from tablectl.history.explain.model import items_of
from tablectl.history.explanation import make_renderers
from tablectl.journal.reading.reader import open_reader
from tablectl.journal.reading.rows import UnreadableError
from tablectl.lazy_dataclass import dataclass

HOUR_US: Final = 3_600_000_000
MOST_LOG_LINES: Final = 20_000
_PROGRAM_WITHIN_S: Final = 20.0
_MOST_OF_A_SECRET: Final = 64 << 10

_UNIT_PROPERTIES: Final = (
    "Id", "LoadState", "ActiveState", "SubState", "Result", "UnitFileState", "NRestarts", "MainPID", "ExecMainStatus",
    "ExecMainCode", "ActiveEnterTimestamp", "ExecMainStartTimestamp", "ExecMainExitTimestamp", "MemoryCurrent",
    "MemoryPeak", "CPUUsageNSec", "WatchdogUSec", "NeedDaemonReload",
)  # fmt: skip
"""What systemd is asked of the unit: nothing that holds its environment or its credentials."""


@dataclass(frozen=True, slots=True)
class Asked:
    """Request for a bundle.

    Args:
        config: the table's configuration, which may be wrong.
        changes: what is set over it.
        folder: a state folder in the place of the configured one.
        hours: so far back events, frames and log go.
    """

    config: Path
    changes: Mapping[str, str]
    folder: Path | None
    hours: float


def collect(asked: Asked) -> tuple[Bundle, Redactor]:
    """Everything for the archive, and what it has to go through.

    Raises:
        OSError: the configuration can't be read.
    """
    asked.config.read_bytes()  # who can't read this should hear so at once
    now_us = SystemClock().now().utc_us
    since_us = now_us - round(asked.hours * HOUR_US)
    tree, settings, problems = _configured(asked)
    folder = asked.folder or (state_dir(settings) if settings else None)
    redactor = Redactor(_secrets(tree, folder))
    files = {
        "configuration.toml": shown(tree, known_keys()).encode(),
        "versions.json": pretty(_versions()),
        "clock.json": pretty(_clock()),
        **dict(_of_systemd(asked.config, since_us, redactor)),
        **({"problems.json": pretty(problems)} if problems else {}),
        **(dict(_of_table(asked, settings)) if settings else {}),
        **(_of_journal(folder, since_us) if folder else {}),
    }
    about = {
        "by": f"tablectl {tablectl.__version__}",
        "table": f"{settings.table.site}/{settings.table.name}" if settings else None,
        "hours": asked.hours,
    }
    name = f"tablectl-bundle-{settings.table.name if settings else 'table'}"
    return Bundle(name, now_us, about, files), redactor


def known_keys() -> frozenset[str]:
    """The names of all keys that a configuration may have."""
    return frozenset(_properties(Config.model_json_schema()))


def _properties(schema: Any) -> Iterator[str]:
    if isinstance(schema, dict):
        of = cast("dict[str, Any]", schema)
        yield from of.get("properties", {})
        for value in of.values():
            yield from _properties(value)
    for value in items_of(schema):
        yield from _properties(value)


def _configured(asked: Asked) -> tuple[Mapping[str, Any], Config | None, list[dict[str, Any]]]:
    """Return the configuration as written and as parsed, and its errors.

    There is no value among the errors.
    """
    tree: Mapping[str, Any] = {}
    try:
        tree = read_source(asked.config, asked.changes).tree
        return tree, load(asked.config, asked.changes), []
    except ConfigError as error:
        wrong = [
            {"at": each.at, "key": each.key, "message": without_cards(each.message), "nearest": each.nearest}
            for each in error.problems
        ]
        return tree, None, wrong


def _of_table(asked: Asked, settings: Config) -> Iterator[tuple[str, bytes]]:
    """Yield the doctor's findings and the counters of a running daemon."""
    findings = examine(asked.config, asked.changes)
    yield "doctor.json", pretty(form(findings))
    yield "doctor.txt", "".join(f"{line}\n" for line in doctor_lines(findings, "en")).encode()
    running = network.run(ask_daemon(settings))
    yield "health.json", pretty({"status": running.status, **running.health} if running else {"status": "no answer"})


def _of_journal(folder: Path, since_us: int) -> Mapping[str, bytes]:
    try:
        with closing(open_reader(folder)) as reader:
            return journal_files(reader, since_us, make_renderers().explaining)
    except UnreadableError as error:
        return {"journal.json": pretty({"unreadable": str(error)})}


def _versions() -> dict[str, Any]:
    installed = {each.name: each.version for each in distributions()}
    return {
        "tablectl": tablectl.__version__,
        "python": sys.version,
        "sqlite": apsw.sqlite_lib_version(),
        "kernel": platform.platform(),
        "machine": platform.machine(),
        "system": _first_line("PRETTY_NAME=", Path("/etc/os-release")),
        "installed": dict(sorted(installed.items())),
    }


def _first_line(start: str, path: Path) -> str:
    try:
        found = (line for line in path.read_text("utf-8").splitlines() if line.startswith(start))
    except OSError:
        return ""
    return next(found, "").removeprefix(start).strip('"')


def _clock() -> dict[str, Any]:
    now = SystemClock().now()
    return {
        "utc_us": now.utc_us,
        "monotonic_ns": now.monotonic_ns,
        "boot_id": now.boot_id,
        "clock": now.clock.value,
        "error_us": now.error_us,
    }


def _of_systemd(config: Path, since_us: int, redactor: Redactor) -> Iterator[tuple[str, bytes]]:
    """Yield the state and the log of the unit that runs this configuration.

    Where there is no systemd, the files say why they are empty.
    """
    unit = f"tablectl@{config.stem}.service"
    state, why = _said("systemctl", "show", unit, f"--property={','.join(_UNIT_PROPERTIES)}")
    pairs = (line.partition("=") for line in state.splitlines())
    known = {key: value for key, _, value in pairs if key in _UNIT_PROPERTIES}
    yield "unit.json", pretty(known or {"unit": unit, "unknown": why})
    since = f"--since=@{since_us // 1_000_000}"
    log, why = _said(
        "journalctl", f"--unit={unit}", since, f"--lines={MOST_LOG_LINES}", "--output=json", "--no-pager", "--quiet"
    )
    yield "log.jsonl", lines(LogLines(redactor).lines(log)) if log or not why else lines([{"unknown": why}])


def _said(*command: str) -> tuple[str, str]:
    """Return a program's output, and why there is none."""
    environment = {**os.environ, "LC_ALL": "C.UTF-8"}
    try:
        ended = run(
            command, stdin=DEVNULL, capture_output=True, timeout=_PROGRAM_WITHIN_S, env=environment, check=False
        )
    except (OSError, SubprocessError) as error:
        return "", f"{command[0]}: {type(error).__name__}"
    why = without_cards(ended.stderr.decode("utf-8", "replace").strip())
    return ended.stdout.decode("utf-8", "replace"), f"{command[0]}: exit status {ended.returncode} {why}".strip()


def _secrets(tree: Mapping[str, Any], folder: Path | None) -> Iterator[bytes]:
    """All secrets that this table is known to have."""
    yield from (text.encode() for text in secrets_in(tree))
    paths = [secret_file(text) for text in secret_files_in(tree)]
    if folder is not None:
        paths += [private_file(folder), *folder.glob("*.key"), *folder.glob("*.key.*")]
    for path in paths:
        if path is not None and (data := _read(path)):
            yield data


def _read(path: Path) -> bytes:
    """Return the content of a secret's file; empty where this user may not read it.

    Then nothing that this user collects has it either.
    """
    try:
        with open_regular(path) as file:
            return file.read(_MOST_OF_A_SECRET)
    except OSError:
        return b""
