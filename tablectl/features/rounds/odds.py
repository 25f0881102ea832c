"""`tablectl odds`: what every bet of a game returns, exactly."""

from pathlib import Path
from typing import Final

import click

from tablectl.core.bets.ratios import BetOdds, Decks, Odds, write_odds
from tablectl.features.common.language import said
from tablectl.features.common.options import underlined, with_language
from tablectl.features.common.output import write_json, write_lines
from tablectl.rule_tables import GAMES, RulesError, game_record, load_rules, part
from tablectl.words import Language
from tablectl.words.terminal import cells

COLUMNS: Final = {"win": 10, "push": 10, "loss": 10, "expectation": 12, "deviation": 9}
"""The figures of a bet, and how wide they are."""


def _read_decks(ctx: click.Context, param: click.Parameter, value: str) -> Decks:  # noqa: ARG001  # click's form
    if value == "inf":
        return None
    if value.isascii() and value.isdigit() and 1 <= len(value) <= 3 and int(value) > 0:
        return int(value)
    raise click.BadParameter("a number from 1, or inf")


@click.command(context_settings={"token_normalize_func": underlined})
@click.argument("game", metavar="GAME", type=click.Choice(GAMES))
@click.option("--decks", metavar="N|inf", default="1", show_default=True, callback=_read_decks, help="Packs in play.")
@click.option(
    "--rules",
    "table",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="A rule table to compute with, in place of the shipped one.",
)
@with_language
@click.option("--json", "as_json", is_flag=True, help="One JSON object with exact fractions.")
def odds(game: str, decks: Decks, table: Path | None, *, lang: Language, as_json: bool) -> None:
    """Shows the exact expectation of GAME's bets.

    It is shown for every bet, per unit staked and after commission.

    GAME is q_poker, football_poker, wheel_of_fortune, chinese_dice or thirteen_cards.

    Exit status: 0 printed, 1 the rule table can't be used.
    """
    try:
        found: Odds = part(game_record(game).odds)(load_rules(game, table), decks)
    except ValueError as error:
        raise click.BadParameter(str(error), param_hint="--decks") from None
    except RulesError as error:
        raise click.ClickException(str(error)) from None
    write_json(write_odds(found)) if as_json else write_lines(_table(found, lang))


def _table(found: Odds, language: Language) -> str:
    """The odds for people: a line for each bet, then whatever else there is.

    Bets have the names that `tablectl settle` takes.
    """
    width = max(map(len, (*found.bets, *(key for values in found.extra.values() for key in values))))
    bet = said("odds.bet", language)
    titles = ((said(f"odds.{name}", language), columns) for name, columns in COLUMNS.items())
    head = "".join(
        [bet + " " * (width - cells(bet)), *("  " + " " * (wide - cells(title)) + title for title, wide in titles)]
    )
    bets = [f"{name:{width}}  {_row(bet)}" for name, bet in found.bets.items()]
    parts = [[head, *bets]] if bets else []
    for name, values in found.extra.items():
        rows = [f"{key:{width}}  {float(value):>10.4%}  {value}" for key, value in values.items()]
        parts.append([said(f"odds.{name}", language), *rows])
    return "\n\n".join("\n".join(lines) for lines in parts)


def _row(bet: BetOdds) -> str:
    chances = "  ".join(f"{float(chance):>10.4%}" for chance in bet.chances())
    return f"{chances}  {float(bet.expectation()):>+12.4%}  {bet.deviation():>9.3f}"
