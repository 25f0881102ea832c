"""`tablectl check-config`: what is wrong with a configuration, or what it says."""

import json
import os
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import click

from tablectl.cli.changes import read_changes
from tablectl.shell.config import Config, ConfigError, config_hash, load, remarks, state_dir
from tablectl.shell.config_values import split_broker
from tablectl.shell.rules import load_rules


@click.command("check-config")
@click.argument("file", type=click.Path(path_type=Path, readable=False))
@click.option("--set", "changes", multiple=True, metavar="KEY=VALUE", help="A value in place of the file's.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
def check_config(file: Path, changes: tuple[str, ...], *, as_json: bool) -> None:
    """Checks a table's configuration and says what it means.

    Exit status: 0 it can be used, 66 the file can't be read, 78 it has to be changed.
    """
    config = _load_or_exit(file, read_changes(changes))
    if as_json:
        click.echo(json.dumps(form_of(config, file), ensure_ascii=False))
        return
    for remark in remarks(config, file):
        click.echo(str(remark))
    click.echo(f"{file}: ok")
    for line in summary(config):
        click.echo(f"  {line}")


def _load_or_exit(file: Path, overrides: Mapping[str, str]) -> Config:
    """The configuration; without one the process ends, having said why."""
    try:
        return load(file, overrides)
    except ConfigError as error:
        click.echo(str(error), err=True)
        sys.exit(os.EX_CONFIG)
    except OSError as error:
        click.echo(f"{file}: {error.strerror}", err=True)
        sys.exit(os.EX_NOINPUT)


def form_of(config: Config, file: Path) -> dict[str, Any]:
    """What a script may want to know of a configuration that can be used."""
    return {
        "site": config.table.site,
        "table": config.table.name,
        "game": config.table.game,
        "rules_version": load_rules(config.table.game).version,
        "devices": {name: {"kind": device.kind, "port": device.port} for name, device in config.devices.items()},
        "people": {name: person.role for name, person in config.people.items()},
        "broker": config.mqtt.url,
        "console": config.console.listen,
        "state": str(state_dir(config)),
        "hash": config_hash(config),
        "remarks": [{"weight": each.weight, "key": each.key, "text": each.text} for each in remarks(config, file)],
    }


def summary(config: Config) -> Iterator[str]:
    """What the configuration comes to, a line each."""
    yield f"table    {config.table.site}/{config.table.name}, screen in {config.table.language}"
    yield f"game     {_game(config)}"
    for name, device in config.devices.items():
        speed = f" at {device.baudrate}" if not device.port.startswith("usb:") else ""
        way = f"{device.protocol}, {device.port}{speed}"
        yield f"device   {name}: {device.kind}, {way}{', simulated' if device.simulated else ''}"
    yield f"broker   {_broker(config)}"
    yield f"console  http://{config.console.listen}/"
    people = [f"{name} ({person.role})" for name, person in config.people.items()]
    yield f"people   {', '.join(people) or 'none'}"
    yield f"state    {state_dir(config)}"
    yield f"hash     {config_hash(config)}"


def _game(config: Config) -> str:
    game, rules = config.game, load_rules(config.table.game)
    stakes = game.stakes.model_dump(mode="json")
    limits = f"stakes {stakes['least']} to {stakes['most']} in steps of {stakes['step']}"
    named = game.model_dump()
    places = f"{named['places']} places, " if "places" in named else ""
    dealt = f"dealt from the {named['dealing']}, " if "dealing" in named else ""
    return f"{config.table.game} ({rules.version}), {places}{dealt}{limits}"


def _broker(config: Config) -> str:
    broker = split_broker(config.mqtt.url)
    user = f" as {config.mqtt.username}" if config.mqtt.username else ""
    return f"{config.mqtt.url}{user}, {'TLS' if broker and broker[0] else 'not encrypted'}"
