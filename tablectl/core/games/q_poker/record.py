"""Game record of Q Poker: all that the program outside this package needs of it."""

from typing import Any, Final

from tablectl.core.dealing.deal import Deal
from tablectl.core.game_record import GameRecord
from tablectl.core.games.q_poker.bulk import BulkSettler
from tablectl.core.games.q_poker.game import QPokerGame
from tablectl.core.games.q_poker.rules import read_rules
from tablectl.core.games.q_poker.settlement import BetName
from tablectl.core.games.q_poker.shapes import settle_form
from tablectl.core.games.q_poker.state import QPoker, Settings


def _with_deal(state: Any) -> Any:
    """Convert the state of an older snapshot to the form with `deal`.

    The older one has the cards on the table as fields of the state itself.
    """
    if not isinstance(state, dict) or "deal" in state:
        return state  # pyright: ignore[reportUnknownVariableType]  # of whatever a snapshot holds
    flat: dict[str, Any] = dict(state)  # pyright: ignore[reportUnknownArgumentType]
    return {**flat, "deal": {name: flat[name] for name in Deal.__dataclass_fields__ if name in flat}}


GAME: Final = GameRecord(
    name="q_poker",
    rule_table="q_poker.89-2004.toml",
    read_rules=read_rules,
    settle=settle_form,
    procedure=QPokerGame,
    settings=Settings,
    state=QPoker,
    bets=tuple(map(str, BetName)),
    devices=("shoe", "shuffler"),
    usual=("shoe",),
    bulk=BulkSettler,
    upgrade=_with_deal,
)
