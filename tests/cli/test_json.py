"""What the commands say to scripts: JSON that has what people are told."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from tablectl.cli import main
from tablectl.core.faults import CATALOGUE
from tablectl.features.dev import transitions_of
from tablectl.rule_tables import shipped


def spoken(*words: str) -> list[Any]:
    result = CliRunner().invoke(main, [*words, "--json"])
    assert result.exit_code == 0, result.output
    return [json.loads(line) for line in result.output.splitlines()]


def test_configuration_is_summed_up_for_a_script() -> None:
    (form,) = spoken("check-config", str(shipped("tables/q-poker.demo.toml")))
    text = CliRunner().invoke(main, ["check-config", str(shipped("tables/q-poker.demo.toml"))]).output
    assert (form["table"], form["game"], form["rules_version"]) == ("q-demo", "q_poker", "89/2004")
    assert form["devices"].keys() == {"shoe", "shuffler"}
    assert form["people"]["ana"] == "dealer"
    assert form["hash"] in text
    assert "pin_hash" not in json.dumps(form)


def test_every_fault_is_an_object_in_a_line() -> None:
    forms = spoken("fault")
    assert [form["code"] for form in forms] == sorted(CATALOGUE)
    assert spoken("fault", "308", "--lang", "pt")[0]["severity"] == "error"


@pytest.mark.parametrize("game", ["q_poker", "thirteen_cards"])
def test_phases_and_what_leads_from_one_to_the_next(game: str) -> None:
    (form,) = spoken("dev", "phases", game)
    assert form.keys() == {str(phase) for phase in transitions_of(game)}
    assert {end for phase in form.values() for end in phase["leads_to"].values()} <= form.keys()


def test_faults_that_a_simulator_can_have() -> None:
    forms = spoken("sim", "faults")
    assert {"code", "key", "kinds", "needs"} == forms[0].keys()
    assert all(form["code"] in CATALOGUE for form in forms)


def test_unknown_fault_is_no_object_and_fails(tmp_path: Path) -> None:
    result = CliRunner().invoke(main, ["fault", "1", "--json"])
    assert (result.exit_code, result.stdout) == (64, "")
