"""The demonstration of high card: its rounds follow from the seed, and its player plays them."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from tablectl.core.cards import PACK
from tablectl.features.demo.course import play_by
from tablectl.features.demo.script import Company, numbered
from tablectl.players.moves import PEOPLE, PlannedBet
from tests.extension.higher_card.player import next_move
from tests.extension.higher_card.settlement import BET


class Mishap(StrEnum):
    """Intended mishaps of a round."""

    SUPERVISOR_VOID = "supervisor_void"


@dataclass(frozen=True, slots=True)
class Plan:
    """One round to come."""

    number: int
    bets: tuple[PlannedBet, ...]
    pack: tuple[str, ...]
    mishap: Mishap | None
    card_s: float = 0.5


def plans(seed: int, irregular: float) -> Iterator[Plan]:
    """The rounds of this seed, without end."""
    for number, chance, mishap in numbered(seed, irregular, tuple(Mishap)):
        places = sorted(chance.sample(range(1, 6), chance.randint(1, 4)))
        people = chance.sample(PEOPLE, len(places))
        bets = tuple(PlannedBet(place, who, BET, "100") for place, who in zip(places, people, strict=True))
        yield Plan(number, bets, tuple(chance.sample(PACK, len(PACK))), mishap)


async def play(company: Company, plan: Plan) -> None:
    """Plays one round to its end; a mishap is the supervisor's end of it."""
    if plan.mishap is Mishap.SUPERVISOR_VOID:
        await company.staff.dealer.do("open_round")
        await company.staff.supervisor.do("void_round", reason="the light is out")
        return
    await play_by(next_move, company, plan)
