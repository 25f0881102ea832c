"""What is asked of every game's rounds as JSON: a game gives one, what may be wrong in it, and where a name stands."""

import copy
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from importlib import import_module
from typing import Any, ClassVar, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablectl.core.json_form import FormError, Repeated, Written
from tablectl.rule_tables import load_rules

Change = Callable[[dict[str, Any]], object]
Wrong = tuple[str, Change, str]
"""Where a form is wrong, below `round`; the change that makes it so; a part of the reason."""

Where = tuple[str | int, ...]
"""The keys and numbers that lead to a value."""

NAMES: Final = ('"', "\\", "陳", "a\x00b", "\ud800", "\u2028", " ")
SCRAPS: Final = (None, True, False, 0, 1, 3, 9, -1, "", "As", "9d", "1", "0.05", Written("3.0"), Repeated("x"))


@dataclass(frozen=True)
class Forms:
    """A round of a game, and what `settle` makes of it."""

    game: str
    round: Mapping[str, Any]

    def settled(self, form: Any, overrides: Any = None) -> Any:
        """The settlement of a round."""
        settle = import_module(f"tablectl.core.games.{self.game}.shapes").settle_form
        return json.loads(settle(form, {} if overrides is None else overrides, load_rules(self.game)))

    def changed(self, change: Change) -> dict[str, Any]:
        """The round with a change."""
        form = copy.deepcopy(dict(self.round))
        change(form)
        return form

    def refused(self, form: Any, overrides: Any = None) -> FormError:
        """The error that a form is refused with."""
        with pytest.raises(FormError) as error:
            self.settled(form, overrides)
        return error.value


class FormsContract:
    """The questions; a game's own class gives its round.

    Args:
        wrong: what may be wrong in the round.
        bettor: where a bettor's name stands, in the round and in its settlement.
        scraps: what is put somewhere into the round, besides what is put into every game's.
        rule: the field that the rules of a line may have.
        ends: what a round may be settled as.
    """

    forms: ClassVar[Forms]
    wrong: ClassVar[Sequence[Wrong]]
    bettor: ClassVar[Where]
    scraps: ClassVar[Sequence[Any]] = ()
    rule: ClassVar[str] = "none"
    ends: ClassVar[tuple[str, ...]] = ("settled",)

    def pytest_generate_tests(self, metafunc: pytest.Metafunc) -> None:
        """Asks of each wrong form."""
        if "wrong_form" in metafunc.fixturenames:
            metafunc.parametrize(
                "wrong_form", self.wrong, ids=[f"{nth}-{path}" for nth, (path, *_) in enumerate(self.wrong)]
            )

    def test_wrong_form_is_refused_with_its_path_and_the_reason(self, wrong_form: Wrong) -> None:
        path, change, message = wrong_form
        error = self.forms.refused(self.forms.changed(change))
        assert error.path == (f"round{path}" if path.startswith("[") else f"round.{path}")
        assert message in error.message

    @pytest.mark.parametrize("form", [None, 1, True, "x", [], [{}]])
    def test_a_round_is_an_object(self, form: Any) -> None:
        assert self.forms.refused(form).path == "round"

    @pytest.mark.parametrize("name", NAMES, ids=ascii)
    def test_a_bettors_name_is_echoed_whatever_its_characters(self, name: str) -> None:
        *way, last = self.bettor
        form = self.forms.changed(lambda form: _at(form, way).update({last: name}))
        assert _at(self.forms.settled(form), self.bettor) == name

    def test_rules_of_a_line_are_an_object_of_known_fields(self) -> None:
        round_form = dict(self.forms.round)
        assert self.forms.refused(round_form, {"colour": 1}).path == "rules.colour"
        assert self.forms.refused(round_form, []).path == "rules"

    def test_whatever_form_it_is_settled_or_refused_with_a_path(self) -> None:
        scraps = st.sampled_from((*SCRAPS, *self.scraps))
        anything = st.recursive(
            scraps, lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.text(), inner, max_size=3)
        )

        @given(st.data(), st.just({}) | st.builds(lambda value: {self.rule: value}, anything) | anything)
        def has_an_answer(data: st.DataObject, overrides: Any) -> None:
            form = data.draw(_spoilt(self.forms.round, anything))
            try:
                answer = str(self.forms.settled(form, overrides)["status"])
            except FormError as error:
                answer = error.path
            assert answer.startswith((*self.ends, "round", "rules"))

        has_an_answer()


def _at(form: Any, where: Sequence[str | int]) -> Any:
    return reduce(lambda inside, key: inside[key], where, form)


@st.composite
def _spoilt(draw: st.DrawFn, round_form: Mapping[str, Any], anything: st.SearchStrategy[Any]) -> Any:
    """The round with up to three values somewhere inside it replaced."""
    form: Any = copy.deepcopy(dict(round_form))
    for _ in range(draw(st.integers(0, 3))):
        inside = form
        while isinstance(inside, dict | list) and inside:
            key = draw(st.sampled_from(list(inside) if isinstance(inside, dict) else range(len(inside))))
            if not isinstance(inside[key], dict | list) or draw(st.booleans()):
                inside[key] = draw(anything)
                break
            inside = inside[key]
    return form
