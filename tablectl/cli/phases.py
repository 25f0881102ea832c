"""`tablectl phases`: a game's phases and what leads from one to the next, as a picture."""

from importlib import import_module
from typing import cast

import click

from tablectl import words
from tablectl.core import phases as pictures
from tablectl.shell.rules import GAMES
from tablectl.words import LANGUAGES, Language


def transitions_of(game: str) -> pictures.Transitions:
    """A game's table of transitions, which is also the one that its procedure goes by."""
    transitions: pictures.Transitions = import_module(f"tablectl.core.games.{game}.state").TRANSITIONS
    return transitions


def names_of(game: str, language: Language) -> pictures.Names:
    """The names of a game's phases."""
    return {phase: words.text(f"phase.{game}.{phase}", language) for phase in transitions_of(game)}


@click.command()
@click.argument("game", type=click.Choice(list(GAMES)))
@click.option("--mermaid", is_flag=True, help="For Markdown that draws Mermaid diagrams.")
@click.option("--lang", type=click.Choice(LANGUAGES), default="en", show_default=True, help="Of the phases' names.")
def phases(game: str, *, mermaid: bool, lang: str) -> None:
    """Prints the phases of a game's rounds, from the table that its procedure goes by."""
    draw = pictures.mermaid if mermaid else pictures.text
    click.echo(draw(transitions_of(game), names_of(game, cast("Language", lang))), nl=False)
