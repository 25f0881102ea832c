"""Requests to amend recorded facts, and the account of the round that they need."""

from typing import TYPE_CHECKING, Any, Final

from tablectl.core.cards import Place
from tablectl.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from tablectl.core.facts import Body, Fact, Stamp
    from tablectl.core.table import Table

AMEND = "amend"
"""The verb of an amendment."""


MOST_CHANGES: Final = 64
"""The changes that one amendment may have."""


@dataclass(frozen=True, slots=True)
class Change:
    """One thing that an amendment puts right, as it was asked.

    Args:
        record: of the fact that is meant, or after which another one happened.
        fields: of the fact as it is now, as JSON; None where it didn't happen.
        inserted: whether the fact wasn't recorded.
        verb: of the inserted fact.
        time: of the inserted fact, UTC; empty where it has that of the record.
    """

    record: int
    fields: str | None = None
    inserted: bool = False
    verb: str = ""
    time: str = ""


@dataclass(frozen=True, slots=True)
class RoundAmended:
    """Amendment of recorded facts of a round by persons.

    The round is the one that the request names.
    """

    reason: str
    changes: tuple[Change, ...]


@dataclass(frozen=True, slots=True)
class Edit:
    """A change and the fact that it makes.

    Args:
        record: of the fact that is meant, or after which the inserted one happened.
        verb: of the fact.
        body: None where it didn't happen.
        inserted: whether it wasn't recorded.
        at: of the inserted fact; None where it has that of the record.
        lies: where the card or packet really lies; empty where it lies where it was due.
        stated: the fields that were given.
        edits: of an amendment that is put right itself.
        own: of the stated fields those that this change gave, where an earlier amendment gave others: it builds on that
            one while it stands.
    """

    record: int
    verb: str
    body: "Body | None" = None
    inserted: bool = False
    at: "Stamp | None" = None
    lies: Place = ""
    stated: tuple[str, ...] = ()
    edits: "tuple[Edit, ...]" = ()
    own: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Recorded:
    """A fact of a round as it was recorded.

    Args:
        verb: of the request that it is, or its kind.
        counts: whether it had its effect: it wasn't refused, and nobody had sent it before.
    """

    record: int
    fact: "Fact"
    verb: str
    counts: bool = True


@dataclass(frozen=True, slots=True)
class Amendment:
    """An accepted amendment: its record, who made it, what it put right, and why."""

    record: int
    by: str | None
    second: str | None
    edits: tuple[Edit, ...]
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Basis:
    """Round as the journal has it, from which an amendment of it is computed.

    It is computed from this now and at every replay.

    Args:
        opening: the table before the round's first fact, without answers, endings and sums of corrections by hand.
        facts: from the one that opened it to the one that ended it, or the last one. Those that said before who has its
            bank come first.
        tail: the facts since its end, where no other round was opened.
        earlier: its amendments so far.
        edits: what the present one puts right.
        standing: the numbers of the round's own events that stand, without its end.
        fresh_from: the record that the requester has to have seen.
        later: the facts since its end, where another round was opened: those up to the end of the next round.
        outcome_shown: whether a fact showed an outcome that an earlier amendment has asked for again.
    """

    opening: "Table[Any]"
    facts: tuple[Recorded, ...]
    tail: tuple[Recorded, ...] = ()
    earlier: tuple[Amendment, ...] = ()
    edits: tuple[Edit, ...] = ()
    standing: tuple[int, ...] = ()
    fresh_from: int = 0
    later: tuple[Recorded, ...] = ()
    outcome_shown: bool = False

    def known(self) -> tuple[Recorded, ...]:
        """Facts of the round and those since its end.

        The latter belong to the round if it is open again.
        """
        return (*self.facts, *self.tail)
