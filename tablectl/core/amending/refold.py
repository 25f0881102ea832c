"""Refold of a round: its recorded facts as amended, from the state at its opening."""

from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Any, Final

from tablectl.core import game_step
from tablectl.core.amending.placed import Placed
from tablectl.core.bets.stakes import Limits
from tablectl.core.cards import Card, Place
from tablectl.core.effects import Announce, ClearFault, Command, Effects, RaiseFault, Refuse, RequestDraw, ShowDraw
from tablectl.core.events import KINDS, Event
from tablectl.core.events.amendments import Amended, Reopened
from tablectl.core.events.round import (
    BetRefused,
    CardDealt,
    CardOutOfRound,
    CardShown,
    Corrected,
    Revealed,
    RoundPaid,
    Settled,
    Voided,
)
from tablectl.core.facts import Body, Fact, Stamp
from tablectl.core.facts.game_requests import (
    CardExposed,
    CardMisplaced,
    DiceEntered,
    HandOpened,
    SpinDeclared,
    TiersShown,
)
from tablectl.core.facts.reports import CardDrawn, DrawCommitted, DrawShown
from tablectl.core.game_step import Game, device_of_kind, with_serial
from tablectl.core.table import Table
from tablectl.lazy_dataclass import dataclass, replace

OWN_FAMILIES: Final = frozenset({"round", "bet", "card", "draw", "wheel", "dice"})
ENDS: Final = (Settled, Voided)
_NEVER_STRUCK: Final = (BetRefused, Amended, Corrected, Reopened, RoundPaid, *ENDS)
UNNUMBERED: Final = 0
"""The number of a draw that persons added: they know what was displayed, and not under which number."""

_NO_LIMITS: Final = Limits(1, 10**15, 1)
_GROWING: Final = ("events", "refused", "commands", "faults", "cards", "revealed", "shown")
_KEPT: Final = 6
"""So many folds of a round are kept: what one amendment is computed from, and the one before it."""


@dataclass(frozen=True, slots=True)
class Said:
    """One of the round's own events, and when what it follows from happened."""

    event: Event
    at: Stamp


@dataclass(frozen=True, slots=True)
class No:
    """A fact of the round that isn't lawful any more."""

    placed: Placed
    refused: Refuse


@dataclass(slots=True)
class Refolded:
    """Result of folding a round again.

    Args:
        events: its own, without its end.
        end: the event that ended it.
        refused: the facts that would have been refused.
        faults: raised, with where they came from.
        cards: where each card or packet was counted for, by the number and order of its fact: place and first index.
        revealed: the cards of each open hand.
        shown: cards that were exposed, as far as they are known, by place and index.
        rest: the facts after its end.
        misread: readings that don't count, because the card was seen elsewhere.
        bets: as they lay before the last fact that was folded, in the order placed.
        is_over: whether the facts went as far as the round's end.
    """

    table: Table[Any]
    events: list[Said] = field(default_factory=list[Said])
    end: Said | None = None
    refused: list[No] = field(default_factory=list[No])
    commands: list[Command] = field(default_factory=list[Command])
    faults: list[tuple[Placed, RaiseFault]] = field(default_factory=list[tuple[Placed, RaiseFault]])
    cards: dict[Placed, tuple[Place, int]] = field(default_factory=dict[Placed, tuple[Place, int]])
    revealed: dict[Place, tuple[Card, ...]] = field(default_factory=dict[Place, tuple[Card, ...]])
    shown: dict[tuple[Place, int], tuple[Card, ...]] = field(default_factory=dict[tuple[Place, int], tuple[Card, ...]])
    rest: tuple[Placed, ...] = ()
    misread: frozenset[Placed] = frozenset()
    bets: Sequence[Any] = ()
    is_over: bool = False

    def lies_open(self, placed: Placed) -> bool:
        """Return True if the card of this fact lies face up.

        A card that no longer belongs to a hand is taken to be seen by nobody.
        """
        where = self.cards.get(placed)
        if where is None or placed in self.misread or placed.lies not in {"", where[0]}:
            return False
        last = [each for each, its in self.cards.items() if its == where][-1]
        return last == placed and (where[0] in self.revealed or where in self.shown)

    def was_seen(self, placed: Placed) -> bool:
        """Return True if the card of this fact lies face up as the one that was read.

        What an open card was wrongly read as may be a card that lies face down elsewhere.
        """
        if not self.lies_open(placed) or not isinstance(placed.fact.body, CardDrawn):
            return False
        where = self.cards[placed]
        return placed.fact.body.card in (*self.revealed.get(where[0], ()), *self.shown.get(where, ()))


def is_own(event: Event) -> bool:
    """Return True if an amendment can strike this event of a round."""
    is_of_a_round = getattr(event, "round_id", None) is not None
    return is_of_a_round and KINDS[type(event)][0] in OWN_FAMILIES and not isinstance(event, _NEVER_STRUCK)


class Refolds:
    """Folds rounds again and keeps the last results: an amendment follows its dry run."""

    def __init__(self) -> None:
        self._kept: list[tuple[Game[Any], Table[Any], Sequence[Placed], Refolded]] = []

    def __call__(self, game: Game[Any], opening: Table[Any], facts: Sequence[Placed]) -> Refolded:
        """Fold a round from its opening, up to its end if it has one; not to be changed.

        What was asked isn't held against its screen again, nor bets against the house's limits; what isn't lawful
        is left out. A card that a person saw lie face up at one place was misread where it was read at another.
        """
        done = self.as_they_stand(game, opening, facts)
        exchanged = _exchanged(done)
        done = _folded(game, Refolded(opening), facts, exchanged) if exchanged else done
        misread = _misread(done, facts)
        return _folded(game, Refolded(opening, misread=misread), facts, exchanged) if misread else done

    def as_they_stand(self, game: Game[Any], opening: Table[Any], facts: Sequence[Placed]) -> Refolded:
        """Fold the facts as they stand, from the longest part that was folded before."""
        begun = [
            (len(known), done)
            for its_game, begins, known, done in self._kept
            if begins is opening and facts[: len(known)] == known and its_game == game
        ]
        known, done = max(begun, key=lambda each: each[0], default=(0, Refolded(opening)))
        if begun and known == len(facts):
            return done
        done = replace(done, **{name: getattr(done, name).copy() for name in _GROWING})
        if done.is_over:
            done.rest += tuple(facts[known:])
        else:
            _folded(game, done, facts, {}, known)
        self._kept = [(game, opening, facts, done), *self._kept[: _KEPT - 1]]
        return done


def _folded(
    game: Game[Any], done: Refolded, facts: Sequence[Placed], exchanged: Mapping[Placed, Placed], known: int = 0
) -> Refolded:
    """Fold the facts; in the place of an exchanged card comes the one that lies there.

    Args:
        known: how many of them were folded before.
    """
    free = without_limits(game)
    round_id = game.round_id(done.table.game) if known else None
    for nth, placed in enumerate(facts[known:], known + 1):
        done.bets = getattr(done.table.game, "bets", ())
        own = exchanged.get(placed, placed)
        came = _unread(own) if own in done.misread else own
        here = came if own is placed else replace(placed, fact=replace(placed.fact, body=came.fact.body))
        _take(_as_stated(free, placed), done, here, own)
        if placed.lies not in {"", done.cards.get(own, ("", 0))[0]} and placed not in exchanged:
            _say_where_it_lies(free, done, placed)
        now = game.round_id(done.table.game)
        if round_id is not None and now != round_id:
            done.rest, done.is_over = tuple(facts[nth:]), True
            break
        round_id = now
    return done


def without_limits(game: Game[Any]) -> Game[Any]:
    """The game where the house takes any stake and any capital.

    What lies on the table lies there.
    """
    played: Any = game
    least = {"least_capital": 1} if hasattr(played.settings, "least_capital") else {}
    free: Game[Any] = replace(played, settings=replace(played.settings, limits=_NO_LIMITS, **least))
    return free


def fold_again(free: Game[Any], table: Table[Any], fact: Fact, record: int) -> tuple[Table[Any], Effects, Effects]:
    """Fold a recorded fact once more.

    It isn't held against its screen or the house's limits again. Nor is a correction by hand: the state in which a
    round was opened doesn't say which earlier rounds were within reach.

    Args:
        free: the game `without_limits`.
        record: the number under which the fact is folded.
    """
    bare = replace(fact, seen=None, request_id=None, round_id=None, delivery="")
    return game_step.one(free, replace(table, records=record, by_hand_limit=None), bare)


def _say_where_it_lies(game: Game[Any], done: Refolded, placed: Placed) -> None:
    """Fold the statement that a card or packet lies elsewhere.

    If a hand had use for it, it never came out of turn.
    """
    word = replace(placed, fact=replace(placed.fact, body=CardMisplaced(placed.lies)), lies="")
    before = len(done.events)
    _take(game, done, word, placed)
    if any(isinstance(each.event, CardDealt) for each in done.events[before:]):
        done.events[:] = [*_without_stray(done.events[:before]), *done.events[before:]]


def _without_stray(events: Sequence[Said]) -> Sequence[Said]:
    """The events without the last one, where that is a card that nobody was due."""
    return events[:-1] if events and isinstance(events[-1].event, CardOutOfRound) else events


_READ_BY: Final[Mapping[type, str]] = {SpinDeclared: "wheel", DiceEntered: "dice"}
"""What persons state and the device of which kind reads."""


def _as_stated(game: Game[Any], placed: Placed) -> Game[Any]:
    """Return the game without its sensor for a spin or a throw that persons added.

    Their statement stands above the sensor's.
    """
    kind = _READ_BY.get(type(placed.fact.body))
    if placed.record is not None or kind is None or not device_of_kind(game, kind):
        return game
    played: Any = game
    unread: Game[Any] = replace(played, settings=replace(played.settings, **{kind: ""}))
    return unread


def _misread(done: Refolded, facts: Sequence[Placed]) -> frozenset[Placed]:
    """The readings of cards that persons saw lie face up at other places."""
    seen = {each for placed in facts if placed.made_by for each in _cards_stated(placed)}
    return frozenset(
        placed
        for placed in (facts if seen else ())
        if isinstance(placed.fact.body, CardDrawn) and not (placed.made_by and "card" in placed.stated)
        if any(card == placed.fact.body.card and _is_another(done, placed, place, index) for place, index, card in seen)
    )


def _exchanged(done: Refolded) -> Mapping[Placed, Placed]:
    """Cards that lie at each other's places, each with the one that lies in its stead.

    Where one card has to be put right before another is declared, as in 13 Cards, these needn't be: each place has its
    number of cards.
    """
    if all(each.refused.code != "mend_first" for each in done.refused):
        return {}
    astray = [placed for placed in done.cards if placed.lies not in {"", done.cards[placed][0]}]
    found: dict[Placed, Placed] = {}
    for placed in astray:
        ring = [placed]
        while len(ring) <= len(astray) and ring[-1].lies != done.cards[placed][0]:
            free = (each for each in astray if each not in found and each not in ring)
            ring += [next((each for each in free if done.cards[each][0] == ring[-1].lies), placed)]
        if placed not in found and len({*ring}) == len(ring):
            found.update(zip((*ring[1:], ring[0]), ring, strict=True))
    return found


def _cards_stated(placed: Placed) -> Sequence[tuple[Place, int, Card]]:
    """Return the cards that a fact names by amendment, and where they lie.

    The index is 0 for any card of the place. The name of a card that was read has no place: it holds for that card
    alone.
    """
    match placed.fact.body:
        case CardDrawn(card=card) if card is not None and "card" in placed.stated:
            return (("", 0, card),)
        case HandOpened(place, cards):
            return [(place, 0, card) for card in cards]
        case TiersShown(place, rows):
            return [(place, 0, card) for row in rows for card in row]
        case CardExposed(place, index, card) if card is not None:
            return ((place, index, card),)
        case _:
            return ()


def _is_another(done: Refolded, placed: Placed, place: Place, index: int) -> bool:
    """Return True if a card doesn't lie here."""
    counted, nth = done.cards.get(placed, (None, 0))
    return place != (placed.lies or counted) or (not placed.lies and index not in {0, nth})


def _unread(placed: Placed) -> Placed:
    body = placed.fact.body
    assert isinstance(body, CardDrawn)
    return replace(placed, fact=replace(placed.fact, body=replace(body, card=None)))


def _take(game: Game[Any], done: Refolded, placed: Placed, of: Placed) -> None:
    """Folds one fact.

    Args:
        of: the fact as it counts, of which this one is a part or another form.
    """
    body = _under_its_number(game, done.table, placed.fact.body)
    table, said, effects = fold_again(game, done.table, replace(placed.fact, body=body), placed.number)
    refused = next((effect for effect in effects if isinstance(effect, Refuse)), None)
    if refused is not None:
        if refused.code != "lies_right" or isinstance(of.fact.body, CardMisplaced):
            done.refused.append(No(of, refused))
        return
    done.table = table
    done.faults += [(of, each) for each in said if isinstance(each, RaiseFault)]
    _note(done, of, placed.fact.at, effects)


def _under_its_number(game: Game[Any], table: Table[Any], body: Body) -> Body:
    """Number a draw that persons added by the pending command to draw or show.

    It answers that request to the draw system or the display.
    """
    if not isinstance(body, DrawCommitted | DrawShown) or body.draw_id != UNNUMBERED:
        return body
    asks = RequestDraw if isinstance(body, DrawCommitted) else ShowDraw
    command = next((each for each in game.outstanding(table.game) if isinstance(each, asks)), None)
    return replace(body, draw_id=command.draw_id) if command is not None else body


def _note(done: Refolded, placed: Placed, at: Stamp, effects: Effects) -> None:
    for effect in effects:
        match effect:
            case Announce(event) if isinstance(event, ENDS):
                done.end = Said(event, at)
            case Announce(event) if is_own(event) and done.end is None:
                told = event if placed.stated else with_serial(done.table, event, placed.fact.body)
                done.events.append(Said(told, at))
                _see(done, placed, event)
            case Announce() | Refuse() | RaiseFault() | ClearFault():
                pass
            case _:
                done.commands.append(effect)


def _see(done: Refolded, placed: Placed, event: Event) -> None:
    match event:
        case CardDealt(_, place, index):
            done.cards.setdefault(placed, (place, index))
        case Revealed(_, place, cards):
            done.revealed[place] = cards
        case CardShown(_, place, index, cards):
            done.shown[place, index] = cards
        case _:
            pass
