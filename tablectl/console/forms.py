"""The forms of every request's body, and the fact that each one becomes.

A form says only what a request may look like; whether the game and the law allow it is the table's to
answer. So names that a game gives (bets, decisions) are any text here.
"""

from typing import Annotated, Final, Protocol

from pydantic import ConfigDict, Field, PlainValidator, WithJsonSchema
from pydantic.dataclasses import dataclass

from tablectl.core import facts
from tablectl.core.cards import RANKS, SUITS, Card, parse_card
from tablectl.core.money import parse_money

STRICT: Final = ConfigDict(extra="forbid", strict=True)
MONEY_LENGTH_MAX: Final = 15
NAME: Final = r"^[^\x00-\x1f\x7f]+$"
"""Text on one line."""


def _card(value: object) -> Card:
    if not isinstance(value, str):
        raise ValueError('a card is text such as "As"')
    return parse_card(value)


def _money(value: object) -> int:
    if not isinstance(value, str) or len(value) > MONEY_LENGTH_MAX:
        raise ValueError(f'an amount is text such as "100" or "0.50", at most {MONEY_LENGTH_MAX} characters')
    return parse_money(value)


def _hand(value: object) -> facts.Place:
    if value == facts.DEALER:
        return facts.DEALER
    if type(value) is not int or not 1 <= value <= 99:
        raise ValueError('a hand is named by its place, a number from 1 to 99, or by "dealer"')
    return value


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
    Field(max_length=64, description="Of the state that the screen showed; null between rounds."),
]
Seen = Annotated[
    int,
    Field(ge=0, lt=2**53, description="Of the state that the screen showed: on a stale one nothing is done."),
]
Place = Annotated[int, Field(ge=1, le=99, description="A betting position, counted from the dealer's left.")]
Bettor = Annotated[str, Field(max_length=64, pattern=NAME, description="Who owns the stake.")]
BetName = Annotated[str, Field(max_length=32, pattern=NAME, description="A bet as the game names it.")]
Decision = Annotated[str, Field(max_length=32, pattern=NAME, description="A decision as the game names it.")]
Reason = Annotated[str, Field(max_length=500, pattern=r"\S", description="Why, for the record.")]
DeviceName = Annotated[str, Field(max_length=64, description="The device; empty for the controller itself.")]
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
HandName = Annotated[
    facts.Place,
    PlainValidator(_hand),
    WithJsonSchema(
        {
            "oneOf": [{"type": "integer", "minimum": 1, "maximum": 99}, {"const": facts.DEALER}],
            "description": "Whose cards: a place, or the dealer.",
        }
    ),
]


class Form(Protocol):
    """What every request says: its own name, what its screen showed, and what is asked for."""

    @property
    def request_id(self) -> str:
        """The asker's name for the request."""
        ...

    @property
    def round_id(self) -> str | None:
        """The round that his screen showed."""
        ...

    @property
    def seen(self) -> int:
        """How many facts his screen had taken in."""
        ...

    def body(self) -> facts.Request:
        """What is asked for, in the core's words."""
        ...


@dataclass(config=STRICT, frozen=True, slots=True, kw_only=True)
class ConfirmPack:
    """A whole, shuffled pack lies in the shoe."""

    request_id: RequestId
    round_id: RoundId
    seen: Seen
    shuffle: facts.Shuffle = facts.Shuffle.HAND

    def body(self) -> facts.Request:
        """The fact's content."""
        return facts.PackConfirmed(self.shuffle)


@dataclass(config=STRICT, frozen=True, slots=True, kw_only=True)
class OpenRound:
    """A new round; without `dealing`, dealt in the table's usual way."""

    request_id: RequestId
    round_id: RoundId
    seen: Seen
    dealing: facts.Dealing | None = None

    def body(self) -> facts.Request:
        """The fact's content."""
        return facts.RoundOpened(self.dealing)


@dataclass(config=STRICT, frozen=True, slots=True, kw_only=True)
class ChangeDealing:
    """This round is dealt the other way; before its first card only."""

    request_id: RequestId
    round_id: RoundId
    seen: Seen
    dealing: facts.Dealing

    def body(self) -> facts.Request:
        """The fact's content."""
        return facts.DealingChanged(self.dealing)


@dataclass(config=STRICT, frozen=True, slots=True, kw_only=True)
class Bet:
    """A stake on a bet of a place; more on the same bet adds to it."""

    request_id: RequestId
    round_id: RoundId
    seen: Seen
    place: Place
    bettor: Bettor
    bet: BetName
    stake: Money

    def body(self) -> facts.Request:
        """The fact's content."""
        return facts.BetOffered(self.place, self.bettor, self.bet, self.stake)


@dataclass(config=STRICT, frozen=True, slots=True, kw_only=True)
class TakeBackBet:
    """A whole bet off the layout."""

    request_id: RequestId
    round_id: RoundId
    seen: Seen
    place: Place
    bettor: Bettor
    bet: BetName

    def body(self) -> facts.Request:
        """The fact's content."""
        return facts.BetTakenBack(self.place, self.bettor, self.bet)


@dataclass(config=STRICT, frozen=True, slots=True, kw_only=True)
class CloseBetting:
    """No more bets."""

    request_id: RequestId
    round_id: RoundId
    seen: Seen

    def body(self) -> facts.Request:
        """The fact's content."""
        return facts.BettingClosed()


@dataclass(config=STRICT, frozen=True, slots=True, kw_only=True)
class Decide:
    """What a bettor does with his bet."""

    request_id: RequestId
    round_id: RoundId
    seen: Seen
    place: Place
    bettor: Bettor
    decision: Decision

    def body(self) -> facts.Request:
        """The fact's content."""
        return facts.DecisionDeclared(self.place, self.bettor, self.decision)


@dataclass(config=STRICT, frozen=True, slots=True, kw_only=True)
class OpenHand:
    """A hand turned face up; without `cards` where a device has read them all."""

    request_id: RequestId
    round_id: RoundId
    seen: Seen
    place: HandName
    cards: Annotated[tuple[CardName, ...], Field(max_length=13)] = ()

    def body(self) -> facts.Request:
        """The fact's content."""
        return facts.HandOpened(self.place, self.cards)
