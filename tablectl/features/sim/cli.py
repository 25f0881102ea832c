"""`tablectl sim`: simulated devices at their ports, and faults on demand."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

import click

from tablectl.config import load
from tablectl.config.checks import runtime_dir
from tablectl.daemon.room_settings import StartError
from tablectl.features.common.language import here, said, unreadable, why_not
from tablectl.features.common.options import finite, with_language, with_table
from tablectl.features.common.output import unhurried_output, write_json, write_line, write_lines
from tablectl.features.sim import devices as tool
from tablectl.words.reason import FAMILIES, retold

_FOLDER = click.option(
    "--folder",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path("/run/tablectl"),
    show_default=True,
    help="Where the simulation runs.",
)


@click.group()
@with_language
def sim(lang: str) -> None:  # `here` finds it
    """Simulates devices that speak bytes. For trying out a table without hardware."""


@sim.command()
@with_table()
@click.option(
    "--folder", type=click.Path(path_type=Path, file_okay=False), help="Where the ports lie; else as configured."
)
@click.option(
    "--speed", type=click.FloatRange(min=0), callback=finite, default=1.0, show_default=True, help="0 takes no time."
)
def run(config: Path, folder: Path | None, speed: float) -> None:
    """Simulates every device until told to stop. Each speaks at its port.

    The table in the configuration has to say `simulated = true` of its devices.

    Exit status: 0 stopped on request, 66 the configuration can't be read, 73 a port can't be made, 78 the configuration
    is wrong.
    """
    with unhurried_output(here()):
        _run(config, folder, speed)


def _run(config: Path, folder: Path | None, speed: float) -> None:
    from tablectl.config.errors import ConfigError

    try:
        simulate(config, folder, speed, lambda line: write_line(_translated(line)))
    except ConfigError as error:
        _leave(why_not(error), 78)
    except StartError as error:
        _leave(f"tablectl sim: {_translated(str(error))}", error.exit_code)
    except OSError as error:
        _leave(f"tablectl sim: {unreadable(config, error)}", 66)


@sim.command()
@click.argument("code", type=int)
@click.option("--device", help="The device; not needed where only one can have the fault.")
@_FOLDER
def fault(code: int, device: str | None, folder: Path) -> None:
    """Injects the fault of this CODE.

    Exit status: 0 done, 1 no simulation runs there, or it can't be done.
    """
    _ask(folder, {"do": "fault", "code": code, **({"device": device} if device else {})})


@sim.command()
@click.argument("code", type=int)
@click.option("--device", help="The device; not needed where only one can have the fault.")
@_FOLDER
def clear(code: int, device: str | None, folder: Path) -> None:
    """Takes the cause of a fault away.

    Exit status: 0 done, 1 no simulation runs there, or it can't be done.
    """
    _ask(folder, {"do": "clear", "code": code, **({"device": device} if device else {})})


@sim.command()
@click.argument("device")
@_FOLDER
def unplug(device: str, folder: Path) -> None:
    """Pulls a device's cable.

    Exit status: 0 done, 1 no simulation runs there, or it can't be done.
    """
    _ask(folder, {"do": "unplug", "device": device})


@sim.command()
@click.argument("device")
@_FOLDER
def plug(device: str, folder: Path) -> None:
    """Puts a device's cable back.

    Exit status: 0 done, 1 no simulation runs there, or it can't be done.
    """
    _ask(folder, {"do": "plug", "device": device})


@sim.command()
@click.option("--card", help="Which, as Kd or Th; else the next of a shuffled pack.")
@_FOLDER
def deal(card: str | None, folder: Path) -> None:
    """Draws a card from the shoe.

    Exit status: 0 done, 1 no simulation runs there, or it can't be done.
    """
    _ask(folder, {"do": "deal", **({"card": card} if card else {})})


@sim.command()
@click.option("--count", type=click.IntRange(1, 52), default=3, show_default=True, help="Cards in the packet.")
@_FOLDER
def packet(count: int, folder: Path) -> None:
    """Lets the shuffler deliver a packet.

    Exit status: 0 done, 1 no simulation runs there, or it can't be done.
    """
    _ask(folder, {"do": "packet", "count": count})


@sim.command()
@click.option(
    "--turns", type=click.FloatRange(0.1, 20), callback=finite, default=4.0, show_default=True, help="Full turns."
)
@_FOLDER
def spin(turns: float, folder: Path) -> None:
    """Spins the wheel.

    Exit status: 0 done, 1 no simulation runs there, or it can't be done.
    """
    _ask(folder, {"do": "spin", "turns": turns})


@sim.command()
@click.argument("dice", type=click.IntRange(1, 6), nargs=-1)
@click.option(
    "--count", type=click.IntRange(1, 4), default=3, show_default=True, help="How many, where no faces are named."
)
@_FOLDER
def throw(dice: tuple[int, ...], count: int, folder: Path) -> None:
    """Throws the dice: these faces, or by chance.

    Exit status: 0 done, 1 no simulation runs there, or it can't be done.
    """
    _ask(folder, {"do": "throw", "count": count, **({"dice": dice} if dice else {})})


@sim.command()
@click.option("--series", type=click.Choice(["upper", "lower"]), default="upper", show_default=True)
@click.option("--combination", type=click.IntRange(1, 8), required=True)
@_FOLDER
def draw(series: str, combination: int, folder: Path) -> None:
    """Settles what the draw system draws next.

    Exit status: 0 done, 1 no simulation runs there, or it can't be done.
    """
    _ask(folder, {"do": "draw", "series": int(series == "lower"), "combination": combination})


@sim.command("faults")
@click.option("--json", "as_json", is_flag=True, help="A JSON object in a line for each.")
def list_faults(*, as_json: bool) -> None:
    """Lists every fault that can be brought about.

    Exit status: 0 listed.
    """
    from tablectl.features.sim.devices import faults

    for code, name, kinds, needs in faults():
        if as_json:
            write_json({"code": code, "key": name, "kinds": kinds.split(), "needs": needs})
            continue
        line = f"{code}  {name:28}{kinds}"
        write_line(said("sim.fault_needs", here(), line=line, needs=_translated(needs)) if needs else line)


def _ask(folder: Path, what: dict[str, Any]) -> None:
    from tablectl.features.sim.devices import ask
    from tablectl.features.sim.hands import SimError

    try:
        write_line(_translated(ask(folder, what)))
    except SimError as error:
        _leave(f"tablectl sim: {_translated(str(error))}", 1)


def _translated(line: str) -> str:
    """The answer of a simulation in the language of the person."""
    return retold(line, here(), "cli.sim", *FAMILIES)


def _leave(message: str, code: int) -> NoReturn:
    write_lines(message, err=True)
    raise SystemExit(code)


def simulate(config: Path, folder: Path | None, speed: float, report: Callable[[str], None]) -> None:
    """Runs simulators of a configuration's devices until a signal ends them.

    Args:
        folder: where their ports lie; else the configuration's runtime folder.

    Raises:
        OSError: the configuration can't be read.
        ConfigError: the configuration is wrong.
        StartError: the ports can't be made.
    """
    table = load(config)
    place = folder or runtime_dir(table)
    devices = {name: device.model_dump() for name, device in table.devices.items()}
    unfit = [name for name, device in table.devices.items() if not device.port.startswith("serial:")]
    if unfit:
        raise StartError(f"only devices at a serial: port can be simulated, not: {', '.join(unfit)}", 78)
    try:
        place.mkdir(mode=0o700, parents=True, exist_ok=True)
        asyncio.run(tool.simulate(devices, place, report, speed))
    except OSError as error:
        raise StartError(f"the simulation can't run in {place}: {error}", 73) from None
