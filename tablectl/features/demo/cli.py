"""`tablectl demo`: a simulated table in this terminal."""

import math
import secrets
from pathlib import Path

import click

from tablectl.core import games
from tablectl.features.common.options import finite, with_language
from tablectl.words import Language

GAMES = [game.replace("_", "-") for game in games.GAMES]

SEED_MAX = 9999
"""A seed that nobody chose is short enough to be typed again."""


def _read_speed(ctx: click.Context, param: click.Parameter, value: float) -> float:  # noqa: ARG001  # click's form
    if not math.isfinite(value):
        raise click.BadParameter("a number; 0 takes no time")
    return value


def _read_broker(ctx: click.Context, param: click.Parameter, value: str | None) -> str | None:  # noqa: ARG001  # the same
    from tablectl.mqtt.settings import parse_broker_url

    try:
        if value is not None:
            parse_broker_url(value)
    except ValueError as error:
        raise click.BadParameter(str(error)) from None
    return value


def _hyphenated(name: str) -> str:
    """Accept `q_poker` for `q-poker`.

    Configurations and rounds write the game so.
    """
    return name.replace("_", "-")


@click.command(context_settings={"token_normalize_func": _hyphenated})
@click.option("--game", type=click.Choice(GAMES), default="q-poker", show_default=True)
@click.option(
    "--speed",
    type=click.FloatRange(0),
    default=1.0,
    show_default=True,
    callback=_read_speed,
    help="1 is human, 0 takes no time.",
)
@click.option("--rounds", type=click.IntRange(1), help="How many; without it, until Ctrl-C.")
@click.option("--seed", type=click.IntRange(0), help="The same seed plays the same rounds.")
@click.option(
    "--broker",
    metavar="URL",
    callback=_read_broker,
    help="Use this broker (mqtt://HOST:PORT) instead of a private one.",
)
@with_language
@click.option(
    "--irregular",
    type=click.FloatRange(0, 1),
    callback=finite,
    default=0.2,
    show_default=True,
    help="Share of the rounds that go wrong.",
)
@click.option("--keep", type=click.Path(file_okay=False, path_type=Path), help="Keep the table's state in this folder.")
@click.option("--play", is_flag=True, help="You play: the devices wait for you at the dealer's page.")
def demo(  # noqa: PLR0913  # one argument for each option: click's form
    *,
    game: str,
    speed: float,
    rounds: int | None,
    seed: int | None,
    broker: str | None,
    lang: Language,
    irregular: float,
    keep: Path | None,
    play: bool,
) -> None:
    """Plays a simulated table.

    It has a private broker, a real daemon, simulated devices and people.

    Exit status: 0 played or ended by Ctrl-C, 1 something broke.
    """
    from tablectl.features.demo.layout import Options
    from tablectl.features.demo.runner import demo as perform

    chosen = secrets.randbelow(SEED_MAX) + 1 if seed is None else seed
    options = Options(
        seed=chosen,
        game=game,
        speed=speed,
        rounds=rounds,
        broker=broker,
        language=lang,
        irregular=irregular,
        keep=keep,
        play=play,
    )
    raise SystemExit(perform(options))
