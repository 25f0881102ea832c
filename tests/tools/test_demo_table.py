"""The whole demo: private broker, the daemon as a process, simulated devices, people at the console."""

import json
import shutil
from dataclasses import replace
from itertools import islice
from pathlib import Path

import pytest

from tablectl.features.demo.customs import Custom
from tablectl.features.demo.games.q_poker import Mishap, Plan, plans
from tablectl.features.demo.layout import Options
from tablectl.features.demo.runner import demo
from tests.support.demo import EVENTFUL, PLAIN, Form, Keeper, evening, kind, played


def results(keeper: Keeper) -> list[Form]:
    """How each round ended, without ids and times."""
    ends = [event["data"] for event in keeper.forms if kind(event) in {"round.settled", "round.void"}]
    return [{key: data[key] for key in data.keys() - {"round_id", "opened", "settled"}} for data in ends]


@pytest.fixture(autouse=True)
def _broker_is_installed(mosquitto: Path) -> None:
    """The demo finds mosquitto by itself; without it there is nothing to test."""


@pytest.fixture(scope="module")
def eventful(run_folder: Path) -> tuple[list[Plan], Keeper]:
    """A demo with every mishap in it, and what was planned."""
    options = EVENTFUL["q-poker"]
    return list(islice(plans(options.seed, 1), options.rounds)), evening(run_folder, options).keeper


def events_of(eventful: tuple[list[Plan], Keeper], mishap: Mishap | Custom) -> list[Form]:
    planned, keeper = eventful
    return next(events for plan, events in zip(planned, keeper.rounds(), strict=True) if plan.mishap is mishap)


@pytest.mark.slow
def test_the_same_seed_plays_the_same_rounds_at_another_speed(eventful: tuple[list[Plan], Keeper]) -> None:
    slower = replace(EVENTFUL["q-poker"], speed=50, rounds=6)
    assert results(played(slower)) == results(eventful[1])[:6]


@pytest.mark.slow
def test_another_seed_plays_other_rounds(run_folder: Path) -> None:
    assert results(played(replace(PLAIN, seed=8))) != results(evening(run_folder, PLAIN).keeper)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("mishap", "article", "consequence"),
    [
        (Mishap.PLAYER_CARD_EXPOSED, "11(2)", "continues"),
        (Mishap.DEALER_CARD_EXPOSED, "11(3)", "round_void"),
        (Mishap.PLACE_WITHOUT_BET, "11(4)", "hand_void"),
        (Mishap.MENDED, "11(1)", "mended"),
        (Mishap.WRONG_ORDER, "11(1)", "round_void"),
        (Mishap.SHUFFLER_JAM, "11(5)", "round_void"),
        (Mishap.CARD_MISSED, "table", "continues"),
        (Mishap.DEALT_BY_HAND, "table", "continues"),
        (Mishap.CARDS_HELD_AWAY, "6(3)", "continues"),
        (Custom.DID_NOT_DECIDE, "table", "ask_again"),
        (Custom.FOREIGN_CARD, "1(1)", "round_void"),
    ],
)
def test_a_mishap_is_published_with_its_article(
    eventful: tuple[list[Plan], Keeper], mishap: Mishap | Custom, article: str, consequence: str
) -> None:
    events = events_of(eventful, mishap)
    said = [event["data"] for event in events if kind(event) == "round.irregular"]
    assert [(data["article"], data["consequence"]) for data in said] == [(article, consequence)]
    assert kind(events[-1]) == ("round.void" if consequence == "round_void" else "round.paid")


@pytest.mark.slow
@pytest.mark.parametrize("mishap", [Mishap.SHOE_UNPLUGGED, Mishap.GARBLED_COPY])
def test_a_mishap_that_costs_no_card_leaves_the_round_valid(
    eventful: tuple[list[Plan], Keeper], mishap: Mishap
) -> None:
    kinds = [kind(event) for event in events_of(eventful, mishap)]
    assert kinds[-2:] == ["round.settled", "round.paid"]
    assert "round.irregular" not in kinds


@pytest.mark.slow
def test_a_supervisors_void_names_them_and_their_reason(eventful: tuple[list[Plan], Keeper]) -> None:
    last = events_of(eventful, Mishap.SUPERVISOR_VOID)[-1]
    assert (kind(last), last["data"]["by"], last["data"]["article"]) == ("round.void", "rui", "table")
    assert last["data"]["reason"]


@pytest.mark.slow
def test_everything_is_marked_simulated_and_nothing_is_missing(eventful: tuple[list[Plan], Keeper]) -> None:
    events = eventful[1].forms
    assert all(event["simulated"] is True for event in events)
    assert [int(event["sequence"]) for event in events] == list(range(1, len(events) + 1))


@pytest.mark.slow
def test_no_card_is_seen_before_it_lies_face_up(eventful: tuple[list[Plan], Keeper]) -> None:
    for plan, events in zip(eventful[0], eventful[1].rounds(), strict=True):
        shown: set[str] = set()
        for event in events:
            if kind(event) in {"round.revealed", "card.exposed"}:
                shown |= set(event["data"]["cards"])
            hidden = [card for card in plan.pack if card not in shown]
            assert not any(f'"{card}"' in json.dumps(event["data"]) for card in hidden)


@pytest.mark.slow
def test_refusals_cite_their_articles(eventful: tuple[list[Plan], Keeper]) -> None:
    planned, keeper = eventful
    tried = [plan.refused[0] for plan in planned if plan.refused]
    refused = [event["data"] for event in keeper.forms if kind(event) == "bet.refused"]
    assert refused
    assert {data["article"] for data in refused} <= {"2.1", "6(2)", "table"}
    assert {data["bettor"] for data in refused} <= {bet.bettor for bet in tried}


@pytest.mark.slow
def test_a_kept_table_goes_on_where_it_was(run_folder: Path, tmp_path: Path) -> None:
    before = evening(run_folder, PLAIN)
    shutil.copytree(before.folder / "state", tmp_path / "table" / "state")
    first, second = before.keeper.forms, played(replace(PLAIN, rounds=1, keep=tmp_path / "table")).forms
    assert {event["source"] for event in first} == {event["source"] for event in second}
    assert int(second[0]["sequence"]) == int(first[-1]["sequence"]) + 1


@pytest.mark.slow
def test_broker_that_is_not_there_is_named_in_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    options = Options(seed=7, speed=0, rounds=1, broker="mqtt://127.0.0.1:1")
    assert demo(options, Keeper()) == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("tablectl demo: the broker at 127.0.0.1:1 doesn't answer")
