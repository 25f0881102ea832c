"""Game record of Football Poker: all that the program outside this package needs."""

from typing import Final

from tablectl.core.game_record import GameRecord
from tablectl.core.games.football_poker.game import FootballPokerGame
from tablectl.core.games.football_poker.rules import BetName, read_rules
from tablectl.core.games.football_poker.shapes import settle_form
from tablectl.core.games.football_poker.state import FootballPoker, Settings

GAME: Final = GameRecord(
    name="football_poker",
    rule_table="football_poker.41-2003.toml",
    read_rules=read_rules,
    settle=settle_form,
    procedure=FootballPokerGame,
    settings=Settings,
    state=FootballPoker,
    bets=tuple(map(str, BetName)),
    devices=("shoe", "shuffler", "draw", "display"),
    usual=("shoe", "draw", "display"),
)
