"""Moves with cards that are alike in all games of cards: the pack, the deal, and hands turned up."""

from collections.abc import Sequence
from typing import Any

from tablectl.core.cards import Card, Place
from tablectl.core.facts.card_requests import Dealing
from tablectl.players.moves import Ask, Deliver, Draw, Lay, Move, Sight, Wait


def opened(sight: Sight, plan: Any) -> Move:
    """A round as planned; by hand where its cards would come out of a shoe that nobody reads."""
    if plan.dealing is Dealing.SHOE and not (sight.round["pack"] == "ready" and sight.fresh):
        return Ask("confirm_pack", {"shuffle": "hand"})
    unread = plan.dealing is Dealing.SHOE and not _is_read(sight)
    return Ask("open_round", {"dealing": Dealing.BY_HAND if unread else plan.dealing})


def betting_ended(sight: Sight, plan: Any, packet: int) -> Move:
    """No more bets, by the dealer's call or by the first card, once the pack is shuffled."""
    if sight.round["pack"] != "ready":
        return Wait()
    if plan.dealer_closes or sight.drawn or is_by_hand(sight):
        return Ask("close_betting")
    return next_cards(sight, plan.pack, packet)


def next_cards(sight: Sight, pack: Sequence[Card], packet: int) -> Move:
    """The next card out of the shoe, or the next packet out of the shuffler."""
    if sight.round["dealing"] == "shuffler":
        return Deliver(pack[sight.drawn : sight.drawn + packet])
    return Draw(pack[sight.drawn])


def dealt_by_hand(sight: Sight, pack: Sequence[Card], due: int) -> Move:
    """The cards up to the one that is due last; then the word that they lie."""
    return Lay(pack[sight.drawn : due]) if sight.drawn < due else Ask("finish_deal")


def counted(sight: Sight) -> Ask:
    """The cards on the table, counted."""
    return Ask("count_cards", {"count": sight.drawn})


def turned_up(sight: Sight, place: Place, cards: Sequence[Card]) -> Ask:
    """A hand turned up; its cards are named where the shoe hasn't read them."""
    asked = sight.last is not None and (sight.last.verb, sight.last.fields.get("place")) == ("open_hand", place)
    if sight.round["dealing"] == "shoe" and not (asked and sight.refused == "cards_unknown"):
        return Ask("open_hand", {"place": place})
    return Ask("open_hand", {"place": place, "cards": list(cards)})


def is_by_hand(sight: Sight) -> bool:
    """Return True if the dealer has to say what is dealt."""
    dealing = sight.round["dealing"]
    return bool(dealing == "by_hand" or (dealing == "shoe" and not _is_read(sight)))


def _is_read(sight: Sight) -> bool:
    """Return True if the table has a shoe that reads, and it is there."""
    return any(device["name"] == "shoe" and device["attached"] for device in sight.state["devices"])
