"""Demo's rounds of Football Poker, from the draw to the last hand.

A plan follows from the seed and the round's number, never from time.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from random import Random
from typing import Final

from tablectl.core.cards import COMMON, PACK, Card, Place
from tablectl.core.facts.card_requests import Dealing
from tablectl.core.faults import Code
from tablectl.core.games.football_poker.hands import total_of
from tablectl.features.demo.console import IDLE, OVER, DemoError, Person, View
from tablectl.features.demo.deal import Deal, World
from tablectl.features.demo.script import (
    DISPLAY,
    DRAW,
    PEOPLE,
    SHOE,
    SHUFFLER,
    Company,
    Moment,
    PlannedBet,
    Refusable,
    numbered,
)

PLACES: Final = 10
FIRST_CARDS: Final = 2
NO_SUCH_PLACE: Final = 11
BETS: Final = ("upper_range", "lower_range", "even", "odd", "post")
CHIPS: Final = ("20", "40", "100", "100", "200", "500")


class Mishap(StrEnum):
    """Intended mishaps of a round."""

    PLAYER_CARD_EXPOSED = "player_card_exposed"
    PLACE_WITHOUT_BET = "place_without_bet"
    MENDED = "mended"
    WRONG_ORDER = "wrong_order"
    SHOE_UNPLUGGED = "shoe_unplugged"
    CARD_MISSED = "card_missed"
    DEALT_BY_HAND = "dealt_by_hand"
    GARBLED_COPY = "garbled_copy"
    SHUFFLER_JAM = "shuffler_jam"
    DRAW_UNPLUGGED = "draw_unplugged"
    DISPLAY_WRONG = "display_wrong"
    SUPERVISOR_VOID = "supervisor_void"


SHUFFLER_ONLY: Final = frozenset({Mishap.SHUFFLER_JAM})
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


@dataclass(frozen=True, slots=True)
class Plan:
    """One round to come.

    Args:
        number: from 1.
        pack: the shuffled pack, its first card on top.
        bets: in the order made.
        refused: a bet that the table has to refuse, and when it is tried.
        dealer_closes: whether the dealer calls no more bets; otherwise the first card ends the betting.
        step: the card or packet of the first cards, counted from 0, at which the mishap strikes.
        stray: the place where a card goes by mistake.
        reason: what the supervisor says of a round that they void, 0 to 2.
    """

    number: int
    dealing: Dealing
    pack: tuple[Card, ...]
    bets: tuple[PlannedBet, ...]
    refused: Refusable
    dealer_closes: bool
    mishap: Mishap | None
    step: int
    stray: Place
    reason: int

    @property
    def places(self) -> tuple[Place, ...]:
        """Return the places that are dealt, in the order dealt.

        They are those with a bet, and the common one last.

        Rule: 41/2003 art. 6(3), 6(4).
        """
        seated = sorted({bet.place for bet in self.bets if isinstance(bet.place, int)})
        return (*seated, COMMON)

    @property
    def packet(self) -> int:
        """How many cards come at once."""
        return 1 if self.dealing is Dealing.SHOE else FIRST_CARDS

    @property
    def card_s(self) -> float:
        """How long a card or packet takes the dealer."""
        return 0.5 if self.dealing is Dealing.SHOE else 1.2

    @property
    def order(self) -> tuple[Place, ...]:
        """Return the places that each of the first cards, or each packet, is for.

        Rule: 41/2003 art. 6(3).
        """
        return tuple(place for place in self.places for _ in range(FIRST_CARDS // self.packet))


def plans(seed: int, irregular: float) -> Iterator[Plan]:
    """The rounds of this seed, without end.

    Args:
        irregular: share of the rounds in which something goes wrong, 0 to 1. The first one is always regular.
    """
    jammed = False
    for number, chance, mishap in numbered(seed, irregular, Mishap):
        yield _plan(chance, number, mishap, _dealing(mishap, number, jammed=jammed))
        jammed = mishap is Mishap.SHUFFLER_JAM


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
        dealer_closes=chance.random() < 0.6,
        mishap=mishap,
        step=0,
        stray="",
        reason=chance.randrange(3),
    )
    step = chance.choice(_steps(draft))
    return replace(draft, step=step, stray=_stray(chance, draft, step))


def _bets(chance: Random) -> tuple[PlannedBet, ...]:
    """Choose the bets of three to five people at places of their own.

    Some of them bet on others' places and on the common one too.
    """
    people = chance.sample(PEOPLE, chance.randint(3, 5))
    seats = chance.sample(range(1, PLACES + 1), len(people))
    spots: list[tuple[str, Place]] = list(zip(people, seats, strict=True))
    spots += [(person, chance.choice((COMMON, chance.choice(seats)))) for person in people if chance.random() < 0.4]
    bets = {(person, place, bet) for person, place in spots for bet in chance.sample(BETS, chance.randint(1, 2))}
    ordered = sorted(bets, key=lambda bet: (bet[0], str(bet[1]), bet[2]))
    made = [PlannedBet(place, person, bet, chance.choice(CHIPS)) for person, place, bet in ordered]
    return tuple(chance.sample(made, len(made)))


def _refused(chance: Random, bets: tuple[PlannedBet, ...]) -> tuple[PlannedBet, Moment]:
    person, place = chance.choice(PEOPLE), chance.choice(bets).place
    return chance.choice(
        (
            (PlannedBet(place, person, "even", "100"), Moment.TOO_LATE),
            (PlannedBet(NO_SUCH_PLACE, person, "odd", "100"), Moment.IN_TIME),
            (PlannedBet(place, person, "post", "30"), Moment.IN_TIME),
        )
    )


def _steps(plan: Plan) -> tuple[int, ...]:
    """Return the steps at which this mishap may strike.

    It isn't before the first card, and a wrong order not at the last one.
    """
    last = len(plan.order) - 1
    if plan.mishap is Mishap.PLACE_WITHOUT_BET:
        return tuple(step for step, place in enumerate(plan.order) if place != COMMON)
    return tuple(range(1, last))


def _stray(chance: Random, plan: Plan, step: int) -> Place:
    """A place without a bet, or the next hand in the order."""
    if plan.mishap is Mishap.PLACE_WITHOUT_BET:
        return chance.choice([place for place in range(1, PLACES + 1) if place not in plan.places])
    others = [place for place in plan.places if place != plan.order[step]]
    return others[step % len(others)]


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
