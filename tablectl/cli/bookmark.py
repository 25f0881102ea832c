"""`tablectl bookmark` and `acknowledge`: what a person does at a table at work, in his own name."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import click

from tablectl.cli.explain import configured, leave, leaving, with_language
from tablectl.words import Language

REFUSED, FAILED = 1, 2

F = TypeVar("F", bound=Callable[..., Any])


def with_person(command: F) -> F:
    """The options that say at which table, and who asks."""
    config = click.option("--config", type=click.Path(path_type=Path), help="The table's configuration.")
    url = click.option("--url", help="The console's address instead, as http://127.0.0.1:8080.")
    person = click.option("--person", prompt="Name", help="Who asks, as the configuration names him.")
    pin = click.option(
        "--pin-file", type=click.Path(path_type=Path), help="A file with his PIN; without it the PIN is asked for."
    )
    as_json = click.option("--json", "as_json", is_flag=True, help="What came of it as one JSON object.")
    return config(url(person(pin(as_json(with_language(command))))))


@click.command("bookmark")
@click.argument("note")
@click.option("--sequence", type=click.IntRange(1), help="The event that is meant; without it, this moment.")
@with_person
def bookmark(
    *,
    note: str,
    sequence: int | None,
    config: Path | None,
    url: str | None,
    person: str,
    pin_file: Path | None,
    lang: Language,
    as_json: bool,
) -> None:
    """Marks this moment of a table at work, or an earlier event, with NOTE. It is recorded and published.

    Exit status: 0 recorded, 1 refused, 2 the table can't be asked.
    """
    fields = {"note": note, **({"sequence": sequence} if sequence else {})}
    _run("bookmark", "bookmark", fields, (config, url), (person, pin_file), lang, as_json=as_json)


@click.command("acknowledge")
@click.argument("code", type=click.IntRange(1, 9999))
@click.option("--device", default="", help="The device; without it the controller's own fault.")
@with_person
def acknowledge(
    *,
    code: int,
    device: str,
    config: Path | None,
    url: str | None,
    person: str,
    pin_file: Path | None,
    lang: Language,
    as_json: bool,
) -> None:
    """Says that fault CODE has been seen and dealt with. It is recorded and published.

    Exit status: 0 recorded, 1 refused, 2 the table can't be asked.
    """
    fields = {"code": code, "device": device}
    _run("acknowledge", "acknowledge_fault", fields, (config, url), (person, pin_file), lang, as_json=as_json)


def _run(
    command: str,
    verb: str,
    fields: Mapping[str, Any],
    table: tuple[Path | None, str | None],
    who: tuple[str, Path | None],
    lang: Language,
    *,
    as_json: bool,
) -> None:
    from tablectl.tools.errand import ErrandError, RefusedError, Who, run_errand

    person, pin_file = who
    with leaving(command):
        try:
            record = run_errand(_url(*table), Who(person, _pin(pin_file)), verb, fields, lang)
        except RefusedError as refusal:
            if as_json:
                click.echo(json.dumps({"refused": refusal.article, "text": refusal.text}, ensure_ascii=False))
            leave(command, f"refused ({refusal.article}): {refusal.text}", REFUSED)
        except ErrandError as error:
            leave(command, str(error), FAILED)
    click.echo(json.dumps({"record": record}) if as_json else f"recorded as {record}")


def _url(config: Path | None, url: str | None) -> str:
    from tablectl.shell.config import console_address

    if (config is None) == (url is None):
        raise click.UsageError("name either --config or --url")
    if config is None:
        return str(url)
    host, port = console_address(configured(config))
    return f"http://{f'[{host}]' if ':' in host else host}:{port}"


def _pin(path: Path | None) -> str:
    if path is None:
        asked: str = click.prompt("PIN", hide_input=True, err=True)
        return asked
    return path.read_text("utf-8").strip()
