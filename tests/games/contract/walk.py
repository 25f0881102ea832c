"""What is asked of every game's walk, in which each state that a small table can come to is told what may happen next.

A game gives its walks; `tests/support/walk.py` says how one is made.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import pytest

from tablectl.core.facts import Body
from tablectl.core.table import Table
from tests.support.sitting import Sitting, refused
from tests.support.walk import Node, Walk, ended_oddly, moved_by_a_refusal, not_voided, stuck, ways_drawn, ways_taken


class WalkContract(ABC):
    """The questions; a game's own class gives the walks of one table or of several.

    Args:
        tables: the tables that are walked.
        together: whether only all of them together take every way of the table of transitions.
        transitions: the game's own table, from phase to phase by causes.
        causes: of these transitions.
        stuck_for: what a state lacks, by `lacking`, that only a supervisor helps out of.
        from_idle: whether the next settlement is reached from a table without a round by no void one.
        prompted: which steps each prompt calls for; empty where the game's own tests say so.
    """

    tables: ClassVar[Sequence[Any]] = ("",)
    together: ClassVar[bool] = False
    transitions: ClassVar[Mapping[Any, Mapping[Any, Any]]]
    causes: ClassVar[Any]
    stuck_for: ClassVar[frozenset[Any]] = frozenset()
    from_idle: ClassVar[bool] = False
    prompted: ClassVar[Mapping[str, set[type]]] = {}

    @abstractmethod
    def walked(self, which: Any) -> Walk[Any]:
        """The walk of a table, made once."""

    @abstractmethod
    def dealer(self, which: Any, table: Table[Any]) -> tuple[Sitting[Any], Body]:
        """The table as a sitting, and the good dealer's next step there."""

    def lacking(self, state: Any) -> Any:
        """What keeps a state from its settlement; the state itself where nothing should."""
        return state

    def idle(self, state: Any) -> bool:
        """Whether no round is in being."""
        return bool(state.phase == "idle")

    def pytest_generate_tests(self, metafunc: pytest.Metafunc) -> None:
        """Asks of each table."""
        if "which" in metafunc.fixturenames:
            metafunc.parametrize("which", self.tables, ids=str)

    def test_phases_change_along_every_way_of_the_table(self) -> None:
        drawn = ways_drawn(self.transitions, settled=self.causes.SETTLED, voided=self.causes.VOIDED)
        taken = [ways_taken(self.walked(which), lambda state: state.phase) for which in self.tables]
        for ways in [set().union(*taken)] if self.together else taken:
            assert ways == drawn

    def test_the_walk_sees_every_phase(self) -> None:
        seen = {node.state.phase for which in self.tables for node in self.walked(which).tables}
        assert seen == set(self.transitions)

    def test_a_round_ends_exactly_where_the_table_is_idle(self, which: Any) -> None:
        assert ended_oddly(self.walked(which), idle=self.idle) == []

    def test_a_settlement_can_be_reached_without_a_supervisor(self, which: Any) -> None:
        assert self._lack(stuck(self.walked(which))) == self.stuck_for

    def test_a_round_can_come_to_its_own_settlement(self, which: Any) -> None:
        found = stuck(self.walked(which), same_round=True)
        open_rounds = {node for node in self.walked(which).tables if not self.idle(node.state)}
        assert open_rounds
        assert self._lack(found if self.from_idle else found & open_rounds) == self.stuck_for

    def test_a_supervisor_can_end_every_round_at_once(self, which: Any) -> None:
        assert not_voided(self.walked(which), idle=self.idle) == set()

    def test_a_refused_request_leaves_the_state_as_it_was(self, which: Any) -> None:
        assert any(step.refused for step in self.walked(which).steps)
        assert moved_by_a_refusal(self.walked(which)) == []

    def test_the_table_prompts_a_step_that_is_not_refused(self) -> None:
        prompts = set[str]()
        for which in self.tables:
            for table in self.walked(which).tables.values():
                sitting, body = self.dealer(which, table)
                prompts.add(prompt := sitting.prompt())
                assert prompt != "fault"
                assert not self.prompted or type(body) in self.prompted[prompt], (prompt, body)
                assert refused(sitting.tell(body)) is None
        assert not self.prompted or prompts == self.prompted.keys()

    def _lack(self, nodes: set[Node[Any]]) -> set[Any]:
        return {self.lacking(node.state) for node in nodes}
