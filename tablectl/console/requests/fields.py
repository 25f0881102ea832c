"""The fields of requests: what each may look like, and how the core takes it.

Whether the game and the law allow it is the table's to answer. So names that a game gives (bets, decisions, kinds of
irregularity) are any text here.
"""

import json
import re
from typing import Annotated, Any, Final, cast

from pydantic import ConfigDict, Field, PlainValidator, WithJsonSchema

from tablectl.core import cards
from tablectl.core.cards import RANKS, SUITS, Card, parse_card
from tablectl.core.facts.amendments import MOST_CHANGES, Change
from tablectl.core.facts.table_requests import Correction
from tablectl.core.money import parse_money

STRICT: Final = ConfigDict(extra="forbid", strict=True, defer_build=True)
MONEY_LENGTH_MAX: Final = 15
BETTOR_LENGTH_MAX: Final = 64
NAME: Final = r"^[^\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]+$"
"""Text on one line, without letters that can't be seen or turn the line around: two names that look alike are one."""

ID: Final = r"^[A-Za-z0-9._-]*$"
_OBEYED: Final = r"\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ufeff"
LINE: Final = rf"^[^{_OBEYED}]*[^\s{_OBEYED}][^{_OBEYED}]*$"
"""Words on one line, with nothing in them that a terminal or a browser would obey instead of showing it."""

NAME_OR_NOBODY: Final = f"^$|{NAME}"
WRITTEN: Final = frozenset({NAME, NAME_OR_NOBODY, LINE})
"""The patterns of what people write themselves."""

NAMED_MAX: Final = 32
NAMED_PLACES: Final = (cards.DEALER, cards.BANKER, cards.COMMON)


def _card(value: object) -> Card:
    if not isinstance(value, str):
        raise ValueError('a card is text such as "As"')
    return parse_card(value)


def _money(value: object) -> int:
    if not isinstance(value, str) or len(value) > MONEY_LENGTH_MAX:
        raise ValueError(f'an amount is text such as "100" or "0.50", at most {MONEY_LENGTH_MAX} characters')
    return parse_money(value)


def _place(value: object) -> cards.Place:
    if isinstance(value, str) and value in NAMED_PLACES:
        return value
    if type(value) is not int or not 1 <= value <= 99:
        raise ValueError(f"a place is a number from 1 to 99, or one of {', '.join(NAMED_PLACES)}")
    return value


def card_place(value: object) -> cards.Place:
    """Where a card lies: at a place, laid aside, or where it was due."""
    return value if isinstance(value, str) and value in {"", cards.ASIDE} else _place(value)


def _change(value: object) -> Change:
    given = cast("dict[str, Any]", value) if isinstance(value, dict) else {}
    keys = given.keys()
    if keys == {"record", "to"}:
        return Change(_number(given["record"], "record"), _fields(given["to"], "to"))
    if keys in ({"after", "verb", "fields"}, {"after", "verb", "fields", "time"}):
        fields = _fields(given["fields"], "fields") or "{}"
        after, verb, time = _number(given["after"], "after"), given["verb"], given.get("time", "")
        if not all(isinstance(text, str) and len(text) <= NAMED_MAX for text in (verb, time)):
            raise ValueError(f"verb and time are text of at most {NAMED_MAX} characters")
        return Change(after, fields, inserted=True, verb=verb, time=time)
    raise ValueError('a change is {"record", "to"} or {"after", "verb", "fields"}, which may have "time"')


def _number(value: object, name: str) -> int:
    if type(value) is not int or not 0 < value < 2**53:
        raise ValueError(f"{name} is the number of a record")
    return value


def _fields(value: object, name: str) -> str | None:
    if value is None and name == "to":
        return None
    if not isinstance(value, dict):
        raise ValueError(f"{name} is an object with the fields of the fact")
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _correction(value: object) -> Correction:
    given = cast("dict[str, object]", value) if isinstance(value, dict) else {}
    if given.keys() != {"bettor", "amount"}:
        raise ValueError('a change names a bettor and an amount, as {"bettor": "A", "amount": "-100"}')
    bettor, amount = given["bettor"], given["amount"]
    if not (isinstance(bettor, str) and re.fullmatch(NAME, bettor) and len(bettor) <= BETTOR_LENGTH_MAX):
        raise ValueError(f"a bettor is text on one line, of at most {BETTOR_LENGTH_MAX} characters")
    if not isinstance(amount, str) or len(amount) > MONEY_LENGTH_MAX:
        raise ValueError(f'an amount is text such as "100" or "-0.50", at most {MONEY_LENGTH_MAX} characters')
    hundredths = _money(amount.removeprefix("-"))
    return Correction(bettor, -hundredths if amount.startswith("-") else hundredths)


RequestId = Annotated[
    str,
    Field(
        pattern=r"^[A-Za-z0-9._:-]{1,64}$",
        description="The client's name for this request. The same one again, from the same person, gives the "
        "same answer and does nothing more: so a request without an answer is sent again as it was.",
    ),
]
RoundId = Annotated[
    str | None,
    Field(max_length=64, pattern=ID, description="Of the state that the screen showed; null between rounds."),
]
Seen = Annotated[
    int,
    Field(ge=0, lt=2**53, description="Of the state that the screen showed: on a stale one nothing is done."),
]
Seat = Annotated[int, Field(ge=1, le=99, description="A betting position by its number.")]
Bettor = Annotated[
    str,
    Field(
        max_length=BETTOR_LENGTH_MAX,
        pattern=NAME,
        description="Who owns the stake. A new name is composed (NFC), with single blanks, and has no character that "
        "can't be seen; it looks like nobody else's of the round. Else it is refused, with code `name_...`.",
    ),
]
BetName = Annotated[str, Field(max_length=32, pattern=NAME, description="A bet as the game names it.")]
Decision = Annotated[str, Field(max_length=32, pattern=NAME, description="A decision as the game names it.")]
Note = Annotated[str, Field(max_length=500, pattern=LINE, description="What is worth remembering.")]
MaterialName = Annotated[
    str, Field(min_length=1, max_length=64, pattern=LINE, description="The name or number that is written on it.")
]
Sequence = Annotated[int | None, Field(ge=1, lt=2**53, description="Of the event that is meant; null for this moment.")]
Reason = Annotated[str, Field(max_length=500, pattern=LINE, description="Why, for the record.")]
DeviceName = Annotated[
    str, Field(max_length=64, pattern=ID, description="The device; empty for the controller itself.")
]
Money = Annotated[
    int,
    PlainValidator(_money),
    WithJsonSchema(
        {
            "type": "string",
            "pattern": r"^(0|[1-9][0-9]*)(\.[0-9]{1,2})?$",
            "maxLength": MONEY_LENGTH_MAX,
            "description": "An amount of money, at most two places.",
        }
    ),
]
CardName = Annotated[
    Card,
    PlainValidator(_card),
    WithJsonSchema(
        {
            "type": "string",
            "pattern": f"^[{RANKS}][{SUITS}]$",
            "description": "Rank and suit, as `As`, `Td`.",
        }
    ),
]
Place = Annotated[
    cards.Place,
    PlainValidator(_place),
    WithJsonSchema(
        {
            "oneOf": [{"type": "integer", "minimum": 1, "maximum": 99}, {"enum": list(NAMED_PLACES)}],
            "description": "A betting position by its number, or the place that has a name in the game.",
        }
    ),
]
PaidPlace = Annotated[
    cards.Place | None,
    PlainValidator(lambda value: None if value is None else _place(value)),
    WithJsonSchema(
        {
            "oneOf": [
                {"type": "integer", "minimum": 1, "maximum": 99},
                {"enum": list(NAMED_PLACES)},
                {"type": "null"},
            ],
            "description": "The place that is paid; null is every place that is due.",
        }
    ),
]
PlaceOrNone = Annotated[
    cards.Place,
    PlainValidator(lambda value: value if value == "" else _place(value)),
    WithJsonSchema(
        {
            "oneOf": [{"type": "integer", "minimum": 1, "maximum": 99}, {"enum": ["", *NAMED_PLACES]}],
            "description": "Where, if it happened at a place.",
        }
    ),
]
Changes = Annotated[
    tuple[
        Annotated[
            Correction,
            PlainValidator(_correction),
            WithJsonSchema(
                {
                    "type": "object",
                    "properties": {
                        "bettor": {"type": "string", "minLength": 1, "maxLength": BETTOR_LENGTH_MAX, "pattern": NAME},
                        "amount": {
                            "type": "string",
                            "pattern": r"^-?(0|[1-9][0-9]*)(\.[0-9]{1,2})?$",
                            "maxLength": MONEY_LENGTH_MAX,
                            "description": "What they get more; negative: what they give back.",
                        },
                    },
                    "required": ["bettor", "amount"],
                    "additionalProperties": False,
                }
            ),
        ],
        ...,
    ],
    Field(max_length=99),
]
AmendReason = Annotated[str, Field(max_length=200, pattern=LINE, description="Why, for people.")]
_FIELDS: Final = {"type": "object", "description": "In the names and forms of the request that the fact is."}
_RECORD: Final = {"type": "integer", "minimum": 1}
_AMENDED: Final = {
    "type": "object",
    "properties": {"record": _RECORD, "to": {"oneOf": [_FIELDS, {"type": "null"}]}},
    "required": ["record", "to"],
    "additionalProperties": False,
    "description": "The fact of this record should have had these fields; with null it didn't happen.",
}
_INSERTED: Final = {
    "type": "object",
    "properties": {
        "after": _RECORD,
        "verb": {"type": "string", "maxLength": NAMED_MAX},
        "fields": _FIELDS,
        "time": {"type": "string", "maxLength": NAMED_MAX, "description": "UTC; that of the record, else."},
    },
    "required": ["after", "verb", "fields"],
    "additionalProperties": False,
    "description": "This happened after the record and wasn't recorded.",
}
AmendedFacts = Annotated[
    tuple[
        Annotated[Change, PlainValidator(_change), WithJsonSchema({"oneOf": [_AMENDED, _INSERTED]})],
        ...,
    ],
    Field(min_length=1, description=f"At most {MOST_CHANGES}; with more the amendment is refused."),
]
Cards = Annotated[tuple[CardName, ...], Field(max_length=13)]
Tiers = Annotated[
    tuple[Annotated[tuple[CardName, ...], Field(max_length=5)], ...],
    Field(min_length=3, max_length=3, description="First, second and third tier."),
]
Dice = Annotated[
    tuple[Annotated[int, Field(ge=1, le=6)], ...],
    Field(max_length=8, description="The faces up; those that can be read, where the throw isn't valid."),
]
CorrectedRound = Annotated[
    str, Field(pattern=r"^[0-9a-z]+-[0-9]{6,}$", max_length=64, description="A round of this log that is over.")
]
Kind = Annotated[str, Field(pattern=r"^[a-z][a-z_]{0,31}$", description="One of those that the game names.")]
Flaw = Annotated[
    str, Field(pattern=r"^([a-z][a-z_]{0,31})?$", description="Why the throw isn't valid; empty where it is.")
]
Index = Annotated[int, Field(ge=1, le=99, description="Which card of the hand, from 1.")]
Count = Annotated[int, Field(ge=0, le=999)]
Turns = Annotated[int, Field(ge=0, le=99, description="Full turns, as counted.")]
Section = Annotated[
    int | None, Field(ge=1, le=99, description="At the indicator, from 1; null where it rests on a peg.")
]
FaultCode = Annotated[int, Field(ge=1, le=9999, description="The fault's number.")]
Anybody = Annotated[
    str, Field(max_length=BETTOR_LENGTH_MAX, pattern=NAME_OR_NOBODY, description="Who, where they are known.")
]
