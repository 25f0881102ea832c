"""Mishaps of the deal, in any game of cards."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from enum import StrEnum
from random import Random
from typing import Final, TypeVar

from tablectl.core.facts.game_requests import Dealing
from tablectl.features.demo.console import IDLE, View
from tablectl.features.demo.playing import Playing
from tablectl.features.demo.script import SHOE, SHUFFLER, Company, numbered
from tablectl.players.moves import Deliver, Draw, Move

E = TypeVar("E", bound=StrEnum)


class DealMishap(StrEnum):
    """Intended mishaps of any game's deal."""

    PLAYER_CARD_EXPOSED = "player_card_exposed"
    PLACE_WITHOUT_BET = "place_without_bet"
    MENDED = "mended"
    SHOE_UNPLUGGED = "shoe_unplugged"
    DEALER_CARD_EXPOSED = "dealer_card_exposed"
    SHUFFLER_JAM = "shuffler_jam"
    GARBLED_COPY = "garbled_copy"
    WRONG_ORDER = "wrong_order"
    SUPERVISOR_VOID = "supervisor_void"
    CARD_MISSED = "card_missed"
    DEALT_BY_HAND = "dealt_by_hand"


SHOE_ONLY: Final = frozenset(
    {
        DealMishap.MENDED,
        DealMishap.WRONG_ORDER,
        DealMishap.SHOE_UNPLUGGED,
        DealMishap.CARD_MISSED,
        DealMishap.DEALT_BY_HAND,
        DealMishap.GARBLED_COPY,
    }
)


def dealt(seed: int, irregular: float, kinds: Sequence[E]) -> Iterator[tuple[int, Random, E | None, Dealing]]:
    """Yield rounds as `numbered` does, each with its way of dealing.

    It is mostly the shoe, every third round the shuffler; not right after it jammed.
    """
    jammed = False
    for number, chance, mishap in numbered(seed, irregular, kinds):
        jams = mishap is not None and mishap.value == DealMishap.SHUFFLER_JAM.value
        from_shoe = mishap in SHOE_ONLY or jammed or number % 3
        yield number, chance, mishap, Dealing.SHOE if from_shoe and not jams else Dealing.SHUFFLER
        jammed = jams


async def strike(playing: Playing, view: View, move: Move) -> bool:
    """Carry out the mishap of the deal, at the card or packet that it strikes at.

    Returns:
        Whether the move was made, or became void.
    """
    plan = playing.plan
    if not isinstance(move, Draw | Deliver) or playing.drawn // plan.packet != plan.step:
        return False
    if not playing.strikes(*DealMishap):
        return False
    match plan.mishap:
        case DealMishap.GARBLED_COPY:
            playing.company.devices.garble(SHOE)
            return False
        case DealMishap.SHUFFLER_JAM:
            await _jam(playing.company)
        case DealMishap.DEALT_BY_HAND:  # until the end of the round
            await playing.company.unplug(SHOE)
        case DealMishap.SHOE_UNPLUGGED | DealMishap.CARD_MISSED:
            await _away(playing, move)
        case _:
            count_before = view.card_count
            if (await playing.make(move)).card_count > count_before:
                await playing.company.pace.take(1.0)
                await _after(playing, move)
    return True


async def _after(playing: Playing, move: Draw | Deliver) -> None:
    """Carry out a mishap that strikes once the card lies on the table."""
    plan, dealer = playing.plan, playing.company.staff.dealer
    match plan.mishap:
        case DealMishap.PLAYER_CARD_EXPOSED | DealMishap.DEALER_CARD_EXPOSED:
            await _expose(playing, move)
        case DealMishap.PLACE_WITHOUT_BET:
            await _stray(playing)
        case DealMishap.SUPERVISOR_VOID:
            await playing.void()
        case mishap:
            # Put right, or followed by the next card, which makes the round void. Rule: 89/2004 art. 11(1).
            await dealer.do("misplace_card", place=plan.stray)
            if mishap == DealMishap.MENDED:
                await playing.company.pace.take(1.5)
                await dealer.do("mend_card")


async def _expose(playing: Playing, move: Draw | Deliver) -> None:
    """A card turns over; everybody at the table sees which."""
    place, card = playing.plan.order[playing.plan.step], move.card if isinstance(move, Draw) else move.cards[-1]
    hand = next(hand for hand in (await playing.company.look()).hands if hand.place == place)
    await playing.company.staff.dealer.do("expose_card", place=place, index=len(hand.cards), card=card)


async def _stray(playing: Playing) -> None:
    """Deal on after a card or packet went to a place without a bet, where it stays.

    The place that was due gets the next one.

    Rule: 89/2004 art. 11(4).
    """
    plan = playing.plan
    await playing.company.staff.dealer.do("misplace_card", place=plan.stray)
    playing.drawn -= plan.packet
    rest = (*plan.pack[: playing.drawn], *plan.pack[playing.drawn + plan.packet :])
    playing.plan = replace(plan, pack=rest)


async def _away(playing: Playing, move: Draw | Deliver) -> None:
    """Unplug the shoe's cable and plug it in again.

    Nobody reports a card that is drawn in between.
    """
    company = playing.company
    await company.unplug(SHOE)
    if playing.plan.mishap == DealMishap.CARD_MISSED and isinstance(move, Draw):
        await company.devices.shoe.draw(move.card)
        playing.drawn += 1
    await company.pace.take(2.0)
    await company.plug_in(SHOE)


async def _jam(company: Company) -> None:
    """Rule: 89/2004 art. 11(5)."""
    company.devices.shuffler.jam()
    await company.screen.until("the round is void", lambda now: now.phase == IDLE)
    await company.pace.take(1.5)
    company.devices.shuffler.unjam()
    await company.screen.until("the shuffler is free", _shuffler_is_free)


def _shuffler_is_free(view: View) -> bool:
    return not any(fault.present and fault.device == SHUFFLER for fault in view.faults)
