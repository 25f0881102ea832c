"""Tables met on random ways, and whether what is offered there is what the table does."""

import json
import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, fields
from typing import Any, Generic, TypeVar, get_args

from tablectl.core import fold
from tablectl.core.actions.forms import Offer, offers
from tablectl.core.effects import Effects, Refuse
from tablectl.core.facts import Body
from tablectl.core.facts.table_requests import Request, RoundCorrected, RoundVoided
from tablectl.core.game_step import Game
from tablectl.core.table import Table
from tablectl.daemon.views.actions import action_form
from tests.support.sitting import fact, stamp

S = TypeVar("S")
LAWFUL = 0.6
"""How often a way goes on as the law has it."""

ALWAYS = (RoundVoided, RoundCorrected)
"""What is open whatever the game waits for."""


@dataclass(frozen=True, slots=True)
class Way(Generic[S]):
    """How a random way through a game goes on: mostly to the round's end, else by anything that may happen.

    Args:
        alphabet: what may happen next, of almost every kind.
        lawful: what brings the round nearer to its end.
    """

    game: Game[S]
    start: Table[S]
    alphabet: Callable[[Table[S]], Iterable[Body]]
    lawful: Callable[[Table[S]], Body]

    def tables(self, seed: int, steps: int = 150) -> Iterator[Table[S]]:
        """The tables on one way."""
        return (before for before, _, _ in self.steps(seed, steps))

    def steps(self, seed: int, steps: int = 150) -> Iterator[tuple[Table[S], Effects, Table[S]]]:
        """The tables on one way, each with what follows there and the next one."""
        chance, table = random.Random(seed), self.start
        for _ in range(steps):
            after, effects = fold.step(self.game, table, fact(self._next(table, chance), table.records))
            yield table, effects, after
            table = after

    def _next(self, table: Table[S], chance: random.Random) -> Body:
        if chance.random() < LAWFUL:
            return self.lawful(table)
        told = list(self.alphabet(table))
        return chance.choice([body for body in told if not isinstance(body, RoundVoided) or chance.random() < 0.1])


def offered(game: Game[S], table: Table[S]) -> tuple[Offer, ...]:
    """What is offered at this table."""
    return offers(game, table, stamp(table.records))


def answer(game: Game[S], table: Table[S], body: Body) -> Refuse | None:
    """The refusal of a request made now on a screen that shows all there is."""
    asked = fact(body, table.records, seen=table.records, round_id=game.round_id(table.game), second="supervisor")
    _, effects = fold.step(game, table, asked)
    return next((effect for effect in effects if isinstance(effect, Refuse)), None)


def fits(offer: Offer, body: Body) -> bool:
    """Whether the request is the offered one, its open fields filled in."""
    if type(offer.body) is not type(body):
        return False
    fixed = (field.name for field in fields(body) if field.name not in offer.open)
    return all(getattr(body, name) in {getattr(offer.body, name), ()} for name in fixed)


def broken(way: Way[S], table: Table[S], given: Sequence[Offer]) -> list[Any]:
    """Where an offer isn't what the table does: of the offers themselves, and of every request of the alphabet."""
    game = way.game
    wrong: list[Any] = [(offer, no) for offer in given if (no := answer(game, table, offer.body)) != offer.refused]
    for body in way.alphabet(table):
        if isinstance(body, get_args(Request)):
            alike = [offer for offer in given if fits(offer, body)]
            wrong += [(body, no, alike) for no in (answer(game, table, body),) if not _agrees(alike, no)]
    return wrong


def _agrees(alike: list[Offer], no: Refuse | None) -> bool:
    """Whether an answer is as the offers said; what a person fills in may be refused where an example isn't."""
    if no is None:
        return any(offer.refused is None for offer in alike)
    return (
        any((offer.refused and _same(offer.refused, no)) or (offer.refused is None and offer.open) for offer in alike)
        or not alike
    )


def _same(one: Refuse, other: Refuse) -> bool:
    """Whether two refusals differ only in the names that their texts quote."""
    return (one.article, one.code) == (other.article, other.code)


def nothing_to_do(game: Game[S], table: Table[S], given: Sequence[Offer]) -> str | None:
    """The key of what the table waits for, where nobody may do anything but end the round."""
    allowed = [offer for offer in given if offer.refused is None and not isinstance(offer.body, ALWAYS)]
    return None if allowed else game.waiting(table).key.rpartition(".")[2]


def told_too_early(game: Game[S], table: Table[S], given: Sequence[Offer]) -> list[str]:
    """The cards that lie face down and stand in an action as pages get it."""
    said = json.dumps([action_form(offer, "verb") for offer in given])
    return [card for card in game.unrevealed(table.game) if f'"{card}"' in said]
