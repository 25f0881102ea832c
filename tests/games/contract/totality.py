"""What is asked of every game whatever its table is told, in whatever order, and of the good dealer's way out of it.

A game gives its set-ups, what may be told there and what only it holds; `tests/support/totality.py` watches.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar, Final, get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tablectl.core.cards import PACK, Card
from tablectl.core.effects import Refuse
from tablectl.core.events.round import Settled
from tablectl.core.facts import Body
from tests.support.nonsense import Bodies
from tests.support.secrecy import words
from tests.support.totality import Step, Watched, Word, assert_replay_is_the_same, often, play, take_all

NO_CARDS: Final[st.SearchStrategy[Sequence[Card]]] = st.just(())
A_PACK: Final[st.SearchStrategy[Sequence[Card]]] = st.permutations(PACK)


class TotalityContract(ABC):
    """The questions; a game's own class gives its tables and what may happen there.

    Args:
        bodies: for each kind of fact, what it may be.
        steps: what is told; words stand for what depends on the table.
        set_ups: of tables; what one is, only the game knows.
        whole: the set-ups at each of which the good dealer plays alone.
        unused: the order in which cards come.
        forward: the word for the good dealer's next step.
        forward_steps: how many of them come to four settlements.
        hides: whether cards lie face down in this game.
        law: how many examples of the longest question.
        replay: how many of the replay.
    """

    bodies: ClassVar[Bodies]
    steps: ClassVar[st.SearchStrategy[list[Step]]]
    set_ups: ClassVar[st.SearchStrategy[Any]]
    whole: ClassVar[Sequence[Any]]
    unused: ClassVar[st.SearchStrategy[Sequence[Card]]] = NO_CARDS
    forward: ClassVar[Word] = "next"
    forward_steps: ClassVar[int] = 70
    hides: ClassVar[bool] = False
    law: ClassVar[settings] = often
    replay: ClassVar[settings] = settings()

    @abstractmethod
    def watched(self, set_up: Any) -> Watched[Any]:
        """A table that has just begun, watched."""

    @abstractmethod
    def meant(self, word: Word, sitting: Any, unused: tuple[Card, ...]) -> list[Body]:
        """What a word stands for at this table now."""

    def played(self, set_up: Any, steps: Sequence[Step], unused: Sequence[Card] = PACK) -> Watched[Any]:
        """A watched table after these steps."""
        table = self.watched(set_up)
        play(table, steps, lambda word: self.meant(word, table.sitting, tuple(unused)))
        return table

    def pytest_generate_tests(self, metafunc: pytest.Metafunc) -> None:
        """Asks of each set-up in which the good dealer plays alone."""
        if "alone" in metafunc.fixturenames:
            metafunc.parametrize("alone", self.whole, ids=str)

    def test_every_kind_of_fact_is_told(self) -> None:
        assert set(self.bodies) == set(get_args(Body))

    def test_whatever_is_told_the_law_holds_at_every_step(self) -> None:
        @self.law
        @given(self.set_ups, self.steps, self.unused)
        def holds(set_up: Any, steps: list[Step], unused: Sequence[Card]) -> None:
            self.played(set_up, steps, unused)

        holds()

    def test_replay_from_any_point_gives_same_table_and_same_effects(self) -> None:
        @self.replay
        @given(self.set_ups, self.steps, self.unused, st.integers(0, 200))
        def is_the_same(set_up: Any, steps: list[Step], unused: Sequence[Card], cut: int) -> None:
            assert_replay_is_the_same(self.played(set_up, steps, unused).sitting, cut)

        is_the_same()

    def test_nonsense_alone_is_taken_without_an_error(self) -> None:
        @given(self.set_ups, st.lists(st.one_of(*self.bodies.values()), max_size=40))
        def is_taken(set_up: Any, bodies: list[Body]) -> None:
            take_all(self.watched(set_up), bodies)

        is_taken()

    def test_from_wherever_table_is_good_dealer_comes_to_a_settlement(self) -> None:
        @given(self.set_ups, self.steps, self.unused)
        def comes(set_up: Any, steps: list[Step], unused: Sequence[Card]) -> None:
            table = self.played(set_up, steps, unused)
            ended = len(table.sitting.all_of(Settled))
            for _ in range(self.forward_steps):
                if len(table.sitting.all_of(Settled)) > ended:
                    return
                forward: Step = (self.forward, None, None)
                play(table, [forward], lambda word: self.meant(word, table.sitting, tuple(unused)))
            pytest.fail("no settlement")

        comes()

    def test_good_dealer_alone_settles_rounds_without_refusal_or_irregularity(self, alone: Any) -> None:
        sitting = self.played(alone, [(self.forward, None, None)] * self.forward_steps).sitting
        assert len(sitting.all_of(Settled)) > 3
        assert {event.irregularities for event in sitting.all_of(Settled)} == {()}
        assert sitting.asked(Refuse) == []

    def test_the_watch_sees_a_card_that_is_told(self) -> None:
        assert bool(set[str]().union(*map(self._hidden, self.whole))) == self.hides

    def _hidden(self, alone: Any) -> set[str]:
        """The known cards that lie face down at some time of a round, each seen in the state and in no event."""
        table = self.watched(alone)
        sitting, seen = table.sitting, set[str]()
        while not sitting.all_of(Settled):
            play(table, [(self.forward, None, None)], lambda word: self.meant(word, sitting, PACK))
            hidden = sitting.game.unrevealed(sitting.state)
            assert hidden <= words(sitting.state)
            assert not hidden & words(sitting.events)
            seen |= hidden
        return seen
