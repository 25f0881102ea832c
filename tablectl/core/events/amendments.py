"""Published events of a round that is amended after it was recorded wrongly."""

from collections.abc import Mapping
from typing import Any

from tablectl.core.events.round import Regiven
from tablectl.core.events.text import Saying
from tablectl.lazy_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class AskedAgain:
    """A fact that isn't lawful any more after an amendment, or one that is missing.

    Args:
        record: None where none was recorded.
        verb: the request's; None where it isn't known which one is due.
        fields: as they were recorded, without a card that lies face down.
        text: why it doesn't count, or what the table waits for.
    """

    record: int | None
    verb: str | None
    fields: Mapping[str, Any]
    article: str
    code: str
    text: Saying


@dataclass(frozen=True, slots=True)
class AmendedFact:
    """The public part of a change.

    Args:
        record: of the fact that was put right; None where it was inserted.
        after: the record that it followed, where it was inserted.
        was: what was recorded; None where nothing was.
        now: what is so; None where it didn't happen.
    """

    record: int | None
    after: int | None
    verb: str
    was: Mapping[str, Any] | None
    now: Mapping[str, Any] | None


@dataclass(frozen=True, slots=True)
class Amended:
    """`event/round` round.amended: recorded facts were put right, and the round was worked out anew.

    Args:
        amends: the ids of the events that don't count any more.
        phase: of the round now.
        asks_again: the facts that aren't lawful any more.
        to_pay: what bettors get more; None while it depends on what isn't known or lies face down.
        to_take_back: what they give back.
    """

    round_id: str
    amends: tuple[str, ...]
    by: str
    second: str | None
    reason: str
    changes: tuple[AmendedFact, ...]
    phase: str
    asks_again: tuple[AskedAgain, ...]
    to_pay: tuple[Regiven, ...] | None
    to_take_back: tuple[Regiven, ...] | None


@dataclass(frozen=True, slots=True)
class Reopened:
    """`event/round` round.reopened: a round that was over is open again.

    Args:
        reopens: the id of the event that ended it, which doesn't count any more.
    """

    round_id: str
    reopens: str
    by: str
    second: str | None
    reason: str
    phase: str
