"""`tablectl phases`: a game's phases and what leads from one to the next, as a picture."""

import json
from importlib import import_module

import click

from tablectl import words
from tablectl.cli.game_names import underlined
from tablectl.cli.language import with_language
from tablectl.core import phases as pictures
from tablectl.shell.rules import GAMES
from tablectl.words import Language


def transitions_of(game: str) -> pictures.Transitions:
    """A game's table of transitions, which is also the one that its procedure goes by."""
    transitions: pictures.Transitions = import_module(f"tablectl.core.games.{game}.state").TRANSITIONS
    return transitions


def names_of(game: str, language: Language) -> pictures.Names:
    """The names of a game's phases."""
    return {phase: words.text(f"phase.{game}.{phase}", language) for phase in transitions_of(game)}


@click.command(context_settings={"token_normalize_func": underlined})
@click.argument("game", metavar="GAME", type=click.Choice(list(GAMES)))
@click.option("--mermaid", is_flag=True, help="For Markdown that draws Mermaid diagrams.")
@with_language
@click.option("--json", "as_json", is_flag=True, help="One JSON object: phase, its name, and what leads where.")
def phases(game: str, *, mermaid: bool, lang: Language, as_json: bool) -> None:
    """Prints the phases of a game's rounds. The table is the one that its procedure goes by.

    GAME is q_poker, football_poker, wheel_of_fortune, chinese_dice or thirteen_cards.

    Exit status: 0 printed.
    """
    if as_json:
        names = names_of(game, lang)
        form = {phase: {"name": names[phase], "leads_to": steps} for phase, steps in transitions_of(game).items()}
        click.echo(json.dumps(form, ensure_ascii=False))
        return
    draw = pictures.mermaid if mermaid else pictures.text
    click.echo(draw(transitions_of(game), names_of(game, lang)), nl=False)
