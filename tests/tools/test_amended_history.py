"""Rounds that were amended, as everything that looks back tells them: as they count."""

import asyncio
import json
import shutil
from collections.abc import Generator, Mapping
from contextlib import closing, contextmanager
from functools import partial
from itertools import cycle
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from tablectl.config import load
from tablectl.config.game_setup import game_of
from tablectl.core.amending.counted_round import kind_of
from tablectl.core.protocols import StoredEvent
from tablectl.daemon.archive import JournalArchive
from tablectl.daemon.signing.keys import signing_key
from tablectl.daemon.views.display import LastRound
from tablectl.features.case.case import Making, make_case
from tablectl.features.case.cli import case
from tablectl.features.case.moment import moment_of
from tablectl.features.journal.restore import RestoreError, restore
from tablectl.features.rounds.board import board_of, board_text
from tablectl.features.rounds.explain_html import html_of
from tablectl.history.board import Board
from tablectl.history.explain.model import Explanation
from tablectl.history.explain.text import text_of
from tablectl.history.explanation import explained, make_renderers
from tablectl.history.journal_scan import last_rounds
from tablectl.history.prove import OpenRoundError, make_proof
from tablectl.history.rounds import RoundLine, rounds_back
from tablectl.history.rounds import text_of as text_of_rounds
from tablectl.history.statistics.expected import kinds_of
from tablectl.history.statistics.period import statistics
from tablectl.journal.reading.reader import JournalReader, open_reader
from tablectl.proof.judge import judge
from tablectl.proof.note import fingerprint
from tablectl.rule_tables import shipped
from tablectl.words import LANGUAGES, Language
from tests.daemon.test_topics_board import Log
from tests.referee.amended import read_by_the_document
from tests.support.recorded import SCENARIOS, Recorded, recorded

NOW_US = 4_102_444_800_000_000
"""Later than anything in these journals: 2100."""

AMENDING = sorted(SCENARIOS.glob("*_amend_*.toml"))
NOT_OF_THE_FOLD = {"round.settled.v1", "round.void.v1", "round.corrected.v1", "round.amended.v1", "round.reopened.v1"}
"""What the reader in the documentation keeps apart from the events that stand."""


@contextmanager
def reading(table: Recorded) -> Generator[JournalReader]:
    with closing(open_reader(table.folder)) as reader:
        yield reader


def told_of(table: Recorded, round_id: str) -> Explanation:
    with reading(table) as reader:
        return explained(reader, round_id, table.config)


def line_of(table: Recorded, round_id: str) -> RoundLine:
    with reading(table) as reader:
        return next(line for line in rounds_back(reader, make_renderers()) if line.round_id == round_id)


def stored(table: Recorded) -> list[StoredEvent]:
    return [
        StoredEvent(
            number, f"event/{kind_of(event).partition('.')[0]}", json.dumps(event, separators=(",", ":")).encode()
        )
        for number, event in enumerate(table.events, 1)
    ]


def on_the_board(table: Recorded) -> Mapping[str, Any]:
    board = Board(game_of(table.config).make(table.config).name)
    board.take(stored(table))
    return board.form()


def counted(table: Recorded) -> Mapping[str, Any]:
    with reading(table) as reader:
        kinds = kinds_of(game_of(table.config).make(table.config))
        return statistics(reader, 1, reader.last_sequence, kinds)


def seen(counts: Mapping[str, Any], kind: str) -> dict[str, int]:
    (rows,) = (each["rows"] for each in counts["counts"] if each["kind"] == kind)
    return {row["name"]: row["observed"] for row in rows if row["observed"]}


def standing_in(explanation: Explanation) -> list[str]:
    """The ids of the messages that are told as counting, of those that the reader in the documentation keeps."""
    messages = (each for step in explanation.steps for each in step.messages)
    return [
        each.id
        for each in messages
        if each.data.get("round_id") == explanation.round_id
        and not each.struck
        and not each.type.startswith(("fault.", "audit."))
        and each.type not in NOT_OF_THE_FOLD
    ]


def end_in(read: Mapping[str, Any], round_id: str) -> tuple[str, Any]:
    """How the reader in the documentation has it: settled, void or open, and what it came to."""
    end = read["ends"].get(round_id)
    if end is None:
        return "open", None
    if end.get("void") is not None or ("reason" in end and "settlement" not in end):
        return "void", (end.get("void") or end)["returned"]
    return "settled", end.get("result") or end["settlement"]


# --- all scenarios, by the reader in the documentation


@pytest.mark.parametrize(
    ("path", "language"), [*zip(AMENDING, cycle(LANGUAGES), strict=False)], ids=[path.stem for path in AMENDING]
)
def test_whatever_looks_back_agrees_with_the_reader_in_the_documentation(
    path: Path, language: Language, tmp_path: Path
) -> None:
    table = recorded(path, tmp_path / "state")
    read = read_by_the_document(table.events)
    ends = {round_id: end_in(read, round_id) for round_id in table.rounds}
    _see_that_rounds_agree(table, read, ends)
    _see_that_counts_agree(table, ends)
    _see_that_proofs_agree(table, ends)
    _see_that_a_case_agrees(table, language)


def _see_that_rounds_agree(table: Recorded, read: Mapping[str, Any], ends: Mapping[str, tuple[str, Any]]) -> None:
    with reading(table) as reader:
        lines = list(rounds_back(reader, make_renderers()))
        for language in LANGUAGES:
            assert len(list(text_of_rounds(lines, make_renderers(), language, 80))) > len(lines)
    assert {line.round_id: line.end for line in lines} == {name: end for name, (end, _) in ends.items()}
    for round_id, (end, result) in ends.items():
        found = told_of(table, round_id)
        assert standing_in(found) == list(read["rounds"][round_id])
        assert found.end == ("" if end == "open" else end)
        assert [*found.returned] == (result if end == "void" else [])
        assert found.settled.get("settlement") == (result if end == "settled" else None)
        if round_id in read["nets"]:
            nets = {each["bettor"]: each["net"] for each in found.corrections[-1]["settlement"]["bettors"]}
            assert nets == read["nets"][round_id]
        for language in LANGUAGES:
            assert "explain." not in "\n".join(text_of(found, make_renderers(), language))
            assert "tail." not in html_of(found, make_renderers(), language)


def _see_that_counts_agree(table: Recorded, ends: Mapping[str, tuple[str, Any]]) -> None:
    settled = [round_id for round_id, (end, _) in ends.items() if end == "settled"]
    counts = counted(table)
    assert counts["rounds"]["settled"] == len(settled)
    assert counts["rounds"]["void"] == [end for end, _ in ends.values()].count("void")
    shown = on_the_board(table)
    assert [each["round_id"] for each in shown["last"]] == settled
    with reading(table) as reader:
        game = game_of(table.config).make(table.config)
        board = board_of(reader, "site/table", game.name, kinds_of(game), ("", ""), NOW_US)
        for language in LANGUAGES:
            assert list(board_text(board, make_renderers(), language, 80))
    last = LastRound()
    last.take(stored(table))
    over = [round_id for round_id, (end, _) in ends.items() if end != "open"]
    assert (last.result or {}).get("round_id") == (over[-1] if over else None)
    if last.result is not None:
        end, result = ends[over[-1]]
        assert (last.result["returned"] if last.result["void"] else last.result["settlement"]) == result
        assert last.result["void"] == (end == "void")


def _see_that_proofs_agree(table: Recorded, ends: Mapping[str, tuple[str, Any]]) -> None:
    for round_id, (end, _) in ends.items():
        with reading(table) as reader:
            proof = make_proof(reader, round_id, None)
        assert judge(proof, proof.public).ended == (end != "open")


def _see_that_a_case_agrees(table: Recorded, language: Language) -> None:
    target = table.folder.parent / "case"
    with reading(table) as reader:
        explain = partial(explained, config=table.config)
        making = Making(make_renderers(), explain, language, 0, "1", signing_key(table.folder))
        make_case(reader, moment_of(reader, table.rounds[0], 5, NOW_US), target, making)
        key = fingerprint(reader.public_key())
    checked = CliRunner().invoke(case, ["verify", str(target), "--key", key])
    assert (checked.exit_code, checked.stderr) == (0, "")
    state = json.loads((target / "state.json").read_text("utf-8"))
    assert state["round_id"] in {None, *table.rounds}


# --- what they tell, by right values


def table_after(name: str, tmp_path: Path) -> Recorded:
    return recorded(SCENARIOS / f"{name}.toml", tmp_path / "state")


def in_english(explanation: Explanation) -> str:
    """All of it in one line, as lines are broken anywhere."""
    return " ".join(" ".join(text_of(explanation, make_renderers(), "en")).split())


def test_an_amendment_is_told_in_plain_words(tmp_path: Path) -> None:
    table = table_after("q_amend_decision_taken_back", tmp_path)
    text = in_english(told_of(table, table.rounds[0]))
    assert f"round {table.rounds[0]} amended: she withdrew (dealer, supervisor)" in text
    assert "record 20, Decision: recorded place 1, ann, plays; in fact place 1, ann, withdraws" in text
    assert "to take back: ann, 150.00" in text
    assert "entered a decision: place 1, ann, plays ✎ put right by record 23" in text
    assert "[struck] place 1, ann: plays" in text


@pytest.mark.parametrize("language", LANGUAGES)
def test_an_amendment_is_told_in_every_language(language: Language, tmp_path: Path) -> None:
    table = table_after("q_amend_incomplete", tmp_path)
    found = told_of(table, table.rounds[0])
    (message,) = (each for step in found.steps for each in step.messages if each.type == "round.amended.v1")
    said = [line.strip() for line in message.shown(language)]
    assert len(said) == 1 + 6 + 2  # what, six changes, two who get more
    assert not [line for line in said if "amended_" in line or "{" in line or "open_hand" in line]


def test_the_console_explains_and_lists_an_amended_round(tmp_path: Path) -> None:
    table = table_after("q_amend_void_struck", tmp_path)
    archive = JournalArchive(load(shipped("tables/q-poker.demo.toml"), {"paths.state": str(table.folder)}))
    found = asyncio.run(archive.round(table.rounds[0]))
    assert (found["end"], found["amended"]) == ("settled", 1)
    assert [step["fact"]["body"]["reason"] for step in found["steps"] if step["struck"]] == ["the wrong table"]
    listed = asyncio.run(archive.rounds(None, 9, "", "settled"))
    assert [each["round_id"] for each in listed["rounds"]] == table.rounds


def test_an_amendment_that_was_struck_marks_nothing_but_itself(tmp_path: Path) -> None:
    table = table_after("q_amend_amendment_struck", tmp_path)
    found = told_of(table, table.rounds[0])
    assert {step.record: (step.amended_by, step.struck) for step in found.steps if step.amended_by} == {23: (24, True)}
    assert found.money is not None
    assert [(each.name, each.net) for each in found.money.bettors] == [("ann", "100.00"), ("bob", "50.00")]


def test_stated_face_down_card_is_told_nowhere(tmp_path: Path) -> None:
    table = table_after("q_amend_face_down", tmp_path)
    (first,) = (step for step in told_of(table, table.rounds[0]).steps if step.record == 9)
    (refused, _) = (step for step in told_of(table, table.rounds[0]).steps if step.fact.name == "round_amended")
    assert (first.fact.body["card"], refused.fact.hides) == ("??", True)
    assert refused.refused is not None
    assert "Ac" not in json.dumps(refused.fact.body)


def test_reopened_and_settled_void_round_is_settled_everywhere(tmp_path: Path) -> None:
    table = table_after("q_amend_void_struck", tmp_path)
    (round_id,) = table.rounds
    line, found = line_of(table, round_id), told_of(table, round_id)
    assert (line.end, line.result, line.article, line.corrected) == ("settled", "high_card", "", False)
    assert (found.end, found.result, found.returned) == ("settled", "high_card", ())
    assert found.last == line.last == len(table.events)
    with reading(table) as reader:
        proof = make_proof(reader, round_id, None)
    shown = judge(proof, proof.public)
    assert (shown.ended, shown.last.kind, shown.last.sequence) == (True, "round.settled.v1", len(table.events))
    assert shown.corrections == 0


def test_round_that_was_settled_opened_again_and_settled_counts_once(tmp_path: Path) -> None:
    table = table_after("w_amend_too_few_turns", tmp_path)
    counts = counted(table)
    assert counts["rounds"] == {"settled": 1, "void": 0, "irregular": 1}
    assert (seen(counts, "symbols"), seen(counts, "sections")) == ({"symbol_3": 1}, {"4": 1})
    shown = on_the_board(table)
    assert (shown["rounds"], shown["counts"]) == (1, {"symbol_3": {"count": 1}})


def test_settled_round_that_an_amendment_makes_void_has_no_result(tmp_path: Path) -> None:
    table = table_after("q_amend_card_at_another_bettors_place", tmp_path)
    (round_id,) = table.rounds
    assert counted(table)["rounds"] == {"settled": 0, "void": 1, "irregular": 1}
    assert on_the_board(table)["last"] == []
    line, found = line_of(table, round_id), told_of(table, round_id)
    assert (line.end, line.article, line.corrected) == ("void", "11(1)", True)
    assert (found.end, found.article, found.money, found.settled) == ("void", "11(1)", None, {})
    assert [(each["bettor"], each["stake"]) for each in found.returned] == [("ann", "100.00"), ("bob", "50.00")]


def test_settled_round_that_is_amended_counts_by_what_is_so(tmp_path: Path) -> None:
    table = table_after("w_amend_sensor_wrong_after_the_end", tmp_path)
    (round_id,) = table.rounds
    counts = counted(table)
    assert (seen(counts, "symbols"), seen(counts, "sections")) == ({"symbol_3": 1}, {"4": 1})
    assert on_the_board(table)["counts"] == {"symbol_3": {"count": 1}}
    line, found = line_of(table, round_id), told_of(table, round_id)
    assert (line.end, line.result, line.corrected) == ("settled", "symbol_3", True)
    assert found.money is not None
    assert [(each.name, each.net) for each in found.money.bettors] == [("ann", "-100.00"), ("bob", "100.00")]


async def test_board_filled_from_journal_is_one_that_was_kept_up(tmp_path: Path) -> None:
    for name in ("w_amend_too_few_turns", "w_amend_sensor_wrong_after_the_end"):
        table = await asyncio.to_thread(recorded, SCENARIOS / f"{name}.toml", tmp_path / name)
        log, filled, last = Log(stored(table)), Board("wheel_of_fortune"), LastRound()
        filled.take(log.events[-1:])
        await filled.look_back(log)
        await last.look_back(log)
        kept = LastRound()
        kept.take(log.events)
        assert filled.form() == await asyncio.to_thread(on_the_board, table)
        assert last.result == kept.result
        rounds = [(each.round_id, each.end) for each in await last_rounds(log, 9)]
        assert rounds == [(table.rounds[0], "settled")]


def test_display_shows_no_result_of_round_that_is_open_again(tmp_path: Path) -> None:
    table = table_after("q_amend_void_struck", tmp_path)
    last = LastRound()
    for event in stored(table):
        last.take([event])
        if b"round.reopened.v1" in event.payload:
            assert last.result is None
    assert last.result is not None
    assert [(each["place"], each["stake"]) for each in last.result["bets"]] == [(1, "100.00"), (2, "50.00")]


def test_state_of_a_case_names_the_open_round_only(tmp_path: Path) -> None:
    table = table_after("d_amend_capital_of_next_round", tmp_path)
    with reading(table) as reader:
        making = Making(make_renderers(), partial(explained, config=table.config), "en", 0, "1")
        make_case(reader, moment_of(reader, f"event:{reader.last_sequence}", 5, NOW_US), tmp_path / "case", making)
    state = json.loads((tmp_path / "case" / "state.json").read_text("utf-8"))
    assert state["round_id"] == table.rounds[1]


def test_a_round_that_is_open_again_is_over_nowhere(tmp_path: Path) -> None:
    scenarios = Path(shutil.copytree(SCENARIOS, tmp_path / "scenarios"))
    whole = (scenarios / "q_amend_void_struck.toml").read_text("utf-8")
    path = scenarios / "open_again.toml"
    path.write_text(whole.partition('  {ask = "decide"')[0] + "]\n", "utf-8")
    table = recorded(path, tmp_path / "state")
    (round_id,) = table.rounds
    line, found = line_of(table, round_id), told_of(table, round_id)
    assert (line.end, line.ended, line.result, line.article) == ("open", "", "", "")
    assert (found.end, found.ended, found.article, found.returned) == ("", "", "", ())
    assert counted(table)["rounds"] == {"settled": 0, "void": 0, "irregular": 0}
    with reading(table) as reader:
        proof = make_proof(reader, round_id, None)
        with pytest.raises(OpenRoundError):
            make_proof(reader, round_id, None, only_ended=True)
        moment = moment_of(reader, round_id, 0, NOW_US)
    assert not judge(proof, proof.public).ended
    assert moment.sequence == len(table.events)
    config = load(shipped("tables/q-poker.demo.toml"), {"paths.state": str(table.folder)})
    with pytest.raises(RestoreError, match="open_round"):
        restore(config, None)
