"""Fold: one fact turns the table's state into the next and yields effects.

The part that all games share is here: faults, devices, repeated requests, requests from an outdated screen. A game
handles a fact in its own `Game.step`. All of it is pure and total, so the same facts always give the same states,
effects and messages.
"""

from collections.abc import Iterable
from typing import Final, TypeVar, get_args

from tablectl.core import game_step
from tablectl.core.amending import amendments
from tablectl.core.amending.refold import Refolds
from tablectl.core.bets.again import last_bets
from tablectl.core.bets.payments import after_events as payments_after
from tablectl.core.bets.results import after_events
from tablectl.core.bets.stakes import Bets, bet_refused
from tablectl.core.effects import Announce, Effects, Refuse
from tablectl.core.events.amendments import Amended, Reopened
from tablectl.core.events.round import Corrected, PartSettled, RoundBegan, Settled, Voided
from tablectl.core.facts import Fact
from tablectl.core.facts.amendments import RoundAmended
from tablectl.core.facts.game_requests import PlacePaid
from tablectl.core.facts.reports import CardDrawn
from tablectl.core.facts.table_requests import BetOffered, BetTakenBack, FaultAcknowledged, Request, RoundCorrected
from tablectl.core.game_step import Game, shown_round
from tablectl.core.table import (
    ASKED_TOO_MUCH,
    REUSED_NAME,
    STALE_SCREEN,
    Answer,
    Table,
    answered,
    came_before,
    device,
    forgotten_before,
    has_asked_too_much,
    with_answer,
    with_device,
    with_forgotten,
)
from tablectl.lazy_dataclass import replace

S = TypeVar("S")

OF_A_ROUND: Final = frozenset(get_args(Request)) - {FaultAcknowledged, RoundCorrected}
"""The requests that a screen has to be up to date for."""

ABOUT_ROUNDS: Final = frozenset({Amended, Corrected, PartSettled, Reopened, RoundBegan, Settled, Voided})
"""The events that change how rounds ended, what is to be paid, or which bets can be repeated."""


def begin(game: Game[S]) -> Table[S]:
    """The table before its first fact."""
    return Table(game.begin())


def step(
    game: Game[S], table: Table[S], fact: Fact, then: Game[S] | None = None, refolded: Refolds | None = None
) -> tuple[Table[S], Effects]:
    """The table after one more fact, and what follows from it.

    Args:
        then: the game by the terms of the round that an amendment is about; those of now, where it isn't given.
        refolded: folds the round of an amendment again.
    """
    after, effects = _step(game, table, fact, then or game, refolded or Refolds())
    return _announced(game, table, after, fact, effects), effects


def is_repeated(table: Table[S], fact: Fact) -> bool:
    """Return True if this fact had its effect before.

    A device sent it again, or the same request came twice.
    """
    asked = bool(fact.request_id) and answered(table, fact.by or "", fact.request_id or "") is not None
    return asked or _came_again(table, fact)


def _step(game: Game[S], table: Table[S], fact: Fact, then: Game[S], refolded: Refolds) -> tuple[Table[S], Effects]:
    is_known = _came_again(table, fact)
    is_read = not is_known and isinstance(fact.body, CardDrawn) and fact.body.card is not None
    table = replace(table, records=table.records + 1, cards_read=table.cards_read + is_read)
    if is_known:
        return table, ()
    if fact.delivery:
        table = with_device(table, replace(device(table, fact.source), delivered=fact.delivery))
    if fact.request_id and (earlier := answered(table, fact.by or "", fact.request_id)) is not None:
        return table, _answer_again(earlier, fact)
    if fact.request_id and has_asked_too_much(table, fact.by or "", _kept_since(game, table)):
        said = _refused(game, table, fact, ASKED_TOO_MUCH)
        return with_forgotten(table, fact.by or "", table.records), said
    if (stale := _out_of_date(game, table, fact)) is not None:
        said = _refused(game, table, fact, stale)
        return _remember(game, table, fact, said), said
    if isinstance(fact.body, RoundAmended):
        amended, said = amendments.step(game, table, fact, fact.body, then, refolded)
        final, effects = game_step.take_in(amended, fact, said)
    else:
        final, _, effects = game_step.one(game, table, fact)
    return _remember(game, final, fact, effects), effects


def fold(game: Game[S], table: Table[S], facts: Iterable[Fact]) -> Table[S]:
    """Return the table after all these facts.

    Their effects are dropped, as in every replay.
    """
    for fact in facts:
        table, _ = step(game, table, fact)
    return table


def _announced(game: Game[S], before: Table[S], table: Table[S], fact: Fact, effects: Effects) -> Table[S]:
    """Return the table that has counted the events of a step.

    It keeps which rounds they end, which payments they make due, and which bets can be repeated. An amendment has done
    the last two, with the bets as they lay.
    """
    events = [effect.event for effect in effects if isinstance(effect, Announce)]
    if not events:
        return table
    first = table.announced + 1
    table = replace(table, announced=table.announced + len(events))
    if ABOUT_ROUNDS.isdisjoint(map(type, events)):
        return table
    endings = after_events(table.endings, events, first, record=table.records, opened=table.round_since)
    table = replace(table, endings=endings)
    if isinstance(fact.body, RoundAmended):
        return table
    laid: Bets = getattr(before.game, "bets", ())
    payments = payments_after(table.payments, events, first, laid) if game.confirms_payment else table.payments
    return replace(table, payments=payments, last_bets=last_bets(table.last_bets, events, laid))


def _came_again(table: Table[S], fact: Fact) -> bool:
    """Return True if a device repeats a fact that was folded already.

    Its acknowledgement was lost. The repetition is recorded and changes nothing.
    """
    return bool(fact.delivery) and came_before(fact.delivery, device(table, fact.source).delivered)


def _answer_again(earlier: Answer, fact: Fact) -> Effects:
    """Return the answer that the same request got.

    Another request under its name gets none of its own.
    """
    if earlier.asked != repr(fact.body):
        return (REUSED_NAME,)
    return (earlier.refused,) if earlier.refused else ()


def _remember(game: Game[S], table: Table[S], fact: Fact, effects: Effects) -> Table[S]:
    if fact.request_id is None:
        return table
    refused = next((effect for effect in effects if isinstance(effect, Refuse)), None)
    answer = Answer(fact.by or "", fact.request_id, refused, repr(fact.body), table.records)
    return with_answer(table, answer, _kept_since(game, table))


def _kept_since(game: Game[S], table: Table[S]) -> int:
    """The record from which on no answer may be forgotten."""
    return table.round_since if game.round_id(table.game) else table.records


def _refused(game: Game[S], table: Table[S], fact: Fact, no: Refuse) -> Effects:
    """The refusal; surveillance sees a bet that isn't taken, whoever doesn't take it."""
    if isinstance(fact.body, BetOffered):
        return no, bet_refused(game.round_id(table.game), fact.body, no)
    return (no,)


def _out_of_date(game: Game[S], table: Table[S], fact: Fact) -> Refuse | None:
    """Return the refusal of a request made on an outdated screen, else None.

    The screen showed another round, or a phase that is over.
    """
    if fact.seen is not None and fact.seen < forgotten_before(table, fact.by or ""):
        return STALE_SCREEN  # It may be the repetition of a request whose answer is forgotten.
    if type(fact.body) not in OF_A_ROUND:
        return None  # What was seen of a fault, or of a round that is over, is true in any round.
    open_round = game.round_id(table.game)
    if isinstance(fact.body, PlacePaid) and fact.round_id not in {None, open_round}:
        return None  # A round that is over is paid whatever has happened since.
    from_a_screen = fact.seen is not None or fact.round_id is not None
    other_round = from_a_screen and fact.round_id not in {open_round, shown_round(game, table)}
    # A bet that came too late is the law's to refuse: it has an article for it.
    timely = isinstance(fact.body, BetOffered | BetTakenBack)
    old_phase = not timely and fact.seen is not None and fact.seen < table.phase_since
    return STALE_SCREEN if other_round or old_phase else None
