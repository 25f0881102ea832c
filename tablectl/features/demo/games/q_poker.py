"""Demo's rounds of Q Poker, from the pack to the dealer's hand.

A plan follows from the seed and the round's number, never from time.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from random import Random
from typing import Final

from tablectl.core.cards import DEALER, PACK, Card, Place
from tablectl.core.facts.card_requests import Dealing
from tablectl.core.games.q_poker.hands import qualifies
from tablectl.features.demo.console import IDLE, DemoError
from tablectl.features.demo.deal import Deal, World
from tablectl.features.demo.script import PEOPLE, SHOE, SHUFFLER, Company, Moment, PlannedBet, Refusable, numbered

PLACES: Final = 7
HAND_SIZE: Final = 3
NO_SUCH_PLACE: Final = 9
CHIPS: Final = ("100", "100", "200", "200", "300", "500", "1000")
TOO_LITTLE: Final = "25"
TOO_MUCH: Final = "20000"
PAIR: Final = "pair_or_better"
VERSUS: Final = "versus_dealer"


class Mishap(StrEnum):
    """Intended mishaps of a round."""

    PLAYER_CARD_EXPOSED = "player_card_exposed"
    PLACE_WITHOUT_BET = "place_without_bet"
    MENDED = "mended"
    SHOE_UNPLUGGED = "shoe_unplugged"
    DEALER_CARD_EXPOSED = "dealer_card_exposed"
    SHUFFLER_JAM = "shuffler_jam"
    GARBLED_COPY = "garbled_copy"
    WRONG_ORDER = "wrong_order"
    CARDS_HELD_AWAY = "cards_held_away"
    SUPERVISOR_VOID = "supervisor_void"
    CARD_MISSED = "card_missed"
    DEALT_BY_HAND = "dealt_by_hand"


SHOE_ONLY: Final = frozenset(
    {
        Mishap.MENDED,
        Mishap.WRONG_ORDER,
        Mishap.SHOE_UNPLUGGED,
        Mishap.CARD_MISSED,
        Mishap.DEALT_BY_HAND,
        Mishap.GARBLED_COPY,
    }
)
SHUFFLER_ONLY: Final = frozenset({Mishap.SHUFFLER_JAM})


@dataclass(frozen=True, slots=True)
class Plan:
    """One round to come.

    Args:
        number: from 1.
        pack: the shuffled pack, its first card on top.
        bets: in the order made.
        refused: a bet that the table has to refuse, and when it is tried.
        taken_back: a bet that its bettor lays and takes off again.
        dealer_closes: whether the dealer calls no more bets; otherwise the first card ends the betting.
        step: the card or packet, counted from 0, at which the mishap strikes.
        stray: the place where a card goes by mistake.
        reason: what the supervisor says of a round that they void, 0 to 2.
    """

    number: int
    dealing: Dealing
    pack: tuple[Card, ...]
    bets: tuple[PlannedBet, ...]
    refused: Refusable
    taken_back: PlannedBet | None
    dealer_closes: bool
    mishap: Mishap | None
    step: int
    stray: Place
    reason: int

    @property
    def places(self) -> tuple[int, ...]:
        """The places with a bet, in the order dealt."""
        return tuple(sorted({int(bet.place) for bet in self.bets}))

    @property
    def packet(self) -> int:
        """How many cards come at once."""
        return 1 if self.dealing is Dealing.SHOE else HAND_SIZE

    @property
    def card_s(self) -> float:
        """How long a card or packet takes the dealer."""
        return 0.5 if self.dealing is Dealing.SHOE else 1.2

    @property
    def order(self) -> tuple[Place, ...]:
        """Return the places that each card, or each packet, is for.

        Rule: 89/2004 art. 7.
        """
        once: tuple[Place, ...] = (*self.places, DEALER)
        return once * HAND_SIZE if self.dealing is Dealing.SHOE else once


def plans(seed: int, irregular: float) -> Iterator[Plan]:
    """The rounds of this seed, without end.

    Args:
        irregular: share of the rounds in which something goes wrong, 0 to 1. The first one is always regular.
    """
    jammed = False
    for number, chance, mishap in numbered(seed, irregular, Mishap):
        yield _plan(chance, number, mishap, _dealing(mishap, number, jammed=jammed))
        jammed = mishap is Mishap.SHUFFLER_JAM


def plays(seed: int, number: int, bet: PlannedBet, *, good_hand: bool) -> bool:
    """Return True if a bettor stays in.

    They decide usually by their cards, now and then by their mood.
    """
    mood = Random(f"{seed}/{number}/{bet.place}/{bet.bettor}").random()
    return mood > 0.04 if good_hand else mood > 0.85


def _dealing(mishap: Mishap | None, number: int, *, jammed: bool) -> Dealing:
    """Mostly the shoe, every third round the shuffler; not right after it jammed."""
    if mishap in SHUFFLER_ONLY:
        return Dealing.SHUFFLER
    if mishap in SHOE_ONLY or jammed:
        return Dealing.SHOE
    return Dealing.SHUFFLER if number % 3 == 0 else Dealing.SHOE


def _plan(chance: Random, number: int, mishap: Mishap | None, dealing: Dealing) -> Plan:
    bets = _bets(chance)
    draft = Plan(
        number=number,
        dealing=dealing,
        pack=tuple(chance.sample(PACK, len(PACK))),
        bets=bets,
        refused=_refused(chance, bets) if chance.random() < 0.3 else None,
        taken_back=_second_thoughts(chance, bets) if chance.random() < 0.1 else None,
        dealer_closes=chance.random() < 0.6,
        mishap=mishap,
        step=0,
        stray="",
        reason=chance.randrange(3),
    )
    return _with_mishap(chance, draft)


def _bets(chance: Random) -> tuple[PlannedBet, ...]:
    """Three to five people on two to four places, on one or both spaces of each."""
    places = chance.sample(range(1, PLACES + 1), chance.randint(2, 4))
    people = chance.sample(PEOPLE, chance.randint(3, 5))
    taken = {(person, places[nth % len(places)]) for nth, person in enumerate(people)}
    taken |= {(chance.choice(people), place) for place in places if chance.random() < 0.25}
    bets = [bet for person, place in sorted(taken) for bet in _spaces(chance, person, place)]
    return tuple(chance.sample(bets, len(bets)))


def _spaces(chance: Random, person: str, place: int) -> list[PlannedBet]:
    names = chance.choice(((VERSUS,), (VERSUS,), (VERSUS,), (PAIR, VERSUS), (PAIR, VERSUS), (PAIR,)))
    return [PlannedBet(place, person, name, chance.choice(CHIPS)) for name in names]


def _refused(chance: Random, bets: tuple[PlannedBet, ...]) -> tuple[PlannedBet, Moment]:
    person, place = chance.choice(PEOPLE), chance.choice(bets).place
    return chance.choice(
        (
            (PlannedBet(place, person, VERSUS, "200"), Moment.TOO_LATE),
            (PlannedBet(NO_SUCH_PLACE, person, VERSUS, "200"), Moment.IN_TIME),
            (PlannedBet(place, person, PAIR, TOO_LITTLE), Moment.IN_TIME),
            (PlannedBet(place, person, VERSUS, TOO_MUCH), Moment.IN_TIME),
        )
    )


def _second_thoughts(chance: Random, bets: tuple[PlannedBet, ...]) -> PlannedBet:
    """Choose a bet of somebody who bets nothing else.

    So taking it back takes nothing else.
    """
    others = [person for person in PEOPLE if all(person != bet.bettor for bet in bets)]
    return PlannedBet(chance.choice(bets).place, chance.choice(others), PAIR, "100")


def _with_mishap(chance: Random, draft: Plan) -> Plan:
    """The plan with the step at which its mishap strikes, and where the card goes."""
    steps = _steps(draft)
    step = chance.choice(steps)
    return replace(draft, step=step, stray=_stray(chance, draft, step))


def _steps(plan: Plan) -> tuple[int, ...]:
    """Return the steps at which this mishap may strike.

    It isn't before the first card, and a wrong order not at the last one.
    """
    order = plan.order
    last = len(order) - 1
    match plan.mishap:
        case Mishap.PLAYER_CARD_EXPOSED | Mishap.PLACE_WITHOUT_BET:
            return tuple(step for step, place in enumerate(order) if place != DEALER)
        case Mishap.DEALER_CARD_EXPOSED:
            return tuple(step for step, place in enumerate(order) if place == DEALER)
        case Mishap.MENDED | Mishap.WRONG_ORDER:
            return tuple(range(last))
        case _:
            return tuple(range(1, last))


def _stray(chance: Random, plan: Plan, step: int) -> Place:
    """A place without a bet, or the next hand in the circuit."""
    if plan.mishap is Mishap.PLACE_WITHOUT_BET:
        return chance.choice([place for place in range(1, PLACES + 1) if place not in plan.places])
    return plan.order[(step + 1) % len(plan.order)]


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
