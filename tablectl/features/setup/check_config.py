"""`tablectl check-config`: what is wrong with a configuration, or what it says."""

import os
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import click

from tablectl import words
from tablectl.config import config_hash, console_url, load
from tablectl.config.checks import state_dir
from tablectl.config.errors import ConfigError
from tablectl.config.models import Config, SubscriberSection
from tablectl.config.remarks import remarks
from tablectl.config.values import split_broker
from tablectl.config.wheel import rim_of
from tablectl.features.common.language import here, why_not
from tablectl.features.common.options import read_changes, with_changes, with_language
from tablectl.features.common.output import write_json, write_line, write_lines
from tablectl.rule_tables import found, load_rules
from tablectl.words import Language
from tablectl.words.reason import why
from tablectl.words.terminal import cells


@click.command("check-config")
@click.argument("file", type=click.Path(path_type=Path, readable=False))
@with_changes
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
@with_language
def check_config(file: Path, changes: tuple[str, ...], *, as_json: bool, lang: Language) -> None:
    """Checks and explains a table's configuration.

    Exit status: 0 it can be used, 66 the file can't be read, 78 it has to be changed.
    """
    config = _load_or_exit(file, read_changes(changes))
    if as_json:
        write_json(form_of(config, file))
        return
    for remark in remarks(config, file):
        write_lines(remark.render(lang))
    write_line(_say("ok", lang, file=file))
    for line in summary(config, lang):
        write_line(f"  {line}")


def _load_or_exit(file: Path, overrides: Mapping[str, str]) -> Config:
    """The configuration; without one the process ends, having said why."""
    try:
        return load(file, overrides, at_work=True)
    except ConfigError as error:
        write_lines(why_not(error), err=True)
        sys.exit(os.EX_CONFIG)
    except OSError as error:
        write_line(f"{file}: {why(error, here())}", err=True)
        sys.exit(os.EX_NOINPUT)


def form_of(config: Config, file: Path) -> dict[str, Any]:
    """Return the facts that a script may need of a valid configuration."""
    return {
        "site": config.table.site,
        "table": config.table.name,
        "game": config.table.game,
        "rules_version": load_rules(config.table.game, found(config.game.rules)).version,
        "devices": {name: {"kind": device.kind, "port": device.port} for name, device in config.devices.items()},
        "rim": _rim_form(config),
        "people": {name: person.role for name, person in config.people.items()},
        "subscribers": {name: each.model_dump(mode="json") for name, each in config.subscribers.items()},
        "broker": config.mqtt.url,
        "console": config.console.listen,
        "state": str(state_dir(config)),
        "hash": config_hash(config),
        "remarks": [{"weight": each.weight, "key": each.key, "text": each.text} for each in remarks(config, file)],
    }


def summary(config: Config, language: Language) -> Iterator[str]:
    """Summarize the configuration, a line for each part."""
    rows = list(_rows(config, language))
    width = max(cells(_say(f"say.{name}", language)) for name, _ in rows)
    for name, told in rows:
        head = _say(f"say.{name}", language)
        yield f"{head}{' ' * (width - cells(head))}  {told}"


def _rows(config: Config, language: Language) -> Iterator[tuple[str, str]]:
    table = f"{config.table.site}/{config.table.name}"
    yield "table", _say("say.screen", language, table=table, screen=config.table.language)
    yield "game", _game(config, language)
    for name, device in config.devices.items():
        speed = "" if device.port.startswith("usb:") else " " + _say("say.speed", language, baudrate=device.baudrate)
        way = f"{device.protocol}, {device.port}{speed}"
        simulated = ", " + _say("say.simulated", language) if device.simulated else ""
        yield "equipment", _say("say.equipment_line", language, name=name, kind=device.kind, way=way + simulated)
    if rim := rim_of(config):
        pegs = _say("say.measured" if rim.measured else "say.drawn", language, version=rim.version)
        yield "rim", f"{pegs}; {_say('say.rim_told' if rim.told else 'say.rim_spread', language)}"
    yield "broker", _broker(config, language)
    yield "console", f"{console_url(config)}/"
    people = [f"{name} ({person.role})" for name, person in config.people.items()]
    yield "people", words.listed(people, language) or _say("say.nobody", language)
    yield from (("subscribers", say_subscriber(name, each, language)) for name, each in config.subscribers.items())
    yield "state", str(state_dir(config))
    yield "hash", config_hash(config)


def _rim_form(config: Config) -> dict[str, Any] | None:
    rim = rim_of(config)
    return {"pegs": rim.version, "measured": rim.measured, "layout_set": rim.told} if rim else None


def _game(config: Config, language: Language) -> str:
    game, rules = config.game, load_rules(config.table.game, found(config.game.rules))
    stakes = game.stakes.model_dump(mode="json")
    named = game.model_dump()
    places = [_say("say.places", language, places=named["places"])] if "places" in named else []
    dealt = [_say("say.dealt", language, kind=named["dealing"])] if "dealing" in named else []
    limits = _say("say.stakes", language, **stakes)
    return words.listed([f"{config.table.game} ({rules.version})", *places, *dealt, limits], language)


def _broker(config: Config, language: Language) -> str:
    broker = split_broker(config.mqtt.url)
    user = " " + _say("say.user", language, user=config.mqtt.username) if config.mqtt.username else ""
    return f"{config.mqtt.url}{user}, {'TLS' if broker and broker[0] else _say('say.plain', language)}"


def say_subscriber(name: str, section: SubscriberSection, language: Language) -> str:
    """A subscriber's rights in one line."""
    values = {
        "name": name,
        "may": words.listed(section.may, language),
        "reads": words.listed(section.reads, language),
        "role": section.role,
    }
    parts = ["subscriber_may", *(["subscriber_reads"] if section.reads else [])]
    parts += ["subscriber_role"] if section.role else []
    return "; ".join(_say(f"say.{part}", language, **values) for part in parts)


def _say(key: str, language: Language, **values: object) -> str:
    return words.text(f"config.{key}", language, **values)
