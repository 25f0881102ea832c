"""The games that can be demonstrated."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

from tablectl.features.demo.games.chinese_dice import plans as dice_plans
from tablectl.features.demo.games.chinese_dice import play as dice_play
from tablectl.features.demo.games.football_poker import plans as football_plans
from tablectl.features.demo.games.football_poker import play as football_play
from tablectl.features.demo.games.q_poker import plans as q_poker_plans
from tablectl.features.demo.games.q_poker import play as q_poker_play
from tablectl.features.demo.games.thirteen_cards import plans as thirteen_plans
from tablectl.features.demo.games.thirteen_cards import play as thirteen_play
from tablectl.features.demo.games.wheel_of_fortune import plans as wheel_plans
from tablectl.features.demo.games.wheel_of_fortune import play as wheel_play
from tablectl.features.demo.script import Act

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
