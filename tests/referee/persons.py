"""Persons whose word an amendment takes, from what everybody sees; written from the contract on amendments alone."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

BOTH: Final = ("dealer", "supervisor")
MANNERS: Final[tuple[tuple[str, ...], ...]] = (("dealer",), ("supervisor",), BOTH)
"""Who may ask: a dealer alone, a supervisor alone, or a dealer with a supervisor."""

REPORTED: Final = frozenset({"card", "packet", "dice", "spin", "draw", "shown_draw"})
"""What a device tells."""

Sight = Mapping[str, Any]


def _card_up(sight: Sight) -> bool:
    return any(hand["opened"] or any(hand["cards"]) for hand in sight["hands"])


_SEEN: Final[Mapping[str, Callable[[str, Sight], bool]]] = {
    "q_poker": lambda _, sight: _card_up(sight),
    "football_poker": lambda phase, sight: (
        phase == "thirds" or _card_up(sight) or any(len(hand["cards"]) > 2 for hand in sight["hands"])
    ),
    "wheel_of_fortune": lambda phase, sight: (
        phase in {"spinning", "stopped"} or sight["wheel"]["invalid_rotations"] > 0
    ),
    "chinese_dice": lambda phase, _: phase in {"throwing", "paying"},
    "thirteen_cards": lambda phase, _: phase in {"players_setting", "comparing"},
}
"""Whether the round's first outcome can be seen, by its phase and what lies on the table."""


def enough(game: str, phase: str, sight: Sight, *, over: bool, stated: bool, roles: Sequence[str]) -> bool:
    """Whether persons of these roles may make the amendment.

    Args:
        over: whether the round is.
        stated: whether what a device reported is among what is put right.
    """
    if over:
        return {*roles} == {*BOTH}
    return "supervisor" in roles or not (stated or _SEEN[game](phase, sight))


def stated(changes: Sequence[tuple[str, Any]]) -> bool:
    """Whether a change states what a device reported; where a card lies persons see, and one that nobody read.

    Args:
        changes: the verb of each fact, and of what it says now; None where it didn't happen.
    """
    return any(verb in REPORTED and (fields is None or _says_more(fields)) for verb, fields in changes)


def _says_more(fields: Mapping[str, Any]) -> bool:
    return bool(fields.keys() - {"lies"})
