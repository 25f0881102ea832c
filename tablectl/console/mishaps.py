"""The forms of what goes wrong: irregularities, the void, and faults."""

from typing import Annotated

from pydantic import Field
from pydantic.dataclasses import dataclass

from tablectl.console.forms import (
    STRICT,
    CardName,
    DeviceName,
    HandName,
    Place,
    Reason,
    RequestId,
    RoundId,
    Seen,
)
from tablectl.core import facts


@dataclass(config=STRICT, frozen=True, slots=True, kw_only=True)
class ExposeCard:
    """A card showed that should not have; `card` where no device has read it."""

    request_id: RequestId
    round_id: RoundId
    seen: Seen
    place: HandName
    index: Annotated[int, Field(ge=1, le=99, description="Which card of the hand, from 1.")]
    card: CardName | None = None

    def body(self) -> facts.Request:
        """The fact's content."""
        return facts.CardExposed(self.place, self.index, self.card)


@dataclass(config=STRICT, frozen=True, slots=True, kw_only=True)
class MisplaceCard:
    """The last card or packet really lies at this place."""

    request_id: RequestId
    round_id: RoundId
    seen: Seen
    place: HandName

    def body(self) -> facts.Request:
        """The fact's content."""
        return facts.CardMisplaced(self.place)


@dataclass(config=STRICT, frozen=True, slots=True, kw_only=True)
class MendCard:
    """The misplaced card lies where it belongs again, before the next one came."""

    request_id: RequestId
    round_id: RoundId
    seen: Seen

    def body(self) -> facts.Request:
        """The fact's content."""
        return facts.CardMended()


@dataclass(config=STRICT, frozen=True, slots=True, kw_only=True)
class CountCards:
    """How many cards lie on the table, counted after a reader was away."""

    request_id: RequestId
    round_id: RoundId
    seen: Seen
    count: Annotated[int, Field(ge=0, le=999)]

    def body(self) -> facts.Request:
        """The fact's content."""
        return facts.CardsCounted(self.count)


@dataclass(config=STRICT, frozen=True, slots=True, kw_only=True)
class DeclareMisdeal:
    """A hand was dealt out of order, or not its number of cards, and it is too late to mend that."""

    request_id: RequestId
    round_id: RoundId
    seen: Seen
    place: HandName

    def body(self) -> facts.Request:
        """The fact's content."""
        return facts.MisdealDeclared(self.place)


@dataclass(config=STRICT, frozen=True, slots=True, kw_only=True)
class DeclareMalfunction:
    """The shuffler failed during the deal."""

    request_id: RequestId
    round_id: RoundId
    seen: Seen

    def body(self) -> facts.Request:
        """The fact's content."""
        return facts.MalfunctionDeclared()


@dataclass(config=STRICT, frozen=True, slots=True, kw_only=True)
class ReportCardsHeldAway:
    """A bettor held his cards away from the table, or left it with them."""

    request_id: RequestId
    round_id: RoundId
    seen: Seen
    place: Place
    bettor: Annotated[str, Field(max_length=64, description="Who, where he is known.")] = ""

    def body(self) -> facts.Request:
        """The fact's content."""
        return facts.CardsHeldAway(self.place, self.bettor)


@dataclass(config=STRICT, frozen=True, slots=True, kw_only=True)
class VoidRound:
    """The round ends without a result."""

    request_id: RequestId
    round_id: RoundId
    seen: Seen
    reason: Reason

    def body(self) -> facts.Request:
        """The fact's content."""
        return facts.RoundVoided(self.reason)


@dataclass(config=STRICT, frozen=True, slots=True, kw_only=True)
class AcknowledgeFault:
    """A fault has been seen and dealt with."""

    request_id: RequestId
    round_id: RoundId
    seen: Seen
    code: Annotated[int, Field(ge=1, le=9999, description="The fault's number.")]
    device: DeviceName = ""

    def body(self) -> facts.Request:
        """The fact's content."""
        return facts.FaultAcknowledged(self.code, self.device)
