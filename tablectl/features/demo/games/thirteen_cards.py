"""Demo's rounds of 13 Cards, from the shuffle to the last comparison.

A plan follows from the seed and the round's number, never from time.
"""

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import replace
from enum import StrEnum
from random import Random
from typing import Any, Final

from tablectl.core.cards import BANKER, PACK, Card, Place
from tablectl.core.facts.game_requests import Dealing
from tablectl.core.games.thirteen_cards.rules import SETTING_S
from tablectl.edited_files import read_text
from tablectl.features.demo import deal
from tablectl.features.demo.console import View
from tablectl.features.demo.course import play_by
from tablectl.features.demo.customs import EVERYWHERE, Custom
from tablectl.features.demo.playing import Playing
from tablectl.features.demo.script import BUZZER, DICE, SHOE, SHUFFLER, Company, numbered
from tablectl.lazy_dataclass import dataclass
from tablectl.players.moves import PEOPLE, Ask, Draw, Move, PlannedBet, Throw, Wait
from tablectl.players.thirteen_cards import HAND_SIZE, PLACES, next_move
from tablectl.rule_tables import shipped

SEATED: Final = {2: PEOPLE[0], 3: PEOPLE[1], 4: PEOPLE[2]}
UNITS: Final = ("100", "200", "300")


class Mishap(StrEnum):
    """Intended mishaps of a round."""

    COCKED_DIE = "cocked_die"
    PLAYER_CARD_EXPOSED = "player_card_exposed"
    MENDED = "mended"
    DEAL_CANCELLED = "deal_cancelled"
    FOUND_LATE = "found_late"
    LATE = "late"
    SHOE_UNPLUGGED = "shoe_unplugged"
    GARBLED_COPY = "garbled_copy"
    BANKER_RESETS = "banker_resets"
    LOOKED_EARLY = "looked_early"
    FOUL = "foul"
    SUPERVISOR_VOID = "supervisor_void"


MISHAPS: Final = (
    *Mishap,
    *EVERYWHERE,
    Custom.MATERIAL_NAMED,
    Custom.FOREIGN_CARD,
    Custom.DID_NOT_SHAKE,
    Custom.DID_NOT_SHOW,
)
"""All that may come up in a round of this game."""


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
        late: the places that don't set their cards in time.
    """

    number: int
    pack: tuple[Card, ...]
    again: tuple[Card, ...]
    bets: tuple[PlannedBet, ...]
    dice: tuple[int, ...]
    mishap: Mishap | Custom | None
    step: int
    reason: int
    late: frozenset[int] = frozenset()

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


def plans(seed: int, irregular: float) -> Iterator[Plan]:
    """The rounds of this seed, without end.

    Args:
        irregular: share of the rounds in which something goes wrong, 0 to 1. The first one is always regular.
    """
    for number, chance, mishap in numbered(seed, irregular, MISHAPS):
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


RULES: Final = "rules/thirteen_cards.51-89-m.toml"
SHORTEST_S: Final = 15


def rules_at(speed: float) -> str:
    """Return the rule table of a demonstration at this speed.

    The players' time to set passes as fast as everything else.

    Args:
        speed: 1 is the law's own, 0 as fast as possible.
    """
    setting_s = max(SHORTEST_S, int(SETTING_S / speed)) if speed else SHORTEST_S
    return read_text(shipped(RULES)).replace("\n[payment]", f"\nsetting_s = {setting_s}\n\n[payment]", 1)


LOOKS_S: Final = 0.2
"""How often somebody looks whether the time is up."""

COCKED = 1
"""The reader's number for a die that doesn't lie flat."""


async def play(company: Company, plan: Plan) -> None:
    """Plays one round to its end, whatever that is.

    Raises:
        DemoError: the table did something that the rules don't explain.
    """
    await play_by(next_move, company, plan, _strike, {SHOE, SHUFFLER, DICE, BUZZER})


async def _strike(playing: Playing, view: View, move: Move) -> bool:
    plan, company, dealer = playing.plan, playing.company, playing.company.staff.dealer
    match move:
        case Throw(dice) if playing.strikes(Mishap.COCKED_DIE):
            await playing.sees(lambda: company.devices.dice.throw(dice, COCKED))
        case Draw() if playing.drawn == plan.step and playing.strikes(Mishap.DEAL_CANCELLED):
            await dealer.do("misplace_card", place=plan.order[plan.step])
            await dealer.do("cancel_deal")
            playing.plan, playing.drawn = replace(plan, pack=plan.again), 0
            return True
        case Ask("finish_setting", {"place": place}) if playing.strikes(Mishap.FOUND_LATE):
            await company.staff.supervisor.do("misplace_card", place=place)
            await company.pace.take(2.0)
            await company.staff.supervisor.do("mend_card", place=PLACES[PLACES.index(place) - 1])
        case Ask("finish_setting", {"place": place}) if playing.strikes(Mishap.LATE):
            playing.plan = replace(plan, late=frozenset({place}))
            return True
        case Wait() if plan.late and not view.round["called"]:
            await asyncio.sleep(LOOKS_S)
            return True
        case Draw():
            return await deal.strike(playing, view, move)
        case Ask("show_tiers", {"place": place, "rows": rows}):
            return await _show_amiss(playing, view, place, rows)
        case _:
            pass
    return False


async def _show_amiss(playing: Playing, view: View, place: Place, rows: Sequence[Any]) -> bool:
    """Carry out what goes wrong as a hand is shown; return True if it was shown so."""
    dealer, first = playing.company.staff.dealer, min(bet["place"] for bet in view.round["bets"])
    if place == BANKER and playing.strikes(Mishap.LOOKED_EARLY):
        await dealer.do("declare_irregularity", kind="looked_early", place=first)
    wrong = Mishap.BANKER_RESETS if place == BANKER else Mishap.FOUL
    if place not in {BANKER, first} or not playing.strikes(wrong):
        return False
    await playing.company.pace.take(2.0)
    await dealer.do("show_tiers", place=place, rows=[rows[0], rows[2], rows[1]])
    return True
