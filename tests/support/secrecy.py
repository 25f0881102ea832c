"""What is told of cards that lie face down: nothing, by the game's word and by the watch's own book."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from typing import Generic, TypeVar

from tablectl.core.cards import PACK, Card, Place
from tablectl.core.effects import Effects
from tablectl.core.events.round import CardShown, Revealed, RoundBegan
from tablectl.core.facts import Fact
from tablectl.core.facts.game_requests import CardExposed, HandOpened
from tablectl.core.facts.reports import CardDrawn
from tablectl.core.game_step import Game
from tests.support.sitting import events
from tests.support.totality import Told

S = TypeVar("S")

Lying = Mapping[Place, tuple[Card | None, ...]]
"""The cards of each hand; None where one wasn't read."""


@dataclass(slots=True)
class Secrecy(Generic[S]):
    """The cards that were read in a round, and those that were turned up since.

    Args:
        may_show: the cards that a fact may turn up at a table in this state.
    """

    game: Game[S]
    may_show: Callable[[Fact, S], set[str]]
    drawn: set[str] = field(default_factory=set)
    up: set[str] = field(default_factory=set)

    def holds(self, told: Told[S]) -> None:
        """No card is told before it is turned up, and none is turned up by a fact that may not."""
        game, state = self.game, told.after.game
        turned_up = _turned_up(told.effects)
        assert turned_up <= self.may_show(told.fact, told.before.game)
        self.write(told.fact, turned_up)
        said, shown = words(told.effects), words(game.public(state)) | words(game.waiting(told.after))
        assert not ((game.unrevealed(told.before.game) | game.unrevealed(state)) - turned_up) & said
        assert not game.unrevealed(state) & shown
        assert not (self.drawn - self.up) & (said | shown)
        if any(isinstance(event, RoundBegan) for event in told.events):
            self.drawn, self.up = set(), set()

    def write(self, one: Fact, turned_up: set[str]) -> None:
        """What the fact read or turned up."""
        if isinstance(one.body, CardDrawn) and one.body.card in PACK:
            self.drawn.add(str(one.body.card))
        self.up |= turned_up


def opened_or_exposed(one: Fact, hands: Lying) -> set[str]:
    """The cards of the hand that a fact opens, or the one that showed."""
    match one.body:
        case HandOpened(place, given):
            return {str(card) for card in given or hands.get(place, ()) if card}
        case CardExposed(place, index, given):
            return {str(card) for card in (card_at(hands, place, index), given) if card}
        case _:
            return set()


def card_at(hands: Lying, place: Place, index: int) -> Card | None:
    """What was read of a place's card, counted from 1."""
    cards = hands.get(place, ())
    return cards[index - 1] if 0 < index <= len(cards) else None


def _turned_up(effects: Effects) -> set[str]:
    """The cards that these effects say lie face up from now on."""
    shown = (event.cards for event in events(effects) if isinstance(event, Revealed | CardShown))
    return {str(card) for cards in shown for card in cards}


def words(value: object) -> set[str]:
    """Every word in a value, as it would stand in a message or a log."""
    return set(re.findall(r"[A-Za-z0-9]+", f"{value!r} {_plain(value)!r}"))


def _plain(value: object) -> object:
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: _plain(getattr(value, field.name)) for field in fields(value)}
    return [_plain(item) for item in value] if isinstance(value, tuple | list) else value
