"""Cards as they really lie on the demo's table.

A person knows them when they turn them up, not before.
"""

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol

from tablectl import words
from tablectl.core.cards import Card, Place
from tablectl.core.facts.card_requests import Dealing
from tablectl.features.demo.console import IDLE, DemoError, Person, View
from tablectl.features.demo.script import SHOE, SHUFFLER, Company


@dataclass(slots=True)
class World:
    """A pack, and what has been laid out of it."""

    rest: list[Card]
    _lying: dict[Place, list[Card]] = field(default_factory=dict[Place, list[Card]])

    def take(self, count: int = 1) -> tuple[Card, ...]:
        """The top cards of the pack."""
        taken, self.rest = self.rest[:count], self.rest[count:]
        return tuple(taken)

    def lay(self, place: Place, cards: tuple[Card, ...]) -> None:
        """Puts cards down at a place."""
        self._lying.setdefault(place, []).extend(cards)

    def push(self, count: int, came: Place, goes: Place) -> None:
        """Moves the last cards of one place to another."""
        cards = self._lying[came][-count:]
        del self._lying[came][-count:]
        self.lay(goes, tuple(cards))

    def turn_up(self, place: Place) -> tuple[Card, ...]:
        """The cards of a place, for whoever turns them."""
        return tuple(self._lying[place])

    def card_count(self) -> int:
        """How many cards lie on the table: what a person counts."""
        return sum(len(cards) for cards in self._lying.values())


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


BEFORE_THE_CARD = frozenset(
    {DealMishap.SHOE_UNPLUGGED, DealMishap.CARD_MISSED, DealMishap.GARBLED_COPY, DealMishap.SHUFFLER_JAM}
)


class DealPlan(Protocol):
    """Part of a round's plan that is about its deal."""

    @property
    def dealing(self) -> Dealing:
        """How the cards come."""
        ...

    @property
    def packet(self) -> int:
        """How many come at once."""
        ...

    @property
    def card_s(self) -> float:
        """How long a card or packet takes a dealer, in seconds."""
        ...

    @property
    def order(self) -> tuple[Place, ...]:
        """Places that each card, or each packet, is for."""
        ...

    @property
    def mishap(self) -> str | None:
        """Mishap of the deal; None where there is none."""
        ...

    @property
    def step(self) -> int:
        """The card or packet, counted from 0, at which it does."""
        ...

    @property
    def stray(self) -> Place:
        """Where a card goes by mistake."""
        ...

    @property
    def reason(self) -> int:
        """Number of the supervisor's reason for a round that they void, 0 to 2."""
        ...


@dataclass(slots=True)
class Deal:
    """One round's deal. Every step waits until the table has taken in the one before."""

    plan: DealPlan
    world: World
    dealer: Person
    supervisor: Person
    company: Company

    async def run(self, most: int | None = None) -> bool:
        """Deals every hand, or so many cards or packets.

        Returns:
            Whether the round is still alive.
        """
        for step, place in enumerate(self.plan.order[:most]):
            strikes = self.plan.mishap if step == self.plan.step else None
            if strikes == DealMishap.DEALT_BY_HAND:
                await self._by_hand(self.plan.order[step:])
                return True
            if strikes is not None and strikes in BEFORE_THE_CARD:
                await self._before(strikes)
            if strikes == DealMishap.CARD_MISSED:
                continue  # This place got its card while the shoe was away.
            if self.over() or not await self._deal_to(place):
                return False
            if strikes is not None and strikes not in BEFORE_THE_CARD:
                await self._after(strikes, place)
            if self.over():
                return False
        return True

    def over(self) -> bool:
        """Return True if the round has ended."""
        return self.company.screen.view is not None and self.company.screen.view.phase == IDLE

    async def _deal_to(self, place: Place) -> bool:
        """The next card or packet, seen by the table; False where it made the round void."""
        count_before = self._now().card_count
        count = self.plan.packet
        await self.company.pace.take(self.plan.card_s)
        cards = self.world.take(count)
        self.world.lay(place, cards)
        if self.plan.dealing is Dealing.SHOE:
            await self.company.devices.shoe.draw(cards[0])
        else:
            self.company.devices.shuffler.deliver_packet(count)
        due = count_before + count
        view = await self.company.screen.until(
            f"cards for {place}", lambda now: now.phase == IDLE or now.card_count == due
        )
        return view.phase != IDLE

    async def _before(self, mishap: str) -> None:
        """Carry out a mishap that strikes before the card leaves the device."""
        match mishap:
            case DealMishap.GARBLED_COPY:
                self.company.devices.garble(SHOE)
            case DealMishap.SHUFFLER_JAM:
                await self._jam()
            case _:
                await self._away(missed=mishap == DealMishap.CARD_MISSED)

    async def _after(self, mishap: str, place: Place) -> None:
        """Carry out a mishap that strikes once the card lies on the table."""
        await self.company.pace.take(1.0)
        match mishap:
            case DealMishap.PLAYER_CARD_EXPOSED | DealMishap.DEALER_CARD_EXPOSED:
                await self._expose(place)
            case DealMishap.PLACE_WITHOUT_BET:
                await self._stray(place)
            case DealMishap.MENDED | DealMishap.WRONG_ORDER:
                await self._misplace(mended=mishap == DealMishap.MENDED)
            case DealMishap.SUPERVISOR_VOID:
                reason = words.text(f"demo.reason.{self.plan.reason}", self.supervisor.language)
                await self.supervisor.do("void_round", reason=reason)
            case _:
                pass

    async def _expose(self, place: Place) -> None:
        """A card turns over; everybody at the table sees which."""
        seen = self.world.turn_up(place)
        await self.dealer.do("expose_card", place=place, index=len(seen), card=seen[-1])

    async def _stray(self, place: Place) -> None:
        """Deal on after a card went to a place without a bet, where it stays.

        The place that was due gets the next one.

        Rule: 89/2004 art. 11(4).
        """
        count = self.plan.packet
        self.world.push(count, place, self.plan.stray)
        await self.dealer.do("misplace_card", place=self.plan.stray)
        await self._deal_to(place)

    async def _misplace(self, *, mended: bool) -> None:
        """Report a card that went to another hand.

        It is put right, or followed by the next card, which makes the round void.

        Rule: 89/2004 art. 11(1).
        """
        await self.dealer.do("misplace_card", place=self.plan.stray)
        if mended:
            await self.company.pace.take(1.5)
            await self.dealer.do("mend_card")

    async def _away(self, *, missed: bool) -> None:
        """Unplug the shoe's cable and plug it in again.

        Nobody reports a card that is drawn in between.
        """
        await self.company.devices.unplug(SHOE)
        await self.company.screen.until("the shoe is gone", lambda now: SHOE not in now.attached)
        if missed:
            cards = self.world.take()
            await self.company.devices.shoe.draw(cards[0])
            self.world.lay(self.plan.order[self.plan.step], cards)
        await self.company.pace.take(2.0)
        await self.company.plug_in(SHOE)
        await self.company.pace.take(2.0)
        await self.dealer.do("count_cards", count=self.world.card_count())

    async def _by_hand(self, places: tuple[Place, ...]) -> None:
        """Deal on by hand after the shoe's cable came out; it stays out."""
        await self.company.devices.unplug(SHOE)
        await self.company.screen.until("the shoe is gone", lambda now: SHOE not in now.attached)
        await self.finish(places)

    async def finish(self, places: tuple[Place, ...]) -> None:
        """Deal one unread card to each of these places, and say that all are dealt."""
        due = self._now().card_count + len(places)
        for place in places:
            await self.company.pace.take(self.plan.card_s)
            self.world.lay(place, self.world.take())
        await self.dealer.do("finish_deal")
        await self.company.screen.until("the cards dealt by hand", lambda now: now.card_count == due)

    async def _jam(self) -> None:
        """Rule: 89/2004 art. 11(5)."""
        self.company.devices.shuffler.jam()
        await self.company.screen.until("the round is void", lambda now: now.phase == IDLE)
        await self.company.pace.take(1.5)
        self.company.devices.shuffler.unjam()
        await self.company.screen.until("the shuffler is free", _shuffler_is_free)

    def _now(self) -> View:
        if self.company.screen.view is None:
            raise DemoError("the console shows nothing")
        return self.company.screen.view


def _shuffler_is_free(view: View) -> bool:
    return not any(fault.present and fault.device == SHUFFLER for fault in view.faults)
