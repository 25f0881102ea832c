"""`tablectl dev decode|phases|schema`: bytes, phases and messages, for developers."""

import click

import tablectl
from drivers.devices import linked_kinds, protocols
from tablectl import words
from tablectl.core.game_record import Transitions
from tablectl.features import phase_diagrams as pictures
from tablectl.features.common.language import why_not
from tablectl.features.common.options import underlined, with_language
from tablectl.features.common.output import write_json, write_line, write_lines
from tablectl.rule_tables import GAMES, game_record
from tablectl.words import Language

PROTOCOLS = protocols()
KINDS = linked_kinds()


@click.command()
@click.argument("protocol", type=click.Choice(PROTOCOLS))
@click.argument("hex_bytes", metavar="HEX", nargs=-1, required=True)
@click.option("--kind", type=click.Choice(KINDS), help="Whose messages they are, on our link.")
@click.option("--cards", is_flag=True, help="Name the cards: they may have lain face down.")
def decode(protocol: str, hex_bytes: tuple[str, ...], kind: str | None, cards: bool) -> None:
    """Explains a frame given as hexadecimal bytes.

    For example: tablectl dev decode angel_eye 05 31 44 81 B8 03 34 46.
    Cards are hidden without --cards, because a capture may be read by those who may not know them.

    Exit status: 0 explained, 65 it is no such frame.
    """
    from drivers.diagnostics.explain import DecodeError, explain

    try:
        for line in explain(protocol, " ".join(hex_bytes), kind or "", cards=cards):
            write_line(line)
    except DecodeError as error:
        write_lines(f"tablectl dev decode: {why_not(error)}", err=True)
        raise SystemExit(65) from None


def transitions_of(game: str) -> Transitions:
    """A game's table of transitions, which is also the one that its procedure goes by."""
    return game_record(game).transitions


def names_of(game: str, language: Language) -> pictures.Names:
    """The names of a game's phases."""
    return {phase: words.text(f"phase.{game}.{phase}", language) for phase in transitions_of(game)}


@click.command(context_settings={"token_normalize_func": underlined})
@click.argument("game", metavar="GAME", type=click.Choice(GAMES))
@click.option("--mermaid", is_flag=True, help="As a Mermaid diagram, for Markdown.")
@with_language
@click.option("--json", "as_json", is_flag=True, help="One JSON object: phase, its name, and what leads where.")
def phases(game: str, *, mermaid: bool, lang: Language, as_json: bool) -> None:
    """Prints the phases of a game's rounds.

    The table is the one that its procedure goes by.

    GAME is q_poker, football_poker, wheel_of_fortune, chinese_dice or thirteen_cards.

    Exit status: 0 printed.
    """
    if as_json:
        names = names_of(game, lang)
        form = {phase: {"name": names[phase], "leads_to": steps} for phase, steps in transitions_of(game).items()}
        write_json(form)
        return
    draw = pictures.mermaid if mermaid else pictures.text
    click.echo(draw(transitions_of(game), names_of(game, lang)), nl=False)


@click.command()
@click.option("--json", "as_json", is_flag=True, help="As JSON, which is the only form there is.")
def schema(*, as_json: bool) -> None:  # noqa: ARG001  # asked for or not, it is JSON
    """Prints what a table publishes, as AsyncAPI 3.

    A running table has the same document, on one line, retained on its topic meta/asyncapi.

    Exit status: 0 printed.
    """
    from tablectl.daemon.asyncapi import description

    write_json(description(tablectl.__version__), indent=2)
