"""The Wheel of Fortune's entry in the table of games.

It is all that the program beyond this package needs of the game.
"""

from typing import Final

from tablectl.core.game_record import GameRecord
from tablectl.core.games.wheel_of_fortune.game import WheelOfFortuneGame
from tablectl.core.games.wheel_of_fortune.rules import read_rules
from tablectl.core.games.wheel_of_fortune.sections import BetName
from tablectl.core.games.wheel_of_fortune.shapes import settle_form
from tablectl.core.games.wheel_of_fortune.state import Settings, WheelOfFortune

GAME: Final = GameRecord(
    name="wheel_of_fortune",
    rule_table="wheel_of_fortune.42-2003.toml",
    read_rules=read_rules,
    settle=settle_form,
    procedure=WheelOfFortuneGame,
    settings=Settings,
    state=WheelOfFortune,
    bets=tuple(map(str, BetName)),
    devices=("wheel",),
    usual=("wheel",),
)
