"""`tablectl decode`."""

import click

from tablectl.cli.language import why_not

PROTOCOLS = ["angel_eye", "link", "am03127", "qsb", "usb"]
KINDS = ["shuffler", "dice", "draw", "display", "buzzer", "shoe"]


@click.command()
@click.argument("protocol", type=click.Choice(PROTOCOLS))
@click.argument("hex_bytes", metavar="HEX", nargs=-1, required=True)
@click.option("--kind", type=click.Choice(KINDS), help="Whose messages they are, on our link.")
@click.option("--cards", is_flag=True, help="Name the cards: they may have lain face down.")
def decode(protocol: str, hex_bytes: tuple[str, ...], kind: str | None, cards: bool) -> None:
    """Explains a frame given as hexadecimal bytes.

    For example: tablectl decode angel_eye 05 31 44 81 B8 03 34 46.
    Cards are hidden without --cards, because a capture may be read by those who may not know them.

    Exit status: 0 explained, 65 it is no such frame.
    """
    from drivers.decode import DecodeError, explain

    try:
        for line in explain(protocol, " ".join(hex_bytes), kind or "", cards=cards):
            click.echo(line)
    except DecodeError as error:
        click.echo(f"tablectl decode: {why_not(error)}", err=True)
        raise SystemExit(65) from None
