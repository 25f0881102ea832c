"""Game record of Chinese dice: all that the program outside this package needs."""

from typing import Final

from tablectl.core.game_record import GameRecord
from tablectl.core.games.chinese_dice.game import ChineseDiceGame
from tablectl.core.games.chinese_dice.rules import read_rules
from tablectl.core.games.chinese_dice.shapes import settle_form
from tablectl.core.games.chinese_dice.state import ChineseDice, Settings

GAME: Final = GameRecord(
    name="chinese_dice",
    rule_table="chinese_dice.108-89-m.toml",
    read_rules=read_rules,
    settle=settle_form,
    procedure=ChineseDiceGame,
    settings=Settings,
    state=ChineseDice,
    bets=("place", "bank"),
    devices=("dice",),
    usual=(),
    dice=3,
)
