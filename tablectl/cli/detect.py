"""`tablectl detect`: which devices are attached, and their lines for a configuration."""

import json

import click

from tablectl.cli.language import with_language
from tablectl.cli.numbers import finite
from tablectl.words import Language


@click.command("detect")
@click.argument("ports", nargs=-1, metavar="[PORT]...")
@click.option(
    "--listen",
    "listen_s",
    type=click.FloatRange(0, 600),
    callback=finite,
    default=0.0,
    metavar="SECONDS",
    help="Wait so long besides for a shoe that only speaks when a card is drawn: draw one.",
)
@click.option("--json", "as_json", is_flag=True, help="One JSON list.")
@with_language
def detect(*, ports: tuple[str, ...], listen_s: float, as_json: bool, lang: Language) -> None:
    """Asks every serial adapter who is there. Proposes the lines for a configuration.

    Without PORT it looks at /dev/serial/by-path and USB. It opens each port and sends a greeting of our link and one
    question to an encoder adapter: run it while no table has these ports. What it says of the ports goes to
    stderr, the lines for the configuration to stdout.

    \b
    Exit codes:
      0  at least one device said who it is     1  none did
    """  # noqa: D301  # click wants the character itself
    import asyncio

    from tablectl.app.detect import detect_devices, others_on_usb
    from tablectl.tools.detect import form, proposal, report, usb_proposal

    found = asyncio.run(detect_devices(ports, listen_s))
    if as_json:
        click.echo(json.dumps(form(found), ensure_ascii=False, indent=2))
    else:
        for line in report(found, lang):
            click.echo(line, err=True)
        for line in proposal(found):
            click.echo(line)
        if any(seen.kind for seen in found) and not ports:
            for line in usb_proposal(others_on_usb([seen.port for seen in found])):
                click.echo(line)
    raise SystemExit(0 if any(seen.kind for seen in found) else 1)
