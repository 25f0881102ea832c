"""A round from the pack to the dealer's hand, by the demo's dealer and bettors."""

from dataclasses import dataclass

from tablectl.core.cards import Card
from tablectl.core.facts import DEALER, Dealing, Place
from tablectl.core.games.q_poker.hands import qualifies
from tablectl.features.demo.q_poker.plan import VERSUS, Mishap, Plan, plays
from tablectl.features.demo.staging.cards import World
from tablectl.features.demo.staging.console import DemoError
from tablectl.features.demo.staging.deal import Deal
from tablectl.features.demo.staging.device_actions import SHOE, SHUFFLER
from tablectl.features.demo.staging.plans import Moment, PlannedBet
from tablectl.features.demo.staging.script import Company
from tablectl.features.demo.staging.view import IDLE

READY = "ready"


async def play(company: Company, plan: Plan) -> None:
    """Plays one round to its end, whatever that is.

    Raises:
        DemoError: the table did something that the rules don't explain.
    """
    await _Play(company, plan, World(list(plan.pack))).round()


@dataclass(slots=True)
class _Play:
    """One round and its table."""

    company: Company
    plan: Plan
    world: World

    async def round(self) -> None:
        """From the pack to the signatures after it."""
        plan, world = self.plan, self.world
        await self._open(plan)
        await self._take_bets(plan)
        if await self._deal(plan, world):
            await self._show(plan, world)
        if plan.mishap is Mishap.DEALT_BY_HAND:
            await self.company.plug_in(SHOE)
        await self.company.tidy()
        await self.company.pace.take(3.0)

    async def _open(self, plan: Plan) -> None:
        """Open a round with a fresh pack.

        The dealer shuffles for the shoe; the shuffler does it itself.
        """
        name = SHOE if plan.dealing is Dealing.SHOE else SHUFFLER
        await self.company.screen.until(f"{name} is there", lambda now: name in now.attached and now.phase == IDLE)
        if plan.dealing is Dealing.SHOE:
            await self.company.staff.dealer.do("confirm_pack", shuffle="hand")
        await self.company.staff.dealer.do("open_round", dealing=plan.dealing)

    async def _take_bets(self, plan: Plan) -> None:
        for bet in plan.bets:
            await self.company.pace.take(0.7)
            await self.company.bet(bet)
        if plan.taken_back is not None:
            await self._second_thoughts(plan.taken_back)
        await self.company.try_in_vain(plan.refused, Moment.IN_TIME)
        await self.company.screen.until("the pack is shuffled", lambda now: now.pack == READY)
        await self.company.pace.take(1.0)
        if plan.dealer_closes:
            await self.company.staff.dealer.do("close_betting")
            await self.company.try_in_vain(plan.refused, Moment.TOO_LATE)

    async def _second_thoughts(self, bet: PlannedBet) -> None:
        await self.company.bet(bet)
        await self.company.pace.take(1.0)
        await self.company.staff.dealer.do("take_back_bet", **bet.named())

    async def _deal(self, plan: Plan, world: World) -> bool:
        """Deals; returns whether the round is still alive."""
        dealer, supervisor = self.company.staff.dealer, self.company.staff.supervisor
        alive = await Deal(plan, world, dealer, supervisor, self.company).run()
        if alive and not plan.dealer_closes:
            await self.company.try_in_vain(plan.refused, Moment.TOO_LATE)
        return alive

    async def _show(self, plan: Plan, world: World) -> None:
        """Opens the players' hands, hears the decisions, opens the dealer's hand."""
        if plan.mishap is Mishap.CARDS_HELD_AWAY:
            bet = plan.bets[0]
            await self.company.staff.dealer.do("report_cards_held_away", place=bet.place, bettor=bet.bettor)
        for place in plan.places:
            await self._turn_up(plan, world, place)
        view = await self.company.screen.until("a look", lambda _: True)
        if view.owes:
            await self.company.staff.dealer.do("pay_place")
        for bet in sorted(plan.bets, key=lambda bet: (bet.place, bet.bettor)):
            if bet.bet == VERSUS:
                await self._decide(plan, world.turn_up(bet.place), bet)
        await self._turn_up(plan, world, DEALER)

    async def _turn_up(self, plan: Plan, world: World, place: Place) -> None:
        """Turns a hand face up, and types its cards where the shoe hasn't read them."""
        await self.company.pace.take(1.2)
        cards = list(world.turn_up(place))
        if plan.dealing is Dealing.SHOE:
            answer = await self.company.staff.dealer.ask("open_hand", place=place)
            if answer.code != "cards_unknown":
                if not answer.accepted:
                    raise DemoError(f"open_hand was refused: {answer.text}")
                return
        await self.company.staff.dealer.do("open_hand", place=place, cards=cards)

    async def _decide(self, plan: Plan, cards: tuple[Card, ...], bet: PlannedBet) -> None:
        """Queen-high or better plays, as a rule: it is what the dealer's own hand needs."""
        await self.company.pace.take(0.8)
        stays = plays(self.company.seed, plan.number, bet, good_hand=qualifies(cards))
        decision = "play" if stays else "withdraw"
        await self.company.staff.dealer.do("decide", place=bet.place, bettor=bet.bettor, decision=decision)
