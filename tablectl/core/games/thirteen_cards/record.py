"""Game record of 13 Cards: all that the program outside this package needs of it."""

from typing import Final

from tablectl.core.game_record import GameRecord
from tablectl.core.games.thirteen_cards.game import ThirteenCardsGame
from tablectl.core.games.thirteen_cards.rules import read_rules
from tablectl.core.games.thirteen_cards.shapes import settle_form
from tablectl.core.games.thirteen_cards.state import Settings, ThirteenCards

GAME: Final = GameRecord(
    name="thirteen_cards",
    rule_table="thirteen_cards.51-89-m.toml",
    read_rules=read_rules,
    settle=settle_form,
    procedure=ThirteenCardsGame,
    settings=Settings,
    state=ThirteenCards,
    bets=("place",),
    devices=("shoe", "shuffler", "dice", "buzzer"),
    usual=(),
    dice=4,
)
