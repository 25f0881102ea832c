"""Legal actions now: each possible request is tried at the table itself.

The outcome of the trial is discarded. The procedure alone knows which requests it refuses; none of it is repeated here.
"""

from collections.abc import Iterator
from typing import TypeVar

from tablectl.core import fold
from tablectl.core.actions.layout import SOMEBODY, Candidate, Candidates, each, example
from tablectl.core.effects import Refuse
from tablectl.core.facts import Fact, Stamp
from tablectl.core.facts.game_requests import PlacePaid
from tablectl.core.facts.table_requests import (
    BetsRepeated,
    Correction,
    FaultAcknowledged,
    MaterialNamed,
    Request,
    RoundCorrected,
    RoundEnded,
    RoundVoided,
)
from tablectl.core.game_step import PAYING, Game, shown_round
from tablectl.core.materials import kinds_of
from tablectl.core.table import Table, round_named
from tablectl.lazy_dataclass import dataclass

S = TypeVar("S")

DEALER, SUPERVISOR = "dealer", "supervisor"
"""Two persons, where a request takes two. Who may ask is for the console to say."""


@dataclass(frozen=True, slots=True)
class Offer:
    """A request that could be made now, and what the table would answer.

    Args:
        body: the request, with an example in each field of `open`.
        open: the fields that a person fills in; a refusal holds whatever they fill in.
        refused: None where it is allowed.
        proposed: whether the examples are likely what the person will say.
    """

    body: Request
    open: tuple[str, ...]
    refused: Refuse | None
    proposed: bool = False


def offers(game: Game[S], table: Table[S], at: Stamp) -> tuple[Offer, ...]:
    """Try every request that could be made at this table now.

    Where all of one kind are refused alike, they are one.

    Args:
        at: when they would be made.
    """
    asked = (*game.candidates(table), *_of_every_table(game, table))
    tried = [Offer(one.body, one.open, _refused(game, table, one, at), one.proposed) for one in asked]
    kinds = dict.fromkeys(type(offer.body) for offer in tried)
    return tuple(offer for kind in kinds for offer in _alike([each for each in tried if type(each.body) is kind]))


def requests_of(game: Game[S]) -> frozenset[type[Request]]:
    """The kinds of request that a game knows, with those that every table takes."""
    own = (type(one.body) for one in game.candidates(fold.begin(game)))
    every = {BetsRepeated, RoundEnded, RoundVoided, RoundCorrected, FaultAcknowledged, PlacePaid}
    return frozenset({*own, *every, *([MaterialNamed] if kinds_of(game.layout()) else [])})


def _refused(game: Game[S], table: Table[S], asked: Candidate, at: Stamp) -> Refuse | None:
    fact = Fact(asked.body, at, "console", by=DEALER, second=SUPERVISOR)
    _, effects = fold.step(game, table, fact)
    return next((effect for effect in effects if isinstance(effect, Refuse)), None)


def _alike(tried: list[Offer]) -> Iterator[Offer]:
    """The offers of one kind: a single one where the same refusal meets them all."""
    first = tried[0]
    if len(tried) > 1 and first.refused and all(offer.refused == first.refused for offer in tried):
        yield Offer(first.body, example(first.body).open, first.refused)
    else:
        yield from tried


def _of_every_table(game: Game[S], table: Table[S]) -> Candidates:
    over = table.rounds - (game.round_id(table.game) is not None)
    corrected = RoundCorrected(round_named(table, over), "why", (Correction(SOMEBODY, 1),))
    unseen = (fault for fault in table.faults if fault.acknowledged_by is None)
    again = dict.fromkeys(bet.bettor for bet in table.last_bets)
    return (
        *(Candidate(MaterialNamed(kind, SOMEBODY), ("name",)) for kind in kinds_of(game.layout())),
        *each((Candidate(BetsRepeated(bettor)) for bettor in again), BetsRepeated(SOMEBODY)),
        Candidate(RoundEnded()),
        Candidate(RoundVoided("why"), ("reason",)),
        example(corrected),
        *_payments(game, table),
        *(Candidate(FaultAcknowledged(fault.code, fault.device)) for fault in unseen),
    )


def _payments(game: Game[S], table: Table[S]) -> Iterator[Candidate]:
    """Return the payments that the table itself takes.

    They are all that is due of the round shown, or between rounds of the last one, and each of its places.
    """
    if game.phase(table.game) == PAYING or not table.payments.due:
        return
    round_id = shown_round(game, table) or table.payments.due[-1].round_id
    for due in table.payments.due:
        if due.round_id == round_id:
            yield Candidate(PlacePaid(None))
            yield from (Candidate(PlacePaid(place)) for place in due.places)
