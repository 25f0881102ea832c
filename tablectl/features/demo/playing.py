"""A demonstration's round: the player's moves, and what goes wrong among them."""

from collections.abc import Callable, Iterator
from typing import Any, Final

from tablectl import words
from tablectl.features.demo.console import OVER, DemoError, View
from tablectl.features.demo.script import Company, Moment
from tablectl.lazy_dataclass import dataclass
from tablectl.players.moves import Ask, Deliver, Draw, Lay, Move, Player, TableView, Throw

TAKES_S: Final = {
    "bet": 0.7,
    "close_betting": 1.0,
    "count_cards": 2.0,
    "decide": 0.8,
    "finish_setting": 2.0,
    "open_hand": 1.2,
    "pay_place": 1.2,
    "pick_up_cards": 0.8,
    "show_tiers": 1.5,
    "take_bank": 1.0,
}
"""How long people usually take for a request, in seconds; others follow at once."""

THROW_S: Final = 1.2

ASK_OTHERWISE: Final = frozenset({"cards_unknown", "third_cards_first"})
"""Refusals after which the player asks otherwise: a hand that nobody read has to be named, and comes first."""


@dataclass(frozen=True, slots=True)
class Mistyped:
    """A bet that was recorded with another stake than the one that lies.

    Args:
        record: the number of the fact.
        stake: what lies, a decimal string.
    """

    round_id: str | None
    record: int
    stake: str


@dataclass(slots=True)
class Playing:
    """One round and its table.

    Args:
        dice: what the throws show that are left to chance.
        drawn: how many cards lie on the table, by whoever drew them.
        thrown: how often the dice were thrown.
        struck: whether the mishap of the round has happened.
        rested: the spin that the wheel rests from.
        mistyped: the bet that has to be put right.
    """

    company: Company
    player: Player
    plan: Any
    dice: Iterator[tuple[int, ...]]
    drawn: int = 0
    thrown: int = 0
    struck: bool = False
    rested: Any = None
    mistyped: Mistyped | None = None
    _has_begun: bool = False
    _tried: bool = False
    _last: Ask | None = None
    _refused: str = ""

    def next(self, view: View) -> Move:
        """The move that is due."""
        fresh = self._last is not None and self._last.verb == "confirm_pack"
        seen = TableView(view.state, self.drawn, self._last, self._refused, fresh=fresh, rested=self.rested)
        return self.player(seen, self.plan)

    def strikes(self, *mishaps: str) -> bool:
        """Return True, once, if the round's mishap is one of these."""
        now = not self.struck and self.plan.mishap in mishaps
        self.struck = self.struck or now
        return now

    async def make(self, move: Move) -> View:
        """Make a move, and wait until the table shows what came of it.

        Raises:
            DemoError: the table refused it, or shows nothing.
        """
        company, before = self.company, await self.company.look()
        match move:
            case Ask():
                return await self._ask(move)
            case Draw(card):
                await company.pace.take(self.plan.card_s)
                self.drawn += 1
                await company.devices.shoe.draw(card)
            case Deliver(cards):
                await company.pace.take(self.plan.card_s)
                self.drawn += len(cards)
                company.devices.shuffler.deliver_packet(len(cards))
            case Lay(cards):
                for _ in cards:
                    await company.pace.take(self.plan.card_s)
                self.drawn += len(cards)
                return before
            case Throw(dice):
                await company.pace.take(THROW_S)
                self.thrown += 1
                company.devices.dice.throw(dice or next(self.dice))
            case _:
                pass
        return await company.screen.until(
            "the table moves", lambda now: (now.phase, now.round) != (before.phase, before.round)
        )

    async def sees(self, act: Callable[[], object]) -> None:
        """Do something in front of a reader, and wait until the table has seen it."""
        before = (await self.company.look()).seen
        act()
        await self.company.screen.until("the reader's report", lambda now: now.seen > before)

    async def try_in_vain(self, view: View, move: Move) -> None:
        """Try the bet that the table has to refuse, where this is its moment."""
        betting = view.phase == "betting"
        self._has_begun = self._has_begun or betting
        if self._tried or not self._has_begun or view.phase in OVER or (betting and _is_bet(move)):
            return
        moment = Moment.IN_TIME if betting else Moment.TOO_LATE
        self._tried = self.plan.refused is not None and self.plan.refused[1] is moment
        await self.company.try_in_vain(self.plan.refused, moment)

    async def void(self) -> None:
        """A supervisor ends the round."""
        supervisor = self.company.staff.supervisor
        await supervisor.do("void_round", reason=words.text(f"demo.reason.{self.plan.reason}", supervisor.language))

    async def _ask(self, move: Ask) -> View:
        staff = self.company.staff
        await self.company.pace.take(TAKES_S.get(move.verb, 0.0))
        answer = await (staff.supervisor if move.by == "supervisor" else staff.dealer).ask(move.verb, **move.fields)
        if not answer.accepted and answer.code not in ASK_OTHERWISE:
            raise DemoError(f"{move.verb} was refused: {answer.text} ({answer.code}, {answer.article})")
        self._last, self._refused = move, answer.code
        return await self.company.look()


def _is_bet(move: Move) -> bool:
    return isinstance(move, Ask) and move.verb == "bet"
