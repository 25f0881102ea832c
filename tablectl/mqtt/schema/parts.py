"""Small schemas that all messages share, and the types by which a model names one."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Annotated, Any, Final

from pydantic import WithJsonSchema

from tablectl.core.cards import BANKER, COMMON, DEALER, RANKS, SUITS
from tablectl.core.faults import Severity
from tablectl.core.outcomes import Series
from tablectl.rule_tables import GAMES
from tablectl.words import LANGUAGES

Schema = Mapping[str, Any]

SCHEMAS: Final = "#/components/schemas/"

FORM: Final = "x-form"
"""Marks the place of a shared form in what pydantic generates: a reference out of its own definitions it refuses."""

LACKS: Final = "x-may-lack"
"""Marks a field that isn't always there. All others are: their writer leaves none out."""


def ref(name: str) -> dict[str, Any]:
    """A reference to a schema of the document."""
    return {"$ref": SCHEMAS + name}


def words_of(*values: str) -> dict[str, Any]:
    """One of these texts."""
    return {"type": "string", "enum": list(values)}


def _marked(name: str, **more: Any) -> WithJsonSchema:
    return WithJsonSchema({FORM: name, **more})


CardName = Annotated[str, _marked("Card")]
MoneyText = Annotated[str, _marked("Money")]
AmountText = Annotated[str, _marked("Amount")]
AmountOrNone = Annotated[str, _marked("Amount", **{LACKS: True})]
InstantText = Annotated[str, _marked("Instant")]
RoundId = Annotated[str, _marked("RoundId")]
RoundIdOrNone = Annotated[str, _marked("RoundId", **{LACKS: True})]
PlaceName = Annotated[int | str, _marked("Place")]
GameName = Annotated[str, _marked("Game")]
Die = Annotated[int, WithJsonSchema({"type": "integer", "minimum": 1, "maximum": 6})]


_MONEY: Final = r"(0|[1-9][0-9]*)"
_INSTANT: Final = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{6}Z$"


def _text(pattern: str, about: str, **more: Any) -> Schema:
    return {"type": "string", "pattern": pattern, "description": about, **more}


SHARED: Final[Mapping[str, Schema]] = MappingProxyType(
    {
        "Amount": _text(rf"^-?{_MONEY}\.[0-9]{{2}}$", "Money as decimal text with two places, signed when negative."),
        "Card": _text(f"^[{RANKS}][{SUITS}]$", "A card: a rank, then a suit.", examples=["As", "Td"]),
        "EventId": _text("^[0-9a-z]+-[0-9]{16}$", "An event's id: the log's id and the event's sequence."),
        "Game": {**words_of(*GAMES), "description": "A game, as the configuration names it."},
        "Instant": _text(_INSTANT, "An instant in UTC, RFC 3339 with microseconds.", format="date-time"),
        "Money": _text(rf"^{_MONEY}(\.[0-9]{{1,2}})?$", "Money as decimal text, never below 0.", examples=["100.00"]),
        "Place": {
            "oneOf": [{"type": "integer"}, {"type": "string"}],
            "description": f"A betting position by its number, or {DEALER}, {BANKER} or {COMMON}.",
            "examples": [1, DEALER],
        },
        "RoundId": _text("^[0-9a-z]+-[0-9]{6,}$", "A round: the log's id and the round's number."),
        "Saying": {
            "type": "object",
            "description": "A text for people in every language of the table.",
            "properties": {language: {"type": "string", "minLength": 1} for language in LANGUAGES},
            "required": list(LANGUAGES),
        },
        "Sequence": _text("^(?!0{16}$)[0-9]{16}$", "An event's number in its log, from 1, in 16 digits."),
        "Series": {**words_of(*Series), "description": "Rule: 41/2003 art. 3(1)."},
        "Severity": {**words_of(*Severity), "description": "How bad a fault is."},
        "Transaction": _text("^[A-Za-z0-9._-]{1,64}$", "The asker's name for their request."),
    }
)
"""By the name under which the document holds them."""

NAMED: Final[Mapping[str, str]] = MappingProxyType(
    {
        "amount": "Amount",
        "cards": "Card",
        "corrects": "EventId",
        "game": "Game",
        "house": "Amount",
        "marks": "EventId",
        "net": "Amount",
        "opened": "Instant",
        "round_id": "RoundId",
        "rounds": "RoundId",
        "series": "Series",
        "settled": "Instant",
        "severity": "Severity",
        "since": "Instant",
        "stake": "Money",
        "total_stakes": "Money",
    }
)
"""What a text is where its type doesn't say so, by the name of its field: the core knows texts, no patterns."""
