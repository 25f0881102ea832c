"""A round at the demo's Football Poker table, from the draw to the last hand."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from tablectl.core.cards import Card
from tablectl.core.facts import Dealing, Place
from tablectl.core.faults import Code
from tablectl.core.games.football_poker.hands import total_of
from tablectl.features.demo.football_poker.plan import FIRST_CARDS, Mishap, Plan
from tablectl.features.demo.staging.cards import World
from tablectl.features.demo.staging.console import DemoError, Person
from tablectl.features.demo.staging.deal import Deal
from tablectl.features.demo.staging.device_actions import DISPLAY, DRAW, SHOE, SHUFFLER
from tablectl.features.demo.staging.plans import Moment
from tablectl.features.demo.staging.script import Company
from tablectl.features.demo.staging.view import IDLE, OVER, View

BETTING, LOOKING, THIRDS, READY = "betting", "looking", "thirds", "ready"
POST: Final = frozenset({0, 9})


async def play(company: Company, plan: Plan) -> None:
    """Plays one round to its end, whatever that is.

    Raises:
        DemoError: the table did something that the rules don't explain.
    """
    await _Play(company, plan, World(list(plan.pack))).round()


@dataclass(frozen=True, slots=True)
class _Play:
    """One round and its table."""

    company: Company
    plan: Plan
    world: World

    @property
    def dealer(self) -> Person:
        return self.company.staff.dealer

    async def round(self) -> None:
        """From the draw to the signatures after the last hand."""
        await self._open()
        await self._take_bets()
        staff = self.company.staff
        deal = Deal(self.plan, self.world, staff.dealer, staff.supervisor, self.company)
        if await deal.run():
            await self._finish(deal)
        if self.plan.mishap is Mishap.DEALT_BY_HAND:
            await self.company.plug_in(SHOE)
        await self.company.tidy()
        await self.company.pace.take(3.0)

    async def _open(self) -> None:
        """A fresh pack and an open round: the system draws, the display shows it.

        Rule: 41/2003 art. 6(1).
        """
        name = SHOE if self.plan.dealing is Dealing.SHOE else SHUFFLER
        await self._until(
            "all devices are there", lambda now: {name, DRAW, DISPLAY} <= now.attached and now.phase == IDLE
        )
        if self.plan.dealing is Dealing.SHOE:
            await self.dealer.do("confirm_pack", shuffle="hand")
        unplugged = self.plan.mishap is Mishap.DRAW_UNPLUGGED
        if self.plan.mishap is Mishap.DISPLAY_WRONG:
            self.company.devices.show_wrongly()
        await self.dealer.do("open_round", dealing=self.plan.dealing)
        if unplugged:
            await self._unplug_draw()
        if self.plan.mishap is Mishap.DISPLAY_WRONG:
            await self._mend_display()
        await self._until("the draw is shown", lambda now: now.phase == BETTING)

    async def _unplug_draw(self) -> None:
        """Unplug the draw system's cable just as it was asked, and plug it in again.

        It draws once, whatever became of the answer.
        """
        await self.company.devices.unplug(DRAW)
        await self._until("the draw system is gone", lambda now: DRAW not in now.attached)
        await self.company.pace.take(2.0)
        await self.company.devices.plug_in(DRAW)

    async def _mend_display(self) -> None:
        """Mend a display that shows something else than was drawn.

        It holds the table until it shows what it should.
        """
        await self._until("the display disagrees", _display_disagrees)
        await self.company.pace.take(2.0)
        self.company.devices.show_rightly()
        await self._until("the display agrees", lambda now: not _display_disagrees(now))
        await self.company.sign()

    async def _take_bets(self) -> None:
        plan, pace = self.plan, self.company.pace
        for bet in plan.bets:
            await pace.take(0.7)
            await self.company.bet(bet)
        await self.company.try_in_vain(plan.refused, Moment.IN_TIME)
        await self._until("the pack is shuffled", lambda now: now.pack == READY)
        await pace.take(1.0)
        if plan.dealer_closes:
            await self.dealer.do("close_betting")
            await self.company.try_in_vain(plan.refused, Moment.TOO_LATE)

    async def _finish(self, deal: Deal) -> None:
        """Third cards where they are due, then every hand open.

        Rule: 41/2003 art. 10(1).
        """
        while (view := await self._now()).phase not in OVER:
            if view.phase == THIRDS and self.plan.mishap is Mishap.DEALT_BY_HAND:
                await deal.finish(tuple(filter(self._lacks_third, self.plan.places)))
            elif view.phase == THIRDS:
                await self._third_card()
            else:
                await self._open_hand(view)

    async def _third_card(self) -> None:
        place = next(place for place in self.plan.places if self._lacks_third(place))
        await self.company.pace.take(0.8)
        cards, before = self.world.take(), (await self._now()).card_count
        self.world.lay(place, cards)
        if self.plan.dealing is Dealing.SHOE:
            await self.company.devices.shoe.draw(cards[0])
        else:
            self.company.devices.shuffler.deliver_packet(1)
        await self._until("the third card", lambda now: now.card_count > before or now.phase in OVER)

    async def _open_hand(self, view: View) -> None:
        """Open the next hand: it is read by the shoe, or typed.

        In the looking phase that is because a third card may be due.

        Raises:
            DemoError: no hand can be opened.
        """
        closed = [hand.place for hand in view.hands if not (hand.opened or hand.dead)]
        looked = {hand.place for hand in view.hands if None not in hand.cards}
        due = [place for place in closed if not (view.phase == LOOKING and place in looked)]
        await self.company.pace.take(1.0)
        for place in due:
            if await self._turn_up(place):
                return
        raise DemoError(f"no hand can be opened in phase {view.phase}")

    async def _turn_up(self, place: Place) -> bool:
        """Turn up a hand; return True if it could be opened now."""
        cards: list[Card] = list(self.world.turn_up(place))
        answer = await self.dealer.ask("open_hand", place=place)
        if answer.code == "cards_unknown":
            answer = await self.dealer.ask("open_hand", place=place, cards=cards)
        return answer.accepted

    def _lacks_third(self, place: Place) -> bool:
        cards = self.world.turn_up(place)
        return len(cards) == FIRST_CARDS and total_of(cards) in POST

    async def _now(self) -> View:
        return await self._until("a look", lambda _: True)

    async def _until(self, what: str, holds: Callable[[View], bool]) -> View:
        return await self.company.screen.until(what, holds)


def _display_disagrees(view: View) -> bool:
    return any(fault.code == Code.DISPLAY_MISMATCH and fault.present for fault in view.faults)
