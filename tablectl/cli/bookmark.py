"""`tablectl bookmark` and `acknowledge`: what a person does at a table at work, in his own name."""

from typing import Any, Final

import click

from tablectl.cli.errand import Asker, for_the_record, run, with_person

NAME_MOST: Final = 64


@click.command("bookmark")
@click.argument("note", callback=for_the_record)
@click.option("--sequence", type=click.IntRange(1, 2**53 - 1), help="The event that is meant; without it, this moment.")
@with_person
def bookmark(*, note: str, sequence: int | None, **given: Any) -> None:
    """Marks this moment of a table at work, or an earlier event, with NOTE. It is recorded and published.

    Exit status: 0 recorded, 1 refused, 2 the table can't be asked.
    """
    run("bookmark", "bookmark", {"note": note, **({"sequence": sequence} if sequence else {})}, Asker(**given))


def device_name(_ctx: click.Context, _param: click.Parameter, value: str) -> str:
    """The name of a device, which is short."""
    if len(value) > NAME_MOST:
        raise click.BadParameter(f"it has {len(value)} characters, and {NAME_MOST} are the most")
    return value


@click.command("acknowledge")
@click.argument("code", type=click.IntRange(1, 9999))
@click.option("--device", default="", callback=device_name, help="The device; without it the controller's own fault.")
@with_person
def acknowledge(*, code: int, device: str, **given: Any) -> None:
    """Says that fault CODE has been seen and dealt with. It is recorded and published.

    Exit status: 0 recorded, 1 refused, 2 the table can't be asked.
    """
    run("acknowledge", "acknowledge_fault", {"code": code, "device": device}, Asker(**given))
