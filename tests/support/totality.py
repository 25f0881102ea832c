"""What always holds at a table of any game, whatever is told to it and in whatever order.

A good dealer's next step, what goes wrong at a table, and facts of any kind alternate at random, so that nonsense meets
every phase of a round. What only one game holds is that game's `Law`.
"""

import json
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Final, Generic, Protocol, TypeVar

from hypothesis import settings
from hypothesis import strategies as st

from tablectl.core import fold
from tablectl.core.bets.settle import settle_line
from tablectl.core.cards import Place
from tablectl.core.effects import (
    BlankDisplay,
    Effect,
    Effects,
    RequestDraw,
    ShowDraw,
    ShuffleCards,
    SoundSignal,
    StartTimer,
)
from tablectl.core.events import Event
from tablectl.core.events.device import FaultGone, FaultSeen, FaultSeenBy
from tablectl.core.events.round import (
    BetPlaced,
    BetRefused,
    BettingOver,
    BetWithdrawn,
    Irregular,
    RoundBegan,
    Settled,
    Voided,
)
from tablectl.core.facts import Body, Fact
from tablectl.core.game_step import device_of_kind
from tablectl.core.money import parse_money
from tablectl.core.table import Table
from tablectl.rule_tables import settlers
from tests.support.sitting import Sitting, events, fact, refused

S = TypeVar("S")
P = TypeVar("P", bound=StrEnum)

often = settings(max_examples=2 * settings().max_examples)
"""For what has to meet every corner: more examples than usual, in every profile."""
half = settings(max_examples=settings().max_examples // 2)
"""For what plays long rounds."""

Word = str | tuple[int, ...]
"""Stands for a step that depends on the table: by its name, or by the dice that the good dealer's next step shows."""

Step = tuple[Body | Word, str | None, int | None]
"""A body or a word for one; a request's id; and how much its screen had seen."""

Spot = tuple[Place, str, str]
"""Place, bettor and bet."""

CARRIED_OUT_BY: Final[Mapping[type[Effect], str]] = {
    ShuffleCards: "shuffler",
    RequestDraw: "draw",
    ShowDraw: "display",
    BlankDisplay: "display",
    SoundSignal: "buzzer",
}
"""The kind of device that carries a command out."""

SETTLERS: Final = settlers()

KEPT_OPEN: Final = (ShuffleCards, RequestDraw, SoundSignal, StartTimer)
"""Commands that stay open until they are answered."""


@dataclass(frozen=True, slots=True)
class Told(Generic[S]):
    """A fact that was told, the table before and after it, and what followed."""

    fact: Fact
    before: Table[S]
    after: Table[S]
    effects: Effects

    @property
    def events(self) -> list[Event]:
        """What was published."""
        return events(self.effects)

    @property
    def refused(self) -> bool:
        return refused(self.effects) is not None


@dataclass(slots=True)
class Book:
    """The watch's own record of the rounds and of the open round's stakes in hundredths."""

    open: str | None = None
    ended: set[str] = field(default_factory=set)
    stakes: dict[Spot, int] = field(default_factory=dict)
    articles: list[str] = field(default_factory=list)
    closed: bool = False

    def laid(self) -> dict[Spot, int]:
        """The stakes that lie on the layout."""
        return {spot: stake for spot, stake in self.stakes.items() if stake}

    def begin(self, round_id: str) -> None:
        """A round begins: none was open, and its id is new."""
        assert self.open is None
        assert round_id not in self.ended
        self.open, self.stakes, self.articles, self.closed = round_id, {}, [], False

    def write(self, event: BetPlaced | BetWithdrawn) -> None:
        """A stake put down or taken back, while bets are taken."""
        assert not self.closed
        sign = 1 if isinstance(event, BetPlaced) else -1
        spot = (event.place, event.bettor, event.bet)
        self.stakes[spot] = self.stakes.get(spot, 0) + sign * parse_money(event.stake)
        assert self.stakes[spot] >= 0

    def close(self, event: BettingOver) -> None:
        """No bet changes any more, and what lies there was counted."""
        assert not self.closed
        assert parse_money(event.total_stakes) == sum(self.stakes.values())
        self.closed = True

    def end(self, event: Settled | Voided) -> None:
        """The round is over; a settled one names its irregularities, a void one gives every stake back, once."""
        if isinstance(event, Settled):
            assert list(event.irregularities) == self.articles
        if isinstance(event, Voided):
            back = {(bet.place, bet.bettor, bet.bet): parse_money(bet.stake) for bet in event.returned}
            assert len(back) == len(event.returned)
            assert back == self.laid()
        self.ended.add(event.round_id)
        self.open = None


class Law(Protocol[S]):
    """What one game holds, besides what every game does. Its methods assert."""

    def strays(self, event: Event, book: Book) -> bool:
        """Whether an event may name another round than the open one."""
        ...

    def sees(self, event: Event, book: Book) -> None:
        """What holds of an event; the book has its round, and not yet its stake or its round's end."""
        ...

    def holds(self, told: Told[S], book: Book) -> None:
        """What holds after each fact."""
        ...


@dataclass(slots=True)
class Watched(Generic[S]):
    """A table of which every step is checked against all that always holds.

    Args:
        ways: for each phase, those that may follow it.
        settled: the parts of a settlement that come out the same when `tablectl settle` is given the round.
    """

    sitting: Sitting[S]
    law: Law[S]
    ways: Mapping[str, Collection[str]]
    settled: tuple[str, ...]
    book: Book = field(default_factory=Book)

    def take(self, one: Fact) -> None:
        """One more fact, and everything that has to hold then."""
        before = self.sitting.table
        effects = self.sitting.take(one)
        told = Told(one, before, self.sitting.table, effects)
        self.phase_moves_along_the_table(told)
        a_refused_request_changes_nothing(told)
        for event in told.events:
            self.belongs_to_the_open_round(event)
            self.law.sees(event, self.book)
            self.enter(event)
        self.law.holds(told, self.book)
        assert (self.book.open is None) == (self.sitting.phase == "idle")
        self.can_be_shown()
        self.commands_have_a_device_and_stay_open(told)

    def phase_moves_along_the_table(self, told: Told[S]) -> None:
        phase = self.sitting.game.phase
        before, after = phase(told.before.game), phase(told.after.game)
        assert before == after or after in self.ways[before]

    def belongs_to_the_open_round(self, event: Event) -> None:
        if isinstance(event, RoundBegan):
            self.book.begin(event.round_id)
        named = getattr(event, "round_id", None)
        assert named is None or named == self.book.open or self.law.strays(event, self.book)

    def enter(self, event: Event) -> None:
        match event:
            case BetPlaced() | BetWithdrawn():
                self.book.write(event)
            case BettingOver():
                self.book.close(event)
            case Irregular():
                self.book.articles.append(event.article)
            case Settled():
                self.settles_again(event)
                self.book.end(event)
            case Voided():
                self.book.end(event)
            case _:
                pass

    def settles_again(self, event: Settled) -> None:
        """What was published of a round is enough to settle it."""
        game = self.sitting.game.name
        line = json.dumps({"game": game, "rules": event.rules, "round": event.round})
        again = json.loads(settle_line(line.encode(), 1, SETTLERS).text)
        assert event.settlement == {name: again[name] for name in self.settled}

    def can_be_shown(self) -> None:
        """The view can be written, and says which round is open and what the table waits for."""
        sitting = self.sitting
        public, waits = sitting.game.public(sitting.state), sitting.game.waiting(sitting.table)
        json.dumps(dict(public), allow_nan=False)
        assert waits.key.startswith(f"prompt.{sitting.game.name}.")
        assert self.book.open == sitting.round_id == public["round_id"]

    def commands_have_a_device_and_stay_open(self, told: Told[S]) -> None:
        """Nothing is asked of a device that the table lacks, and what has to be answered stands among what is open."""
        game = self.sitting.game
        outstanding = game.outstanding(told.after.game)
        assert all(effect in outstanding for effect in told.effects if isinstance(effect, KEPT_OPEN))
        kinds = {CARRIED_OUT_BY[type(effect)] for effect in told.effects if type(effect) in CARRIED_OUT_BY}
        assert all(device_of_kind(game, kind) for kind in kinds)


def a_refused_request_changes_nothing(told: Told[S]) -> None:
    """Neither the game nor the devices; only the refused bet and faults may be told of."""
    if not told.refused:
        return
    before, after = told.before, told.after
    assert (after.game, after.devices, after.rounds) == (before.game, before.devices, before.rounds)
    assert {type(event) for event in told.events} <= {BetRefused, FaultSeen, FaultGone, FaultSeenBy}


def ways_of(transitions: Mapping[P, Mapping[Any, P]]) -> dict[str, set[str]]:
    """The phases that may follow each phase."""
    return {phase: {*causes.values()} for phase, causes in transitions.items()}


def hundredths(text: str) -> int:
    """An amount as published, with its sign, in hundredths."""
    return -parse_money(text[1:]) if text.startswith("-") else parse_money(text)


# --- what is told


def step_lists(
    forward: st.SearchStrategy[Word],
    mischief: st.SearchStrategy[Body | str],
    anything: st.SearchStrategy[Body],
    *,
    forward_of_12: int,
    least: int,
) -> st.SearchStrategy[list[Step]]:
    """Steps of a table, mostly forward, or no round came to its end.

    Args:
        forward: words for steps that bring the round nearer to its end.
        mischief: what goes wrong at a table, with values that make sense at some time.
        anything: facts with any values at all.
        forward_of_12: how many of twelve steps lead forward; all others but one are mischief.
        least: the shortest list; the longest has three times as many.
    """

    @st.composite
    def step(draw: st.DrawFn) -> Step:
        kind = draw(st.integers(0, 11))
        if kind < forward_of_12:
            return draw(forward), None, None
        body = draw(mischief if kind < 11 else anything)
        return (
            body,
            draw(st.sampled_from([None, None, "r1", "r2"])),
            draw(st.sampled_from([None, None, None, 0, 10**9])),
        )

    return st.lists(step(), min_size=least, max_size=3 * least)


def play(watched: Watched[S], steps: Iterable[Step], meant: Callable[[Word], Iterable[Body]]) -> Sitting[S]:
    """The steps told to a watched table.

    Args:
        meant: what a word stands for at this table now.
    """
    for body, request_id, seen in steps:
        by_a_word = isinstance(body, str | tuple)
        for told in meant(body) if isinstance(body, str | tuple) else (body,):
            number = len(watched.sitting.facts)
            named = request_id and f"{request_id}-{number // 7}"
            about: dict[str, Any] = {} if by_a_word else {"request_id": named, "seen": seen}
            watched.take(fact(told, number, **about))
    return watched.sitting


def take_all(watched: Watched[S], bodies: Iterable[Body]) -> None:
    """Facts told one after the other to a watched table that has just begun."""
    for number, body in enumerate(bodies):
        watched.take(fact(body, number))


def assert_replay_is_the_same(sitting: Sitting[S], cut: int) -> None:
    """All that was told, folded anew and in two parts, gives the same table and the same effects."""
    game, start = sitting.game, fold.begin(sitting.game)
    middle = fold.fold(game, start, sitting.facts[:cut])
    assert fold.fold(game, middle, sitting.facts[cut:]) == sitting.table
    table, effects = start, list[Effects]()
    for one in sitting.facts:
        table, followed = fold.step(game, table, one)
        effects.append(followed)
    assert effects == sitting.told
