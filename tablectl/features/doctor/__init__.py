"""`tablectl doctor`: everything the table needs, checked at once."""

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path

from tablectl import network
from tablectl.config import load
from tablectl.config.files import ENDS
from tablectl.config.models import Config
from tablectl.config.remarks import Remark, can_sign_on, remarks
from tablectl.core.events.text import Saying
from tablectl.features.doctor.broker import look_at_broker, look_at_checkpoint
from tablectl.features.doctor.daemon import Running, ask_daemon, look_at_certificates, look_at_daemon
from tablectl.features.doctor.devices import look_at_devices, look_at_faults
from tablectl.features.doctor.machine import look_at_clock, look_at_disk, look_at_state, look_at_versions
from tablectl.features.doctor.readers import look_at_log
from tablectl.features.doctor.report import Finding, Level
from tablectl.features.doctor.witnesses import look_at_witnesses


def examine(path: Path, overrides: Mapping[str, str]) -> Sequence[Finding]:
    """Return the findings about the table in this configuration.

    Nothing is changed, and no device is asked to act.

    Raises:
        OSError: the configuration can't be read.
        ConfigError: the configuration is wrong.
    """
    config = load(path, overrides)
    return network.run(_examined(config, path))


async def _examined(config: Config, path: Path) -> list[Finding]:
    running = await ask_daemon(config)
    return [
        *look_at_versions(),
        *_look_at_config(config, path),
        *await asyncio.to_thread(look_at_certificates, config),
        *await asyncio.to_thread(look_at_state, config),
        *await asyncio.to_thread(look_at_log, config),
        *await asyncio.to_thread(look_at_disk, config),
        look_at_clock(),
        look_at_daemon(config, path, running),
        *(await asyncio.to_thread(look_at_faults, config) if running else ()),
        *await _look_outside(config, running),
    ]


async def _look_outside(config: Config, running: Running | None) -> list[Finding]:
    async with asyncio.TaskGroup() as group:
        broker = group.create_task(look_at_broker(config))
        checkpoint = group.create_task(look_at_checkpoint(config))
        witnesses = group.create_task(look_at_witnesses(config))
        devices = group.create_task(look_at_devices(config, running))
    return [broker.result(), *checkpoint.result(), *witnesses.result(), *devices.result()]


def _look_at_config(config: Config, path: Path) -> list[Finding]:
    values = {"file": path, "table": f"{config.table.site}/{config.table.name}", "game": config.table.game}
    notes = [
        Finding("config", _level(remark), "config_remark", {"remark": f"{remark.key}: {remark.text}"})
        for remark in remarks(config, path)
        if not _has_own_finding(remark)
    ]
    return [Finding("config", Level.OK, "config", values), *notes, *_look_at_people(config)]


def _look_at_people(config: Config) -> list[Finding]:
    """Check that some person can run a round.

    A configuration may still lack its people's PINs.
    """
    able = any(person.role == "dealer" and can_sign_on(person) for person in config.people.values())
    return [] if able else [Finding("people", Level.BAD, "nobody_deals")]


def _level(remark: Remark) -> Level:
    """How well it is: on a disk that keeps nothing the table doesn't run as it should."""
    return Level.BAD if remark.key == "paths.state" else Level.NOTE


def _has_own_finding(remark: Remark) -> bool:
    """Return True if another finding says it, and better.

    A device's port has been tried, and each certificate has a line of its own.
    """
    of_an_end = isinstance(remark.said, Saying) and remark.said.key in ENDS
    return of_an_end or remark.key.endswith(".port")
