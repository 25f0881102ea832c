"""Demo's rounds at the bowl of dice: what is planned, and how it is played.

A plan follows from the seed and the round's number, never from time.
"""

from collections.abc import Iterator, Mapping
from enum import StrEnum
from random import Random
from typing import Final

from tablectl.features.demo.console import IDLE, View
from tablectl.features.demo.course import play_by
from tablectl.features.demo.customs import EVERYWHERE, Custom, laid
from tablectl.features.demo.playing import Playing
from tablectl.features.demo.script import DICE, Company, Moment, numbered
from tablectl.lazy_dataclass import dataclass
from tablectl.players.chinese_dice import PLACES, next_move
from tablectl.players.moves import PEOPLE, Ask, Move, PlannedBet, PlannedStake, Throw

CHIPS: Final = ("50", "100", "100", "200", "300", "500")
CAPITALS: Final = ("1000", "1500", "2000")


class Mishap(StrEnum):
    """Intended mishaps of a round."""

    COCKED_DIE = "cocked_die"
    DIE_OUTSIDE = "die_outside"
    DICE_HELD_AWAY = "dice_held_away"
    THROWN_OUT_OF_TURN = "thrown_out_of_turn"
    BANK_DECLINED = "bank_declined"
    BET_MISPLACED = "bet_misplaced"
    LATE_BET = "late_bet"
    READER_UNPLUGGED = "reader_unplugged"
    SUPERVISOR_VOID = "supervisor_void"


MISHAPS: Final = (*Mishap, *EVERYWHERE, Custom.MATERIAL_NAMED, Custom.DID_NOT_THROW)
"""All that may come up in a round of this game."""


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
    mishap: Mishap | Custom | None
    throw: int
    reason: int


def plans(seed: int, irregular: float) -> Iterator[Plan]:
    """The rounds of this seed, without end.

    Args:
        irregular: share of the rounds in which something goes wrong, 0 to 1. The first one is always regular.
    """
    for number, chance, mishap in numbered(seed, irregular, MISHAPS):
        yield Plan(
            number=number,
            capital=chance.choice(CAPITALS),
            stakes=_stakes(chance),
            partner=(chance.randint(1, 7), chance.choice(CHIPS)) if chance.random() < 0.25 else None,
            casino=chance.choice(("500", "1000")) if chance.random() < 0.2 else "",
            dealer_closes=chance.random() < 0.5,
            mishap=mishap,
            throw=1 if mishap in {Mishap.LATE_BET, Mishap.DICE_HELD_AWAY} else chance.randint(1, 2),
            reason=chance.randrange(3),
        )


def dice_of(seed: int, number: int) -> Iterator[tuple[int, int, int]]:
    """The throws of a round, without end."""
    chance = Random(f"{seed}/{number}/dice")
    while True:
        yield (chance.randint(1, 6), chance.randint(1, 6), chance.randint(1, 6))


def _stakes(chance: Random) -> tuple[PlannedStake, ...]:
    """Bets at two to five places, now and then two at one."""
    steps = chance.sample(PLACES[:-1], chance.randint(2, 5))
    own = [PlannedStake(step, "", chance.choice(CHIPS)) for step in steps]
    beside = [
        PlannedStake(step, chance.choice(PEOPLE[len(PLACES) :]), "100") for step in steps if chance.random() < 0.3
    ]
    return (*own, *beside)


FLAWS: Final[Mapping[Mishap, int]] = {Mishap.COCKED_DIE: 1, Mishap.DIE_OUTSIDE: 3}
"""The reader's numbers for what is wrong with a throw."""


async def play(company: Company, plan: Plan) -> None:
    """Plays one round to its end, whatever that is.

    Raises:
        DemoError: the table did something that the rules don't explain.
    """
    await play_by(next_move, company, plan, _strike, {DICE}, dice_of(company.seed, plan.number))


async def _strike(playing: Playing, view: View, move: Move) -> bool:
    plan, dealer, due = playing.plan, playing.company.staff.dealer, view.round["due"]
    match move:
        case Ask("take_bank") if due is not None and playing.strikes(Mishap.BANK_DECLINED):
            await dealer.do("decline_bank", place=due["place"])
            return True
        case Ask("open_round") if playing.strikes(Mishap.BANK_DECLINED):  # by the banker, who could go on
            await dealer.do("decline_bank", place=view.round["banker"]["place"])
            return True
        case Ask("bet") if not laid(view) and plan.casino:
            await playing.company.staff.supervisor.do("join_casino", share=plan.casino)
        case Ask("close_betting") | Throw() if view.phase == "betting" and _lacks_partner(plan, view):
            steps, stake = plan.partner
            banker, sits = view.round["banker"]["place"], [seat["bettor"] for seat in view.round["seats"]]
            await playing.company.bet(PlannedBet(banker, sits[(banker + steps - 1) % len(PLACES)], "bank", stake))
            return True
        case Ask("close_betting") | Throw() if view.phase == "betting" and playing.strikes(Mishap.SUPERVISOR_VOID):
            await playing.void()
            return True
        case Ask("close_betting") | Throw() if view.phase == "betting" and playing.strikes(Mishap.BET_MISPLACED):
            bet = laid(view)[0]
            await dealer.do("declare_irregularity", kind="bet_misplaced", place=bet["place"], bettor=bet["bettor"])
        case Throw():
            return await _throw(playing, view)
        case Ask("pay_place") if playing.thrown >= plan.throw and playing.strikes(Mishap.THROWN_OUT_OF_TURN):
            await playing.sees(lambda: playing.company.devices.dice.throw(next(playing.dice)))
        case _:
            pass
    return False


def _lacks_partner(plan: Plan, view: View) -> bool:
    return plan.partner is not None and all(bet["bet"] != "bank" for bet in view.round["bets"])


async def _throw(playing: Playing, view: View) -> bool:
    """Carry out what goes wrong with a throw; return True if it was made so."""
    plan, company, place = playing.plan, playing.company, view.round["due"]["place"]
    comes = playing.thrown + 1 == plan.throw
    if DICE not in view.attached or (comes and playing.strikes(Mishap.READER_UNPLUGGED)):
        await _by_hand(playing, view)
    elif comes and playing.strikes(*FLAWS):
        playing.thrown += 1
        await playing.sees(lambda: company.devices.dice.throw(next(playing.dice), FLAWS[plan.mishap]))
    elif comes and playing.strikes(Mishap.LATE_BET):
        await playing.make(Throw())
        late = PlannedBet(place % len(PLACES) + 1, PEOPLE[0], "place", "100")
        await company.try_in_vain((late, Moment.TOO_LATE), Moment.TOO_LATE)
    elif comes and playing.strikes(Mishap.DICE_HELD_AWAY):
        if (await playing.make(Throw())).phase != IDLE:
            await company.staff.dealer.do("declare_irregularity", kind="dice_held_away", place=place)
    else:
        return False
    return True


async def _by_hand(playing: Playing, view: View) -> None:
    """Unplug the reader; the dealer types what they see until the round is over."""
    if DICE in view.attached:
        await playing.company.unplug(DICE)
    await playing.company.staff.dealer.do("enter_dice", place=view.round["due"]["place"], dice=list(next(playing.dice)))
