"""The deal, card by card or packet by packet, and what goes wrong in it."""

from dataclasses import dataclass

from tablectl import words
from tablectl.core.facts import Dealing, Place
from tablectl.tools.demo.act import Company
from tablectl.tools.demo.console import DemoError, Person
from tablectl.tools.demo.hands import SHOE, SHUFFLER
from tablectl.tools.demo.q_poker.plan import HAND_SIZE, Mishap, Plan
from tablectl.tools.demo.sight import IDLE, Sight
from tablectl.tools.demo.world import World

BEFORE_THE_CARD = frozenset({Mishap.SHOE_UNPLUGGED, Mishap.CARD_MISSED, Mishap.GARBLED_COPY, Mishap.SHUFFLER_JAM})


@dataclass(slots=True)
class Deal:
    """One round's deal. Every step waits until the table has taken in the one before."""

    plan: Plan
    world: World
    dealer: Person
    supervisor: Person
    company: Company

    async def run(self) -> bool:
        """Deals every hand.

        Returns:
            Whether the round is still alive.
        """
        for step, place in enumerate(self.plan.order):
            strikes = self.plan.mishap if step == self.plan.step else None
            if strikes is not None and strikes in BEFORE_THE_CARD:
                await self._before(strikes)
            if self.over() or not await self._deal_to(place):
                return False
            if strikes is not None and strikes not in BEFORE_THE_CARD:
                await self._after(strikes, place)
            if self.over():
                return False
        return True

    def over(self) -> bool:
        """Whether the round has ended."""
        return self.company.screen.sight is not None and self.company.screen.sight.phase == IDLE

    async def _deal_to(self, place: Place) -> bool:
        """The next card or packet, seen by the table; False where it made the round void."""
        lying = self._now().lying
        count = 1 if self.plan.dealing is Dealing.SHOE else HAND_SIZE
        await self.company.pace.take(0.5 if count == 1 else 1.2)
        cards = self.world.take(count)
        self.world.lay(place, cards)
        if count == 1:
            await self.company.devices.shoe.draw(cards[0])
        else:
            self.company.devices.shuffler.deliver_packet(count)
        due = lying + count
        sight = await self.company.screen.until(f"cards for {place}", lambda now: now.phase == IDLE or now.lying == due)
        return sight.phase != IDLE

    async def _before(self, mishap: Mishap) -> None:
        """What strikes before the card leaves the device."""
        match mishap:
            case Mishap.GARBLED_COPY:
                self.company.devices.garble(SHOE)
            case Mishap.SHUFFLER_JAM:
                await self._jam()
            case _:
                await self._away(missed=mishap is Mishap.CARD_MISSED)

    async def _after(self, mishap: Mishap, place: Place) -> None:
        """What strikes once the card lies on the table."""
        await self.company.pace.take(1.0)
        match mishap:
            case Mishap.PLAYER_CARD_EXPOSED | Mishap.DEALER_CARD_EXPOSED:
                await self._expose(place)
            case Mishap.PLACE_WITHOUT_BET:
                await self._stray(place)
            case Mishap.MENDED | Mishap.WRONG_ORDER:
                await self._misplace(mended=mishap is Mishap.MENDED)
            case Mishap.SUPERVISOR_VOID:
                reason = words.text(f"demo.reason.{self.plan.reason}", self.supervisor.language)
                await self.supervisor.do("void_round", reason=reason)
            case _:
                pass

    async def _expose(self, place: Place) -> None:
        """A card turns over; everybody at the table sees which."""
        seen = self.world.turn_up(place)
        await self.dealer.do("expose_card", place=place, index=len(seen), card=seen[-1])

    async def _stray(self, place: Place) -> None:
        """The card went to a place without a bet and stays there; the place that was due gets the next one.

        Rule: 89/2004 art. 11(4).
        """
        count = 1 if self.plan.dealing is Dealing.SHOE else HAND_SIZE
        self.world.push(count, place, self.plan.stray)
        await self.dealer.do("misplace_card", place=self.plan.stray)
        await self._deal_to(place)

    async def _misplace(self, *, mended: bool) -> None:
        """The card went to another hand: put right, or followed by the next card, which makes the round void.

        Rule: 89/2004 art. 11(1).
        """
        await self.dealer.do("misplace_card", place=self.plan.stray)
        if mended:
            await self.company.pace.take(1.5)
            await self.dealer.do("mend_card")

    async def _away(self, *, missed: bool) -> None:
        """The shoe's cable comes out and goes back; nobody reports a card that is drawn in between."""
        await self.company.devices.unplug(SHOE)
        await self.company.screen.until("the shoe is gone", lambda now: SHOE not in now.attached)
        if missed:
            cards = self.world.take()
            await self.company.devices.shoe.draw(cards[0])
            self.world.lay(self.plan.order[self.plan.step], cards)
        await self.company.pace.take(2.0)
        await self.company.devices.plug_in(SHOE)
        await self.company.screen.until("the shoe is back", lambda now: SHOE in now.attached)
        await self.company.pace.take(2.0)
        await self.dealer.do("count_cards", count=self.world.lying())

    async def _jam(self) -> None:
        """Rule: 89/2004 art. 11(5)."""
        self.company.devices.shuffler.jam()
        await self.company.screen.until("the round is void", lambda now: now.phase == IDLE)
        await self.company.pace.take(1.5)
        self.company.devices.shuffler.unjam()
        await self.company.screen.until("the shuffler is free", _shuffler_is_free)

    def _now(self) -> Sight:
        if self.company.screen.sight is None:
            raise DemoError("the console shows nothing")
        return self.company.screen.sight


def _shuffler_is_free(sight: Sight) -> bool:
    return not any(fault.present and fault.device == SHUFFLER for fault in sight.faults)
