"""Vocabulary of scenarios: devices, the acts of each, and the form of every field."""

from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import Any, Final

from drivers.devices import kinds
from drivers.dice.codec import MOST_DICE
from drivers.dice.codec import Flaw as DiceFlaw
from tablectl.core.cards import parse_card
from tablectl.core.outcomes import COMBINATIONS
from tablectl.core.outcomes import Flaw as WheelFlaw
from tablectl.lazy_dataclass import dataclass
from tablectl.testing.scenarios.scenario import listed

Check = Callable[[Any], str]
"""What is wrong with a value, and what it should be; empty where it is right."""


@dataclass(frozen=True, slots=True)
class Act:
    """Something that a device can be made to do.

    Args:
        needs: its fields.
        may: the fields that can be left out.
    """

    needs: Mapping[str, Check]
    may: Mapping[str, Check]


def cards(value: Any) -> str:
    """Return the error where these aren't cards with blanks between them, else ""."""
    if not isinstance(value, str):
        return 'write cards as a text with blanks between them: "As Kd 2c"'
    wrong = [card for card in value.split() if not _is_card(card)]
    if wrong:
        return f"{wrong[0]} is no card: a rank of 23456789TJQKA and a suit of shdc, as in Td"
    return "" if value.split() else "name at least one card"


def _is_card(text: str) -> bool:
    try:
        parse_card(text)
    except ValueError:
        return False
    return True


def whole(least: int, most: int, unit: str) -> Check:
    """A check for a whole number.

    Args:
        unit: what is counted, as `cards`.
    """

    def check(value: Any) -> str:
        if isinstance(value, int) and not isinstance(value, bool) and least <= value <= most:
            return ""
        return f"write a whole number of {unit}, without quotes, from {least} to {most}"

    return check


def faces(value: Any) -> str:
    """Return the error where these aren't the faces of dice, else "".

    0 is a face that can't be read.
    """
    some = listed(value) or []
    right = 1 <= len(some) <= MOST_DICE and all(face in range(7) for face in some)
    return "" if right else "write the faces as a list of numbers from 1 to 6 (0: not readable), as [1, 2, 3]"


def one_of(*choices: str) -> Check:
    """A check for one of these."""

    def check(value: Any) -> str:
        return "" if value in choices else f"write one of: {', '.join(choices)}"

    return check


DICE_FLAWS: Final = {flaw.name.lower(): int(flaw) for flaw in DiceFlaw if flaw}
"""Why a throw isn't valid, with the number that a reader has for it."""


def _act(**fields: Check) -> Act:
    return Act(fields, {})


_NOTHING: Final = Act({}, {})
_SPINS: Final = (
    "spin",
    "spin_short",
    "rest_on_peg",
    "move",
    "spin_gap",
    "spin_back",
    "spin_slipped",
    "spin_markless",
    "spin_on",
)

_OWN_ACTS: Final[Mapping[str, Mapping[str, Act]]] = MappingProxyType(
    {
        "shoe": {"draw": _act(cards=cards), "draw_unread": _NOTHING, "cut": _NOTHING, "start": _NOTHING},
        "shuffler": {
            "deliver": Act({"count": whole(1, 52, "cards")}, {"times": whole(1, 52, "packets")}),
            "restart": _NOTHING,
        },
        "draw": {
            "will_be": _act(series=one_of("upper", "lower"), combination=whole(1, COMBINATIONS, "the combination")),
            "restart": _NOTHING,
        },
        "wheel": dict.fromkeys(_SPINS, _NOTHING),
        "dice": {"throw": Act({"faces": faces}, {"flaw": one_of("", *DICE_FLAWS)}), "restart": _NOTHING},
    }
)
ACTS: Final[Mapping[str, Mapping[str, Act]]] = MappingProxyType(
    {kind: _OWN_ACTS.get(kind, {"restart": _NOTHING}) for kind in kinds()}
)
"""What each device can be made to do."""

DEVICES: Final = tuple(ACTS)
OTHERS: Final = (
    "ask",
    "amend",
    "unplug",
    "plug",
    "fault",
    "clear",
    "time",
    "restart",
    "see",
    "never",
    "phase",
    "state",
    "faults",
    "money",
)
STEPS: Final = (*DEVICES, *OTHERS)
MOST_AWAY_S: Final = 86_400
"""A controller that restarts is away for a day at most."""

ROLES: Final = ("dealer", "supervisor", "technician")
KEYS: Final = ("title", "game", "articles", "base", "set", "steps")

SPIN_FLAWS: Final[Mapping[str, tuple[WheelFlaw, ...]]] = MappingProxyType(
    {
        "spin_gap": (WheelFlaw.SAMPLE_GAP,),
        "spin_back": (WheelFlaw.REVERSAL, WheelFlaw.INTERFERENCE),
        "spin_slipped": (WheelFlaw.INDEX_DISAGREES,),
        "spin_markless": (WheelFlaw.INDEX_DISAGREES,),
    }
)
"""What a sensor finds wrong with a spin like this."""


def misfits(act: Act, given: Mapping[str, Any]) -> Iterator[str]:
    """Yield each error in the fields of an act."""
    known = {**act.needs, **act.may}
    for name in act.needs.keys() - given.keys():
        yield f"`{name}` is missing: {act.needs[name](None)}"
    for name, value in given.items():
        if name not in known:
            yield f"there is no field `{name}` here; known: {', '.join(known) or 'none'}"
        elif wrong := known[name](value):
            yield f"`{name}`: {wrong}"
