"""Events as tables publish them, as far as fairness is read from them."""

import json
from collections.abc import Iterable, Mapping
from itertools import count
from typing import Any

Event = Mapping[str, Any]

_NUMBERS = count(1)


def event(
    kind: str, /, round_id: str = "5eed0001-000001", time: str = "2026-11-23T19:00:00.000000Z", **data: Any
) -> Event:
    """An event of one table."""
    number = f"{next(_NUMBERS):016}"
    about = {} if kind.startswith("audit.") else {"round_id": round_id}
    return {
        "id": f"5eed0001-{number}",
        "source": "/tablectl/macau/t1/5eed0001",
        "type": f"mo.tablectl.{kind}",
        "time": time,
        "sequence": number,
        "simulated": False,
        "data": {**about, **data},
    }


def spin(section: int | None, kind: str = "wheel.stopped.v1", **data: Any) -> Event:
    """A rotation of the wheel."""
    about: dict[str, Any] = {"direction": "cw", "on_peg": section is None, "calibration": "2027-01 5eed", **data}
    return event(kind, section=section, **about)


def throw(*dice: int, valid: bool = True, called_invalid: bool = False, **data: Any) -> Event:
    """A throw of the dice."""
    return event("dice.thrown.v1", dice=list(dice), valid=valid, called_invalid=called_invalid, **data)


def amended(*struck: Event, **data: Any) -> Event:
    """The amendment that strikes these events."""
    return event("round.amended.v1", amends=[each["id"] for each in struck], **data)


def lines(events: Iterable[Event]) -> str:
    """The events as an export has them."""
    return "".join(json.dumps(each) + "\n" for each in events)
