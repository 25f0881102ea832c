"""Several tables in one process, for trials and benches.

Each runs independently: the failure of one leaves the others alone.
"""

import asyncio
import os
from collections.abc import Iterator, Mapping, Sequence
from contextvars import Context, copy_context
from functools import partial
from pathlib import Path
from typing import Any, Final

from structlog.contextvars import bind_contextvars

from tablectl.config import console_address, load
from tablectl.config.checks import port_address, state_dir
from tablectl.config.models import Config
from tablectl.core.protocols import TableStoppedError
from tablectl.daemon.daemon import Daemon
from tablectl.daemon.host.log import logger
from tablectl.daemon.host.systemd import Readiness
from tablectl.daemon.room_settings import StartError, broker_of
from tablectl.daemon.run import prepare_process, recovered
from tablectl.daemon.signing.rotation import LogKeys
from tablectl.daemon.table import LiveTable
from tablectl.daemon.views.state_topics import About
from tablectl.journal.journal import JournalFailedError
from tablectl.lazy_dataclass import dataclass
from tablectl.mqtt.settings import BrokerSettings
from tablectl.network import first_error
from tablectl.rule_tables import RulesError

_SHARED: Final[Mapping[str, str]] = {
    "place": "{one} and {other} are both {value}: each table of a process needs its own name",
    "folder": "{one} and {other} have one state folder, {value}: each table of a process needs its own",
    "console": "{one} and {other} have one console address, {value}: each table of a process needs its own",
    "port": "{one} and {other} have a device at one port, {value}: each table of a process needs its own",
}


@dataclass(frozen=True, slots=True)
class _Recovered:
    """A table that is about to live.

    Args:
        context: names the table in each log line.
    """

    config: Config
    broker: BrokerSettings
    table: LiveTable[Any]
    about: About
    keys: LogKeys
    context: Context


def run_several(paths: Sequence[Path], overrides: Mapping[str, str]) -> int:
    """Run the tables of these configurations until stopped, or until none is left.

    The log's settings are those of the first one.

    Args:
        overrides: dotted keys over every configuration.

    Returns:
        0, where every table was stopped as asked.

    Raises:
        OSError: a configuration can't be read.
        ConfigError: a configuration is wrong.
        StartError: two configurations share what each table needs for itself, or a table ended by an error; with the
            exit code of the first that did.
    """
    configs = [load(path, overrides, at_work=True) for path in paths]
    check_apart(list(zip(paths, configs, strict=True)))
    prepare_process(configs[0], len(configs))
    codes: dict[str, int] = {}
    begun = [each for config in configs if (each := _recover(config, codes)) is not None]
    if begun:
        asyncio.run(_live(begun, codes))
    if codes:
        raise StartError(
            f"{len(codes)} of {len(configs)} tables ended by an error; the log names them", next(iter(codes.values()))
        )
    return os.EX_OK


def check_apart(configs: Sequence[tuple[Path, Config]]) -> None:
    """Check that no two tables share a name, a folder, a console address or a port.

    Args:
        configs: each with the path of its file.

    Raises:
        StartError: two do.
    """
    owners: dict[tuple[str, str], Path] = {}
    for path, config in configs:
        for own in sorted(set(_own(config))):
            if (owner := owners.setdefault(own, path)) is not path:
                kind, value = own
                raise StartError(_SHARED[kind].format(one=owner, other=path, value=value), os.EX_CONFIG)


def _own(config: Config) -> Iterator[tuple[str, str]]:
    """Resources that a table shares with no other."""
    yield "place", _place(config)
    yield "folder", str(state_dir(config).resolve())
    if console_address(config)[1]:
        yield "console", config.console.listen
    yield from (("port", port_address(config, name)) for name in config.devices)


def _place(config: Config) -> str:
    return f"{config.table.site}/{config.table.name}"


def _recover(config: Config, codes: dict[str, int]) -> _Recovered | None:
    """The table folded from its journal; None where that fails.

    Then the log has the reason, and the exit code joins the others.
    """
    context, place = copy_context(), _place(config)
    context.run(bind_contextvars, table=place)
    try:
        return _Recovered(config, broker_of(config), *context.run(recovered, config), context)
    except StartError as error:
        codes.setdefault(place, error.exit_code)
        context.run(_report_end, str(error))
    except RulesError as error:
        codes.setdefault(place, os.EX_CONFIG)
        context.run(_report_end, str(error))
    return None


async def _live(begun: Sequence[_Recovered], codes: dict[str, int]) -> None:
    """Run the tables concurrently.

    The exit code of each that ends by an error joins the others.
    """
    readiness = Readiness(_place(each.config) for each in begun)
    daemons: list[Daemon] = []
    async with asyncio.TaskGroup() as group:
        for each in begun:
            group.create_task(_live_apart(each, daemons, readiness, codes), context=each.context)


async def _live_apart(each: _Recovered, daemons: list[Daemon], readiness: Readiness, codes: dict[str, int]) -> None:
    """One table's life; whatever ends it, the others hear nothing of it."""
    place = _place(each.config)
    try:
        daemon = Daemon(each.config, each.broker, each.table, each.about, each.keys.change)
        daemons.append(daemon)
        _hear_signals(daemons)
        await daemon.run(hears_signals=False, up=partial(readiness.up, place))
    except* (JournalFailedError, TableStoppedError) as failed:
        codes.setdefault(place, os.EX_IOERR)
        _report_end(str(first_error(failed)))
    except* StartError as failed:
        error = first_error(failed)
        codes.setdefault(place, error.exit_code)
        _report_end(str(error))
    except* Exception:  # noqa: BLE001  # whatever it is, it is this table's alone
        codes.setdefault(place, os.EX_SOFTWARE)
        logger("table").exception("the table ended by a mistake in the program; the others go on")
    finally:
        readiness.ended(place)
        await asyncio.to_thread(each.table.shut)


def _hear_signals(daemons: Sequence[Daemon]) -> None:
    """Have each signal reach all tables."""

    def call_all(number: int) -> None:
        for daemon in daemons:
            daemon.handlers()[number]()

    for number in daemons[0].handlers():
        asyncio.get_running_loop().add_signal_handler(number, call_all, number)


def _report_end(why: str) -> None:
    logger("table").error("the table ended; the others go on", error=why)
