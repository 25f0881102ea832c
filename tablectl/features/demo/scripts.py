"""The games that can be demonstrated."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

from tablectl.features.demo.chinese_dice.plan import plans as dice_plans
from tablectl.features.demo.chinese_dice.play import play as dice_play
from tablectl.features.demo.football_poker.plan import plans as football_plans
from tablectl.features.demo.football_poker.play import play as football_play
from tablectl.features.demo.q_poker.plan import plans as q_poker_plans
from tablectl.features.demo.q_poker.play import play as q_poker_play
from tablectl.features.demo.staging.script import Act
from tablectl.features.demo.thirteen_cards.plan import plans as thirteen_plans
from tablectl.features.demo.thirteen_cards.play import play as thirteen_play
from tablectl.features.demo.wheel_of_fortune.plan import plans as wheel_plans
from tablectl.features.demo.wheel_of_fortune.play import play as wheel_play

ACTS: Final[Mapping[str, Act[Any]]] = MappingProxyType(
    {
        "q-poker": Act("tables/q-poker.demo.toml", "game.q_poker", q_poker_plans, q_poker_play),
        "chinese-dice": Act("tables/chinese-dice.demo.toml", "game.chinese_dice", dice_plans, dice_play),
        "football-poker": Act("tables/football-poker.demo.toml", "game.football_poker", football_plans, football_play),
        "thirteen-cards": Act("tables/thirteen-cards.demo.toml", "game.thirteen_cards", thirteen_plans, thirteen_play),
        "wheel-of-fortune": Act("tables/wheel-of-fortune.demo.toml", "game.wheel_of_fortune", wheel_plans, wheel_play),
    }
)
"""By the name that the command line gives them."""
