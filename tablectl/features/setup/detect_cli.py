"""`tablectl detect`: the attached devices, and their lines for a configuration."""

import click

from tablectl.features.common.options import finite, with_language
from tablectl.features.common.output import write_json, write_lines
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
    help="Wait this much longer for a shoe, which only speaks when a card is drawn: draw one.",
)
@click.option("--json", "as_json", is_flag=True, help="One JSON list.")
@with_language
def detect(*, ports: tuple[str, ...], listen_s: float, as_json: bool, lang: Language) -> None:
    """Finds connected devices. Proposes the lines for a configuration.

    Without PORT it looks at /dev/serial/by-path and USB. It opens each port and sends a greeting of our link and one
    question to an encoder adapter: run it while no table has these ports. What it says of the ports goes to
    stderr, the lines for the configuration to stdout.

    \b
    Exit codes:
      0  at least one device said who it is     1  none did
    """  # noqa: D301  # click wants the character itself
    import asyncio

    from tablectl.features.setup.detect import detect_devices, others_on_usb
    from tablectl.features.setup.detect_report import form, proposal, report, usb_proposal

    found = asyncio.run(detect_devices(ports, listen_s))
    if as_json:
        write_json(form(found), indent=2)
    else:
        for line in report(found, lang):
            write_lines(line, err=True)
        for line in proposal(found):
            write_lines(line)
        if any(seen.kind for seen in found) and not ports:
            for line in usb_proposal(others_on_usb([seen.port for seen in found])):
                write_lines(line)
    raise SystemExit(0 if any(seen.kind for seen in found) else 1)
