"""Moves that all games of cards have: the pack, the deal, hands turned up."""

from collections.abc import Sequence
from typing import Any

from tablectl.core.cards import Card, Place
from tablectl.core.facts.game_requests import Dealing
from tablectl.players.moves import Ask, Deliver, Draw, Lay, Move, TableView, Wait


def opened(view: TableView, plan: Any) -> Move:
    """A round as planned; by hand where it needs a shoe and none reads."""
    if plan.dealing is Dealing.SHOE and not (view.round["pack"] == "ready" and view.fresh):
        return Ask("confirm_pack", {"shuffle": "hand"})
    unread = plan.dealing is Dealing.SHOE and not _is_read(view)
    return Ask("open_round", {"dealing": Dealing.BY_HAND if unread else plan.dealing})


def betting_ended(view: TableView, plan: Any, packet: int) -> Move:
    """No more bets, by a call or by the first card, once the pack is shuffled."""
    if view.round["pack"] != "ready":
        return Wait()
    if plan.dealer_closes or view.drawn or is_by_hand(view):
        return Ask("close_betting")
    return next_cards(view, plan.pack, packet)


def next_cards(view: TableView, pack: Sequence[Card], packet: int) -> Move:
    """The next card out of the shoe, or the next packet out of the shuffler."""
    if view.round["dealing"] == "shuffler":
        return Deliver(pack[view.drawn : view.drawn + packet])
    return Draw(pack[view.drawn])


def dealt_by_hand(view: TableView, pack: Sequence[Card], due: int) -> Move:
    """The cards up to the one that is due last; then the word that they lie."""
    return Lay(pack[view.drawn : due]) if view.drawn < due else Ask("finish_deal")


def counted(view: TableView) -> Ask:
    """The cards on the table, counted."""
    return Ask("count_cards", {"count": view.drawn})


def turned_up(view: TableView, place: Place, cards: Sequence[Card]) -> Ask:
    """A hand turned up; its cards are named where the shoe hasn't read them."""
    asked = view.last is not None and (view.last.verb, view.last.fields.get("place")) == ("open_hand", place)
    if view.round["dealing"] == "shoe" and not (asked and view.refused == "cards_unknown"):
        return Ask("open_hand", {"place": place})
    return Ask("open_hand", {"place": place, "cards": list(cards)})


def is_by_hand(view: TableView) -> bool:
    """Return True if the dealer has to say what is dealt."""
    dealing = view.round["dealing"]
    return bool(dealing == "by_hand" or (dealing == "shoe" and not _is_read(view)))


def _is_read(view: TableView) -> bool:
    """Return True if the table has a shoe that reads, and it is there."""
    return any(device["name"] == "shoe" and device["attached"] for device in view.state["devices"])
