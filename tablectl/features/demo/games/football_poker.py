"""Demo's rounds of Football Poker, from the draw to the last hand.

A plan follows from the seed and the round's number, never from time.
"""

from collections.abc import Iterator
from dataclasses import replace
from enum import StrEnum
from random import Random
from typing import Final

from tablectl.core.cards import COMMON, PACK, Card, Place
from tablectl.core.facts.game_requests import Dealing
from tablectl.core.faults import Code
from tablectl.core.games.football_poker.hands import FIRST_CARDS
from tablectl.features.demo import deal
from tablectl.features.demo.console import View
from tablectl.features.demo.course import play_by
from tablectl.features.demo.customs import EVERYWHERE, Custom
from tablectl.features.demo.playing import Playing
from tablectl.features.demo.script import DISPLAY, DRAW, SHOE, SHUFFLER, Company, Moment, Refusable
from tablectl.lazy_dataclass import dataclass
from tablectl.players.football_poker import next_move
from tablectl.players.moves import PEOPLE, Ask, Move, PlannedBet

PLACES: Final = 10
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
    DISPLAY_LOST = "display_lost"
    SUPERVISOR_VOID = "supervisor_void"


MISHAPS: Final = (*Mishap, *EVERYWHERE, Custom.MATERIAL_NAMED, Custom.FOREIGN_CARD, Custom.DID_NOT_SHOW)
"""All that may come up in a round of this game."""


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
    mishap: Mishap | Custom | None
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
    for number, chance, mishap, dealing in deal.dealt(seed, irregular, MISHAPS):
        yield _plan(chance, number, mishap, dealing)


def _plan(chance: Random, number: int, mishap: Mishap | Custom | None, dealing: Dealing) -> Plan:
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


async def play(company: Company, plan: Plan) -> None:
    """Plays one round to its end, whatever that is.

    Raises:
        DemoError: the table did something that the rules don't explain.
    """
    dealt_from = SHOE if plan.dealing is Dealing.SHOE else SHUFFLER
    await play_by(next_move, company, plan, _strike, {dealt_from, DRAW, DISPLAY})


async def _strike(playing: Playing, view: View, move: Move) -> bool:
    match move:
        case Ask("open_round") if playing.strikes(Mishap.DISPLAY_WRONG):
            await _show_wrongly(playing, move)
            return True
        case Ask("open_round") if playing.strikes(Mishap.DRAW_UNPLUGGED):
            # Just as it was asked: it draws once, whatever became of the answer.
            await playing.make(move)
            await playing.company.unplug(DRAW)
            await playing.company.pace.take(2.0)
            await playing.company.devices.plug_in(DRAW)
            return True
        case Ask("bet") if view.round["bets"] and playing.strikes(Mishap.DISPLAY_LOST):
            await _lose_display(playing)
            return False
        case _:
            await playing.try_in_vain(view, move)
            return await deal.strike(playing, view, move)


async def _show_wrongly(playing: Playing, move: Move) -> None:
    """Have the display show something else than was drawn, and mend it.

    It holds the table until it shows what it should.
    """
    company = playing.company
    company.devices.show_wrongly()
    await playing.make(move)
    await company.screen.until("the display disagrees", _display_disagrees)
    await company.pace.take(2.0)
    company.devices.show_rightly()
    await company.screen.until("the display agrees", lambda now: not _display_disagrees(now))
    await company.sign()


async def _lose_display(playing: Playing) -> None:
    """Unplug the display until the end of the round.

    Betting goes on once the draw is shown by other means.

    Rule: 41/2003 art. 6(1); reading 13.
    """
    await playing.company.unplug(DISPLAY)
    await playing.company.pace.take(3.0)
    supervisor = playing.company.staff.supervisor
    await supervisor.do("declare_irregularity", kind="shown_otherwise", place="", bettor="")


def _display_disagrees(view: View) -> bool:
    return any(fault.code == Code.DISPLAY_MISMATCH and fault.present for fault in view.faults)
