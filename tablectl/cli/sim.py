"""`tablectl sim`: simulated devices at their ports, and faults on demand."""

import json
from pathlib import Path
from typing import Any, NoReturn

import click

from tablectl.cli.language import unreadable, why_not
from tablectl.cli.numbers import finite

_FOLDER = click.option(
    "--folder",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path("/run/tablectl"),
    show_default=True,
    help="Where the simulation runs.",
)


@click.group()
def sim() -> None:
    """Simulates devices that speak bytes. For trying out a table without hardware."""


@sim.command()
@click.option("--config", required=True, type=click.Path(path_type=Path), help="The table's configuration.")
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
    from tablectl.app.parts import StartError
    from tablectl.app.sim import simulate
    from tablectl.shell.config_errors import ConfigError

    try:
        simulate(config, folder, speed, click.echo)
    except ConfigError as error:
        _leave(why_not(error), 78)
    except StartError as error:
        _leave(f"tablectl sim: {why_not(error)}", error.exit_code)
    except OSError as error:
        _leave(f"tablectl sim: {unreadable(config, error)}", 66)


@sim.command()
@click.argument("code", type=int)
@click.option("--device", help="The device; not needed where only one can have the fault.")
@_FOLDER
def fault(code: int, device: str | None, folder: Path) -> None:
    """Brings about the fault of this number.

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


@sim.command("faults")
@click.option("--json", "as_json", is_flag=True, help="A JSON object in a line for each.")
def list_faults(*, as_json: bool) -> None:
    """Lists every fault that can be brought about.

    Exit status: 0 listed.
    """
    from tablectl.tools.sim import faults

    for code, name, kinds, needs in faults():
        if as_json:
            click.echo(json.dumps({"code": code, "key": name, "kinds": kinds.split(), "needs": needs}))
            continue
        click.echo(f"{code}  {name:28}{kinds}" + (f"  (told with {needs})" if needs else ""))


def _ask(folder: Path, what: dict[str, Any]) -> None:
    from tablectl.tools.sim import SimError, ask

    try:
        click.echo(ask(folder, what))
    except SimError as error:
        _leave(f"tablectl sim: {why_not(error)}", 1)


def _leave(message: str, code: int) -> NoReturn:
    click.echo(message, err=True)
    raise SystemExit(code)
