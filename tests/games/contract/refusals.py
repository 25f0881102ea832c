"""What is asked of every game's refusals: a game gives a table of them, with its own cases."""

from collections.abc import Callable, Sequence
from typing import Any, ClassVar, TypeVar

import pytest

from tablectl.core.effects import Effects, Refuse
from tablectl.core.events.device import FaultGone, FaultSeen, FaultSeenBy
from tablectl.core.events.round import BetRefused
from tablectl.core.facts import Body
from tests.support.refusal_codes import refusal_codes
from tests.support.sitting import events, refused

T = TypeVar("T")
Case = tuple[str, str, Callable[[], Any], Callable[[Any], Effects] | Body]
"""Article and code of a refusal, the table where it is given, and what is asked there."""


class RefusalContract:
    """The questions; a game's own class names the game and the cases.

    Args:
        least: how many codes are found in the game's source, or the search for them is broken.
        tells: what a refusal may publish besides its answer.
    """

    game: ClassVar[str]
    cases: ClassVar[Sequence[Case]]
    least: ClassVar[int]
    tells: ClassVar[tuple[type[Any], ...]] = (BetRefused, FaultSeen, FaultGone, FaultSeenBy)

    def pytest_generate_tests(self, metafunc: pytest.Metafunc) -> None:
        """Asks of each case."""
        if "case" in metafunc.fixturenames:
            ids = [f"{article}-{code}" for article, code, _, _ in self.cases]
            metafunc.parametrize("case", self.cases, ids=ids)

    def test_a_refusal_names_its_article_and_changes_nothing(self, case: Case) -> None:
        article, code, made, ask = case
        at = made()
        before = at.state
        assert refused(_asked(at, ask)) == (article, code)
        assert at.state == before

    def test_a_refusal_has_a_text_and_publishes_nothing_more(self, case: Case) -> None:
        article, code, made, ask = case
        effects = _asked(made(), ask)
        (no,) = [effect for effect in effects if isinstance(effect, Refuse)]
        assert (no.article, no.code) == (article, code)
        assert no.text.key in {f"refuse.{self.game}.{code}", f"refuse.{code}"}
        assert all(isinstance(event, self.tells) for event in events(effects))

    def test_every_refusal_in_the_code_is_in_this_table(self) -> None:
        found = refusal_codes(self.game)
        assert len(found) >= self.least
        assert found - {code for _, code, _, _ in self.cases} == set()


def after(made: Callable[[], T], *acts: Callable[[T], object]) -> Callable[[], T]:
    """Makes a table at which these things were done too."""

    def table() -> T:
        begun = made()
        for act in acts:
            act(begun)
        return begun

    return table


def _asked(at: Any, ask: Callable[[Any], Effects] | Body) -> Effects:
    told: Effects = ask(at) if callable(ask) else at.tell(ask)
    return told
