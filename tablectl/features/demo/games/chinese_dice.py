"""Demo's rounds at the bowl of dice: what is planned, and how it is played.

A plan follows from the seed and the round's number, never from time.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from random import Random
from typing import Final

from tablectl import words
from tablectl.features.demo.console import IDLE, DemoError, Person, View
from tablectl.features.demo.script import DICE, PEOPLE, Company, Moment, PlannedBet, numbered

PLACES: Final = 8
SEATED: Final = PEOPLE[:PLACES]
"""Who sits at the places, from the first one on."""

CHIPS: Final = ("50", "100", "100", "200", "300", "500")
CAPITALS: Final = ("1000", "1500", "2000")


class Mishap(StrEnum):
    """Intended mishaps of a round."""

    COCKED_DIE = "cocked_die"
    DIE_OUTSIDE = "die_outside"
    DICE_HELD_AWAY = "dice_held_away"
    THROWN_OUT_OF_TURN = "thrown_out_of_turn"
    BANK_DECLINED = "bank_declined"
    LATE_BET = "late_bet"
    READER_UNPLUGGED = "reader_unplugged"
    SUPERVISOR_VOID = "supervisor_void"


@dataclass(frozen=True, slots=True)
class PlannedStake:
    """Chips at the place so many steps to the right of the banker's.

    Args:
        steps: 1 to 7.
        bettor: whose chips; empty for who sits there.
        stake: a decimal string.
    """

    steps: int
    bettor: str
    stake: str


@dataclass(frozen=True, slots=True)
class Plan:
    """One round to come.

    Args:
        number: from 1.
        capital: what a new banker puts on the table.
        stakes: in the order laid.
        partner: the stake of who bets with the bank, and the steps to where they sit; None where nobody does.
        casino: the casino's share; empty where it doesn't join.
        dealer_closes: whether the dealer calls no more bets; otherwise the banker's throw ends the betting.
        throw: the throw, counted from 1, at which the mishap strikes.
        reason: what the supervisor says of a round that they void, 0 to 2.
    """

    number: int
    capital: str
    stakes: tuple[PlannedStake, ...]
    partner: tuple[int, str] | None
    casino: str
    dealer_closes: bool
    mishap: Mishap | None
    throw: int
    reason: int


def plans(seed: int, irregular: float) -> Iterator[Plan]:
    """The rounds of this seed, without end.

    Args:
        irregular: share of the rounds in which something goes wrong, 0 to 1. The first one is always regular.
    """
    for number, chance, mishap in numbered(seed, irregular, Mishap):
        yield Plan(
            number=number,
            capital=chance.choice(CAPITALS),
            stakes=_stakes(chance),
            partner=(chance.randint(1, 7), chance.choice(CHIPS)) if chance.random() < 0.25 else None,
            casino=chance.choice(("500", "1000")) if chance.random() < 0.2 else "",
            dealer_closes=chance.random() < 0.5,
            mishap=mishap,
            throw=1 if mishap is Mishap.LATE_BET else chance.randint(1, 2),
            reason=chance.randrange(3),
        )


def dice_of(seed: int, number: int) -> Iterator[tuple[int, int, int]]:
    """The throws of a round, without end."""
    chance = Random(f"{seed}/{number}/dice")
    while True:
        yield (chance.randint(1, 6), chance.randint(1, 6), chance.randint(1, 6))


def _stakes(chance: Random) -> tuple[PlannedStake, ...]:
    """Bets at two to five places, now and then two at one."""
    steps = chance.sample(range(1, PLACES), chance.randint(2, 5))
    own = [PlannedStake(step, "", chance.choice(CHIPS)) for step in steps]
    beside = [PlannedStake(step, chance.choice(PEOPLE[PLACES:]), "100") for step in steps if chance.random() < 0.3]
    return (*own, *beside)


FLAWS: Final[Mapping[Mishap, int]] = {Mishap.COCKED_DIE: 1, Mishap.DIE_OUTSIDE: 3}
"""The reader's numbers for what is wrong with a throw."""


async def play(company: Company, plan: Plan) -> None:
    """Plays one round to its end, whatever that is.

    Raises:
        DemoError: the table did something that the rules don't explain.
    """
    await _Play(company, plan, dice_of(company.seed, plan.number)).round()


@dataclass(slots=True)
class _Play:
    """One round at the bowl."""

    company: Company
    plan: Plan
    dice: Iterator[tuple[int, int, int]]
    thrown: int = 0

    @property
    def dealer(self) -> Person:
        return self.company.staff.dealer

    async def round(self) -> None:
        """From the bank to the signatures after the last place is paid."""
        await self._until("the reader is there", lambda now: DICE in now.attached and now.phase == IDLE)
        await self._seat()
        await self._find_banker()
        await self.dealer.do("open_round")
        await self._take_bets()
        if self.plan.mishap is Mishap.SUPERVISOR_VOID:
            reason = words.text(f"demo.reason.{self.plan.reason}", self.dealer.language)
            await self.company.staff.supervisor.do("void_round", reason=reason)
        while (view := await self._now()).phase != IDLE:
            await self._step(view)
        if DICE not in view.attached:
            await self._plug_in()
        await self.company.tidy()
        await self.company.pace.take(3.0)

    async def _seat(self) -> None:
        """Rule: 108/89/M art. 3(a)."""
        taken = {seat["place"] for seat in (await self._now()).round["seats"]}
        for place, person in enumerate(SEATED, 1):
            if place not in taken:
                await self.dealer.do("take_seat", place=place, bettor=person)

    async def _find_banker(self) -> None:
        """Offers the bank round until somebody has it with their capital on the table.

        Rule: 108/89/M art. 4(a) to 4(d).
        """
        declining = self.plan.mishap is Mishap.BANK_DECLINED
        while (wanted := _bank_wanted(await self._now())) is not None:
            place, bettor, least = wanted
            await self.company.pace.take(1.0)
            if declining:
                declining = False
                await self.dealer.do("decline_bank", place=place)
            else:
                capital = str(max(Decimal(self.plan.capital), least))
                await self.dealer.do("take_bank", place=place, bettor=bettor, capital=capital)
        if declining:
            await self._give_up()

    async def _give_up(self) -> None:
        """The banker who could go on passes the bank to their right."""
        banker = (await self._now()).round["banker"]
        await self.dealer.do("decline_bank", place=banker["place"])
        await self._find_another()

    async def _find_another(self) -> None:
        while (wanted := _bank_wanted(await self._now())) is not None:
            place, bettor, least = wanted
            capital = str(max(Decimal(self.plan.capital), least))
            await self.dealer.do("take_bank", place=place, bettor=bettor, capital=capital)

    async def _take_bets(self) -> None:
        plan, banker = self.plan, (await self._now()).round["banker"]["place"]
        if plan.casino:
            await self.company.staff.supervisor.do("join_casino", share=plan.casino)
        for stake in plan.stakes:
            await self.company.pace.take(0.7)
            await self.company.bet(_bet(stake, banker))
        if plan.partner is not None:
            steps, amount = plan.partner
            await self.company.bet(PlannedBet(banker, _sitting(banker, steps), "bank", amount))
        await self.company.pace.take(1.0)
        if plan.dealer_closes:
            await self.dealer.do("close_betting")

    async def _step(self, view: View) -> None:
        """The throw, or the payment, that is due."""
        due = view.round["due"]
        await self.company.pace.take(1.2)
        if due["to"] == "throw":
            await self._throw(due["place"])
            return
        if self._strikes(Mishap.THROWN_OUT_OF_TURN):
            await self._sees(lambda: self._cast(0))
            self.thrown += 1
        await self.dealer.do("pay_place", place=due["place"])

    async def _throw(self, place: int) -> None:
        self.thrown += 1
        if self._strikes(Mishap.READER_UNPLUGGED):
            await self._by_hand(place)
            return
        flaw = next((number for mishap, number in FLAWS.items() if self._strikes(mishap)), 0)
        held = self._strikes(Mishap.DICE_HELD_AWAY)
        await self._sees(lambda: self._cast(flaw))
        if self._strikes(Mishap.LATE_BET):
            late = PlannedBet(place % PLACES + 1, SEATED[0], "place", "100")
            await self.company.try_in_vain((late, Moment.TOO_LATE), Moment.TOO_LATE)
        if held and (await self._now()).phase != IDLE:
            await self.dealer.do("declare_irregularity", kind="dice_held_away", place=place)

    async def _by_hand(self, place: int) -> None:
        """Unplug the reader's cable.

        The dealer types what they see until the round is over.
        """
        if DICE in (await self._now()).attached:
            await self.company.devices.unplug(DICE)
            await self._until("the reader is gone", lambda now: DICE not in now.attached)
        await self.dealer.do("enter_dice", place=place, dice=list(next(self.dice)))
        self.thrown -= 1

    async def _plug_in(self) -> None:
        await self.company.devices.plug_in(DICE)
        await self._until("the reader is back", lambda now: DICE in now.attached)

    def _cast(self, flaw: int) -> None:
        self.company.devices.dice.throw(next(self.dice), flaw)

    def _strikes(self, mishap: Mishap) -> bool:
        return self.plan.mishap is mishap and self.thrown == self.plan.throw

    async def _sees(self, act: Callable[[], None]) -> None:
        """Does something in front of the reader, and waits until the table has seen it."""
        before = (await self._now()).seen
        act()
        await self._until("the reader's report", lambda now: now.seen > before)

    async def _now(self) -> View:
        return await self._until("a look", lambda _: True)

    async def _until(self, what: str, holds: Callable[[View], bool]) -> View:
        return await self.company.screen.until(what, holds)


def _bank_wanted(view: View) -> tuple[int, str, Decimal] | None:
    """Return the person who should take the bank or put their capital down, if any.

    None where that is done.

    Returns:
        Place, bettor, and the least capital that they may put down.

    Raises:
        DemoError: nobody may.
    """
    due, banker = view.round["due"], view.round["banker"]
    if due is not None:
        return due["place"], due["bettor"], Decimal(0)
    if banker is None or banker["limit_reached"]:
        raise DemoError(f"nobody takes the bank: {view.waiting.get('en', '')}")
    if Decimal(banker["capital"]) == 0:
        return banker["place"], banker["bettor"], Decimal(banker["least_capital"])
    return None


def _bet(stake: PlannedStake, banker: int) -> PlannedBet:
    place = (banker + stake.steps - 1) % PLACES + 1
    return PlannedBet(place, stake.bettor or _sitting(banker, stake.steps), "place", stake.stake)


def _sitting(banker: int, steps: int) -> str:
    """Return the person who sits so many steps to the right of the banker."""
    return SEATED[(banker + steps - 1) % PLACES]
