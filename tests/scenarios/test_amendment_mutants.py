"""Whether the scenarios notice a table that amends wrongly: each does one thing wrongly, and one scenario names it."""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import pytest

from tablectl.core import fold
from tablectl.core.actions import authority
from tablectl.core.actions.authority import Need
from tablectl.core.amending import amendments, placed, published
from tablectl.core.facts.amendments import Amendment
from tablectl.core.facts.table_requests import BetOffered, DecisionDeclared
from tablectl.daemon.requests import admission
from tablectl.daemon.table_fold import TableFold
from tablectl.features.common.errors import first_of
from tablectl.testing.levels.levels import CoreLevel
from tablectl.testing.scenarios.parser import read_scenario
from tablectl.testing.scenarios.suite import Verdict, played
from tests.support.levels import with_devices

HERE: Final = Path(__file__).parent
_that_stand = placed.that_stand
_as_amended = placed.as_amended
_dry_run = admission.dry_run


def _keeps_the_old_money(case: Any) -> Any:
    return case.ending.nets if case.ending else None


def _counts_what_was_struck(made: Any) -> list[Amendment]:
    """The amendments without their strikes."""
    stand = _that_stand(made)
    return [replace(each, edits=tuple(edit for edit in each.edits if edit.body is not None)) for each in stand]


def _keeps_an_answer(*known: Any) -> tuple[Any, ...]:
    """The decision that was taken at a place stays, whoever has the bet there now."""
    facts = _as_amended(*known)
    whose = {each.fact.body.place: each.fact.body.bettor for each in facts if isinstance(each.fact.body, BetOffered)}
    return tuple(_decided_by(each, whose) for each in facts)


def _decided_by(each: Any, whose: Mapping[Any, str]) -> Any:
    body = each.fact.body
    if not isinstance(body, DecisionDeclared):
        return each
    return replace(each, fact=replace(each.fact, body=replace(body, bettor=whose[body.place])))


def _keeps_the_old_facts(known: Any, made: Any) -> Any:
    return _as_amended(known, made[:-1])


def _lets_anybody(*_: Any) -> Need:
    return Need.ANY


def _forgets_the_note(_: Any) -> tuple[()]:
    return ()


def _changes_the_state(folding: TableFold[Any], fact: Any, need: Need, roles: tuple[str, ...]) -> Any:
    reply = _dry_run(folding, fact, need, roles)
    folding.state, _ = fold.step(folding.game, folding.state, fact, folding.past.then(fact))
    return reply


WRONG: Final[dict[str, tuple[Any, str, Callable[..., Any], str]]] = {
    "keeps the old money": (published, "_nets_after", _keeps_the_old_money, "q_amend_stake"),
    "counts a struck fact": (placed, "that_stand", _counts_what_was_struck, "q_amend_bet_that_never_lay"),
    "keeps an answer": (amendments, "as_amended", _keeps_an_answer, "q_amend_decision_asked_again"),
    "settles with the old facts": (amendments, "as_amended", _keeps_the_old_facts, "q_amend_stake"),
    "ignores who may": (authority, "_to_amend", _lets_anybody, "q_amend_alone"),
    "forgets the next round's note": (
        amendments,
        "_unlawful_since",
        _forgets_the_note,
        "d_amend_capital_of_next_round",
    ),
}


@pytest.mark.parametrize("what", WRONG)
def test_a_table_that_amends_wrongly_is_noticed(monkeypatch: pytest.MonkeyPatch, what: str) -> None:
    where, name, instead, scenario = WRONG[what]
    monkeypatch.setattr(where, name, instead)
    outcome = asyncio.run(played(read_scenario(HERE / f"{scenario}.toml"), CoreLevel()))
    assert outcome.verdict is Verdict.FAILED


def test_a_dry_run_that_changes_the_state_is_noticed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(admission, "dry_run", _changes_the_state)
    with pytest.raises(ExceptionGroup) as raised:
        with_devices(read_scenario(HERE / "q_amend_dry_run.toml"), tmp_path)
    assert "q_amend_dry_run, step" in str(first_of(raised.value))
