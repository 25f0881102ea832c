"""Demo's rounds of Q Poker, from the pack to the dealer's hand.

A plan follows from the seed and the round's number, never from time.
"""

from collections.abc import Iterator
from dataclasses import replace
from enum import StrEnum
from random import Random
from typing import Final

from tablectl.core.cards import DEALER, PACK, Card, Place
from tablectl.core.facts.game_requests import Dealing
from tablectl.features.demo import deal
from tablectl.features.demo.console import View
from tablectl.features.demo.course import play_by
from tablectl.features.demo.customs import EVERYWHERE, Custom
from tablectl.features.demo.playing import Playing
from tablectl.features.demo.script import SHOE, SHUFFLER, Company, Moment, Refusable
from tablectl.lazy_dataclass import dataclass
from tablectl.players.moves import PEOPLE, Ask, Move, PlannedBet
from tablectl.players.q_poker import HAND_SIZE, next_move

PLACES: Final = 7
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


MISHAPS: Final = (*Mishap, *EVERYWHERE, Custom.MATERIAL_NAMED, Custom.FOREIGN_CARD, Custom.DID_NOT_DECIDE)
"""All that may come up in a round of this game."""


@dataclass(frozen=True, slots=True)
class Plan:
    """One round to come.

    Args:
        number: from 1.
        mood: the seed of what bettors decide.
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
    mood: str
    dealing: Dealing
    pack: tuple[Card, ...]
    bets: tuple[PlannedBet, ...]
    refused: Refusable
    taken_back: PlannedBet | None
    dealer_closes: bool
    mishap: Mishap | Custom | None
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
    for number, chance, mishap, dealing in deal.dealt(seed, irregular, MISHAPS):
        yield _plan(chance, f"{seed}/{number}", number, mishap, dealing)


def _plan(chance: Random, mood: str, number: int, mishap: Mishap | Custom | None, dealing: Dealing) -> Plan:
    bets = _bets(chance)
    draft = Plan(
        number=number,
        mood=mood,
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


async def play(company: Company, plan: Plan) -> None:
    """Plays one round to its end, whatever that is.

    Raises:
        DemoError: the table did something that the rules don't explain.
    """
    await play_by(next_move, company, plan, _strike, {SHOE if plan.dealing is Dealing.SHOE else SHUFFLER})


async def _strike(playing: Playing, view: View, move: Move) -> bool:
    plan, dealer = playing.plan, playing.company.staff.dealer
    match move:
        case Ask("bet") if plan.taken_back is not None and not view.round["bets"]:
            await playing.company.bet(plan.taken_back)
            await playing.company.pace.take(1.0)
            await dealer.do("take_back_bet", **plan.taken_back.named())
        case Ask("open_hand") if playing.strikes(Mishap.CARDS_HELD_AWAY):
            bet = plan.bets[0]
            await dealer.do("report_cards_held_away", place=bet.place, bettor=bet.bettor)
        case Ask("decide") if view.owes:
            await dealer.do("pay_place")
        case _:
            pass
    await playing.try_in_vain(view, move)
    return await deal.strike(playing, view, move)
