"""Evenings of the core with a journal on disk, at which tests amend."""

import json
from collections.abc import Callable, Generator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, Final

from tablectl.config.game_setup import played
from tablectl.core.facts.amendments import Change
from tablectl.core.games.q_poker.game import QPokerGame
from tablectl.core.games.q_poker.state import Settings as QPokerSettings
from tablectl.core.games.wheel_of_fortune.game import WheelOfFortuneGame
from tablectl.core.games.wheel_of_fortune.state import Settings as WheelSettings
from tablectl.rule_tables import load_rules
from tests.referee.amended import TABLES
from tests.referee.evening import Act, Evening

Fields = Mapping[str, Any]
Recorded = tuple[str, Fields]
Seated = Callable[..., Evening]

ROUND: Final = "5eed0001-000001"
GAMES: Final[Mapping[str, Any]] = {
    **TABLES,
    "paid_wheel": WheelOfFortuneGame(load_rules("wheel_of_fortune"), WheelSettings(confirm_payment=True)),
    "unread_wheel": WheelOfFortuneGame(load_rules("wheel_of_fortune"), WheelSettings(wheel="")),
    "paid_poker": QPokerGame(load_rules("q_poker"), QPokerSettings(confirm_payment=True)),
}


@contextmanager
def tables(folder: Path) -> Generator[Seated]:
    """Seats at tables: `seated("q_poker", *acts)` is an evening at one of `GAMES`, after these acts."""
    with ExitStack() as stack:

        def seated(name: str, *acts: Recorded) -> Evening:
            game = GAMES[name]
            evening = Evening(game, played(game.name).table, folder)
            stack.callback(evening.close)
            does(evening, *acts)
            return evening

        yield seated


def does(evening: Evening, *acts: Recorded) -> list[int]:
    """The records of these acts, none of which is refused."""
    records = list[int]()
    for verb, fields in acts:
        assert evening.happens(Act(verb, fields)) is None, (verb, fields)
        records.append(evening.table.records)
    return records


def to(record: int, **fields: Any) -> Change:
    """A fact that is put right."""
    return Change(record, json.dumps(fields))


def after(record: int, verb: str, **fields: Any) -> Change:
    """A fact that is put in after a record."""
    return Change(record, json.dumps(fields), inserted=True, verb=verb)


def last(evening: Evening, kind: str) -> Any:
    """The data of the last event of this type."""
    return next(each["data"] for each in reversed(evening.events) if each["type"] == f"mo.tablectl.{kind}.v1")
