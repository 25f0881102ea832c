"""Demo's rounds of 13 Cards, from the shuffle to the last comparison.

A plan follows from the seed and the round's number, never from time.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from random import Random
from typing import Final

from tablectl.core.cards import BANKER, PACK, Card, Place
from tablectl.core.facts.card_requests import Dealing
from tablectl.core.games.thirteen_cards.hands import Rows
from tablectl.core.games.thirteen_cards.legal_actions import set_cards
from tablectl.features.demo.console import IDLE, Person, View
from tablectl.features.demo.deal import Deal, World
from tablectl.features.demo.script import BUZZER, DICE, PEOPLE, SHOE, SHUFFLER, Company, PlannedBet, numbered

PLACES: Final[tuple[Place, ...]] = (BANKER, 2, 3, 4)
"""Counter-clockwise. Rule: 51/89/M art. 3."""

SEATED: Final = {2: PEOPLE[0], 3: PEOPLE[1], 4: PEOPLE[2]}
UNITS: Final = ("100", "200", "300")
HAND_SIZE: Final = 13


class Mishap(StrEnum):
    """Intended mishaps of a round."""

    COCKED_DIE = "cocked_die"
    PLAYER_CARD_EXPOSED = "player_card_exposed"
    MENDED = "mended"
    DEAL_CANCELLED = "deal_cancelled"
    SHOE_UNPLUGGED = "shoe_unplugged"
    GARBLED_COPY = "garbled_copy"
    BANKER_RESETS = "banker_resets"
    LOOKED_EARLY = "looked_early"
    FOUL = "foul"
    SUPERVISOR_VOID = "supervisor_void"


@dataclass(frozen=True, slots=True)
class Plan:
    """One round to come.

    Args:
        number: from 1.
        pack: the shuffled pack, its first card on top.
        again: the pack after a cancelled deal.
        bets: in the order made.
        dice: the shake that counts.
        step: the card, counted from 0, at which the mishap strikes.
        reason: what the supervisor says of a round that they void, 0 to 2.
    """

    number: int
    pack: tuple[Card, ...]
    again: tuple[Card, ...]
    bets: tuple[PlannedBet, ...]
    dice: tuple[int, ...]
    mishap: Mishap | None
    step: int
    reason: int

    @property
    def dealing(self) -> Dealing:
        """How the cards come: out of the box, one by one."""
        return Dealing.SHOE

    @property
    def packet(self) -> int:
        """How many come at once."""
        return 1

    @property
    def card_s(self) -> float:
        """How long a card takes: thirteen to each place are dealt quickly."""
        return 0.12

    @property
    def order(self) -> tuple[Place, ...]:
        """Return the places that each card is for.

        Rule: 51/89/M art. 2(b).
        """
        first = (sum(self.dice) - 1) % len(PLACES)
        return (PLACES[first:] + PLACES[:first]) * HAND_SIZE

    @property
    def stray(self) -> Place:
        """Where a card goes by mistake: to the next place."""
        return self.order[(self.step + 1) % len(PLACES)]

    @property
    def places(self) -> tuple[int, ...]:
        """The places with a bet."""
        return tuple(sorted({int(bet.place) for bet in self.bets}))


def plans(seed: int, irregular: float) -> Iterator[Plan]:
    """The rounds of this seed, without end.

    Args:
        irregular: share of the rounds in which something goes wrong, 0 to 1. The first one is always regular.
    """
    for number, chance, mishap in numbered(seed, irregular, Mishap):
        yield Plan(
            number=number,
            pack=tuple(chance.sample(PACK, len(PACK))),
            again=tuple(chance.sample(PACK, len(PACK))),
            bets=_bets(chance),
            dice=tuple(chance.randint(1, 6) for _ in range(4)),
            mishap=mishap,
            step=chance.randint(4, 44),
            reason=chance.randrange(3),
        )


def _bets(chance: Random) -> tuple[PlannedBet, ...]:
    """Choose the bets: mostly of people who sit, at their own places.

    Now and then somebody bets beside them, behind the chair.
    """
    places = chance.sample(tuple(SEATED), chance.randint(2, 3))
    own = [PlannedBet(place, SEATED[place], "place", chance.choice(UNITS)) for place in places]
    others = [PlannedBet(place, chance.choice(PEOPLE[3:]), "place", "100") for place in places if chance.random() < 0.4]
    return (*own, *others)


def foul(rows: Rows) -> Rows:
    """The same cards with the two tiers of five in the wrong order."""
    first, second, third = rows
    return first, third, second


READY = "ready"
DEALING, BANKER_SETTING = "dealing", "banker_setting"
COCKED = 1
"""The reader's number for a die that doesn't lie flat."""


async def play(company: Company, plan: Plan) -> None:
    """Plays one round to its end, whatever that is.

    Raises:
        DemoError: the table did something that the rules don't explain.
    """
    await _Play(company, plan).round()


@dataclass(frozen=True, slots=True)
class _Play:
    """One round and its table."""

    company: Company
    plan: Plan

    @property
    def dealer(self) -> Person:
        return self.company.staff.dealer

    async def round(self) -> None:
        """From the shuffle to the signatures after the last place."""
        needed = {SHOE, SHUFFLER, DICE, BUZZER}
        await self._until("all devices are there", lambda now: needed <= now.attached and now.phase == IDLE)
        await self._seat()
        await self._box()
        await self.dealer.do("open_round")
        await self._take_bets()
        await self._shake()
        world = await self._deal()
        if world is not None:
            await self._set(world)
        await self.company.tidy()
        await self.company.pace.take(3.0)

    async def _seat(self) -> None:
        taken = {seat["place"] for seat in (await self._now()).round["seats"]}
        for place, person in SEATED.items():
            if place not in taken:
                await self.dealer.do("take_seat", place=place, bettor=person)

    async def _box(self) -> None:
        """Shuffled by hand and by the machine, cut, and into the box.

        Rule: 51/89/M art. 2(a).
        """
        if not (await self._now()).round["boxed"]:
            await self.dealer.do("confirm_pack", shuffle="hand")
            await self._until("the machine has shuffled", lambda now: now.pack == READY)
            await self.company.pace.take(1.0)
            await self.dealer.do("confirm_pack", shuffle="machine")

    async def _take_bets(self) -> None:
        for bet in self.plan.bets:
            await self.company.pace.take(0.7)
            await self.company.bet(bet)
        await self.company.pace.take(1.0)

    async def _shake(self) -> None:
        """The highest bettor shakes the four dice, which ends the betting.

        Rule: 51/89/M art. 2(b), 2(c).
        """
        if self.plan.mishap is Mishap.COCKED_DIE:
            await self._sees(lambda: self.company.devices.dice.throw(self.plan.dice, COCKED))
        await self.company.pace.take(1.0)
        await self._sees(lambda: self.company.devices.dice.throw(self.plan.dice))
        await self._until("the dice stand", lambda now: now.phase == DEALING)

    async def _deal(self) -> World | None:
        """The cards as they lie; None where the round is over.

        Rule: 51/89/M art. 2(c), 4.
        """
        world = World(list(self.plan.pack))
        if self.plan.mishap is Mishap.DEAL_CANCELLED:
            await self._dealt(replace(self.plan, mishap=None), World(list(self.plan.pack)), self.plan.step)
            await self.dealer.do("misplace_card", place=self.plan.order[self.plan.step])
            await self.dealer.do("cancel_deal")
            await self._box()
            world = World(list(self.plan.again))
        alive = await self._dealt(self.plan, world, len(self.plan.order))
        return world if alive else None

    async def _dealt(self, plan: Plan, world: World, cards: int) -> bool:
        staff = self.company.staff
        return await Deal(plan, world, staff.dealer, staff.supervisor, self.company).run(cards)

    async def _set(self, world: World) -> None:
        """Set the hands: the banker first, face up, then the players, within five minutes.

        Then the hands are compared place by place.

        Rule: 51/89/M art. 2(d), 8.
        """
        await self._until("every card is dealt", lambda now: now.phase == BANKER_SETTING)
        if self.plan.mishap is Mishap.LOOKED_EARLY:
            await self.dealer.do("declare_irregularity", kind="looked_early", place=self.plan.places[0])
        await self._banker(set_cards(world.turn_up(BANKER)))
        for place in self.plan.places:
            await self.company.pace.take(0.8)
            await self.dealer.do("pick_up_cards", place=place)
        for place in self.plan.places:
            await self.company.pace.take(2.0)
            await self.dealer.do("finish_setting", place=place)
        for place in self.plan.places:
            await self._compare(place, set_cards(world.turn_up(place)))

    async def _banker(self, rows: Rows) -> None:
        await self.company.pace.take(2.0)
        if self.plan.mishap is Mishap.BANKER_RESETS:
            await self._shows(BANKER, foul(rows))
            await self.company.pace.take(2.0)
        await self._shows(BANKER, rows)

    async def _compare(self, place: int, rows: Rows) -> None:
        await self.company.pace.take(1.5)
        wrong = self.plan.mishap is Mishap.FOUL and place == self.plan.places[0]
        await self._shows(place, foul(rows) if wrong else rows)

    async def _shows(self, place: Place, rows: Rows) -> None:
        await self.dealer.do("show_tiers", place=place, rows=[list(row) for row in rows])

    async def _sees(self, act: Callable[[], object]) -> None:
        """Does something in front of the reader, and waits until the table has seen it."""
        before = (await self._now()).seen
        act()
        await self._until("the reader's report", lambda now: now.seen > before)

    async def _now(self) -> View:
        return await self._until("a look", lambda _: True)

    async def _until(self, what: str, holds: Callable[[View], bool]) -> View:
        return await self.company.screen.until(what, holds)
