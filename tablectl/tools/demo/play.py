"""A round from the pack to the dealer's hand, as the demo's dealer and bettors play it."""

from dataclasses import dataclass

from tablectl.core.cards import Card
from tablectl.core.facts import DEALER, Dealing, Place
from tablectl.core.games.q_poker.hands import qualifies
from tablectl.tools.demo.console import DemoError, Person, Screen
from tablectl.tools.demo.deal import Deal
from tablectl.tools.demo.hands import SHOE, SHUFFLER, Devices
from tablectl.tools.demo.pace import Pace
from tablectl.tools.demo.plan import VERSUS, Mishap, Moment, Plan, PlannedBet, plays
from tablectl.tools.demo.sight import IDLE
from tablectl.tools.demo.world import World

READY = "ready"


@dataclass(frozen=True, slots=True)
class Staff:
    """Who is on duty."""

    dealer: Person
    supervisor: Person

    def for_fault(self, clears: str) -> Person | None:
        """Who may acknowledge a fault, by its line of the catalogue; no technician is on duty."""
        return {"dealer": self.dealer, "supervisor": self.supervisor}.get(clears)


@dataclass(slots=True)
class Play:
    """The people, their table and their devices."""

    seed: int
    staff: Staff
    screen: Screen
    devices: Devices
    pace: Pace

    async def round(self, plan: Plan) -> None:
        """Plays one round to its end, whatever that is.

        Raises:
            DemoError: the table did something that the rules don't explain.
        """
        world = World(list(plan.pack))
        await self._open(plan)
        await self._take_bets(plan)
        if await self._deal(plan, world):
            await self._show(plan, world)
        await self.screen.until("the end of the round", lambda now: now.phase == IDLE)
        await self._tidy()
        await self.pace.take(3.0)

    async def _open(self, plan: Plan) -> None:
        """A fresh pack, and an open round. The dealer shuffles for the shoe; the shuffler does it itself."""
        name = SHOE if plan.dealing is Dealing.SHOE else SHUFFLER
        await self.screen.until(f"{name} is there", lambda now: name in now.attached and now.phase == IDLE)
        if plan.dealing is Dealing.SHOE:
            await self.staff.dealer.do("confirm_pack", shuffle="hand")
        await self.staff.dealer.do("open_round", dealing=plan.dealing)

    async def _take_bets(self, plan: Plan) -> None:
        for bet in plan.bets:
            await self.pace.take(0.7)
            await self._bet(bet)
        if plan.taken_back is not None:
            await self._second_thoughts(plan.taken_back)
        await self._try(plan, Moment.IN_TIME)
        await self.screen.until("the pack is shuffled", lambda now: now.pack == READY)
        await self.pace.take(1.0)
        if plan.dealer_closes:
            await self.staff.dealer.do("close_betting")
            await self._try(plan, Moment.TOO_LATE)

    async def _bet(self, bet: PlannedBet) -> None:
        await self.staff.dealer.do("bet", **bet.offered())

    async def _second_thoughts(self, bet: PlannedBet) -> None:
        await self._bet(bet)
        await self.pace.take(1.0)
        await self.staff.dealer.do("take_back_bet", **bet.named())

    async def _try(self, plan: Plan, moment: Moment) -> None:
        """A bet that has to be refused; one that isn't ends the demo, because the table is then wrong."""
        if plan.refused is None or plan.refused[1] is not moment:
            return
        bet = plan.refused[0]
        await self.pace.take(0.7)
        if (await self.staff.dealer.ask("bet", **bet.offered())).accepted:
            raise DemoError(f"the table took a bet that it has to refuse: {bet}")

    async def _deal(self, plan: Plan, world: World) -> bool:
        """Deals; returns whether the round is still alive."""
        dealer, supervisor = self.staff.dealer, self.staff.supervisor
        alive = await Deal(plan, world, dealer, supervisor, self.screen, self.devices, self.pace).run()
        if alive and not plan.dealer_closes:
            await self._try(plan, Moment.TOO_LATE)
        return alive

    async def _show(self, plan: Plan, world: World) -> None:
        """Opens the players' hands, hears the decisions, opens the dealer's hand."""
        if plan.mishap is Mishap.CARDS_HELD_AWAY:
            bet = plan.bets[0]
            await self.staff.dealer.do("report_cards_held_away", place=bet.place, bettor=bet.bettor)
        for place in plan.places:
            await self._turn_up(plan, world, place)
        for bet in sorted(plan.bets, key=lambda bet: (bet.place, bet.bettor)):
            if bet.bet == VERSUS:
                await self._decide(plan, world.turn_up(bet.place), bet)
        await self._turn_up(plan, world, DEALER)

    async def _turn_up(self, plan: Plan, world: World, place: Place) -> None:
        """Turns a hand face up, and types its cards where the shoe hasn't read them."""
        await self.pace.take(1.2)
        cards = list(world.turn_up(place))
        if plan.dealing is Dealing.SHOE:
            answer = await self.staff.dealer.ask("open_hand", place=place)
            if answer.code != "cards_unknown":
                if not answer.accepted:
                    raise DemoError(f"open_hand was refused: {answer.text}")
                return
        await self.staff.dealer.do("open_hand", place=place, cards=cards)

    async def _decide(self, plan: Plan, cards: tuple[Card, ...], bet: PlannedBet) -> None:
        """Queen-high or better plays, as a rule: it is what the dealer's own hand needs."""
        await self.pace.take(0.8)
        stays = plays(self.seed, plan.number, bet, good_hand=qualifies(cards))
        decision = "play" if stays else "withdraw"
        await self.staff.dealer.do("decide", place=bet.place, bettor=bet.bettor, decision=decision)

    async def _tidy(self) -> None:
        """Between rounds: every fault whose cause is gone gets its signature."""
        sight = await self.screen.until("a look", lambda _: True)
        for fault in sight.faults:
            person = self.staff.for_fault(fault.clears) if fault.waits_for_person else None
            if person is not None:
                await person.do("acknowledge_fault", code=fault.code, device=fault.device)
