"""`tablectl explain`: a round as the journal has it, whatever state the table is in, face-down cards left out."""

import json
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from decimal import Decimal
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from drivers.link.frame import Frame, FrameType, encode_frame
from drivers.shoe.link import EVENTS, Drawn
from tablectl.core.cards import Card
from tablectl.core.facts import Bookmarked, FairnessWeighed, FaultRaised
from tablectl.core.facts.game_requests import CardExposed, HandOpened, PackConfirmed
from tablectl.core.facts.reports import DeviceNoted
from tablectl.core.facts.table_requests import (
    BetOffered,
    BettingClosed,
    Correction,
    Material,
    MaterialNamed,
    RoundCorrected,
    RoundOpened,
    RoundVoided,
)
from tablectl.core.faults import Code
from tablectl.features.rounds.explain_cli import explain
from tablectl.features.rounds.explain_html import html_of
from tablectl.history.explain.model import Explanation
from tablectl.history.explain.text import text_of
from tablectl.history.explanation import explained, make_renderers
from tablectl.journal.journal import open_journal
from tablectl.journal.reading.reader import open_reader
from tablectl.journal.reading.rows import Remembered
from tablectl.words import LANGUAGES, Language, catalogue
from tablectl.words.terminal import cells
from tests.proof.journals import LATER_US
from tests.support.kept import CARDS, Kept, config, names_of_cards, played, shoe_frame
from tests.tools.spoken import foreign


def run(folder: Path, round_id: str, *options: str) -> Result:
    return CliRunner().invoke(explain, [round_id, "--journal", str(folder), *options])


def of(folder: Path, round_id: str, *, worked_out: bool = False) -> Explanation:
    with closing(open_reader(folder)) as reader:
        return explained(reader, round_id, config(folder) if worked_out else None)


def everything(folder: Path, round_id: str) -> str:
    """The explanation in every form and language."""
    texts = [run(folder, round_id, "--json").stdout]
    for language in LANGUAGES:
        texts.append(run(folder, round_id, "--lang", language).stdout)
        page = folder.parent / f"{round_id}.{language}.html"
        assert run(folder, round_id, "--lang", language, "--html", str(page)).exit_code == 0
        texts.append(page.read_text("utf-8"))
        page.unlink()
    return "\n".join(texts)


def test_round_is_explained_from_frames_to_messages(tmp_path: Path) -> None:
    (_, round_id) = played(tmp_path / "state", 2)
    found = of(tmp_path / "state", round_id)
    assert (found.end, found.game, found.result) == ("settled", "q_poker", "high_card")
    drawn = [step for step in found.steps if step.fact.name == "card_drawn"]
    assert len(drawn) == 9
    (frame,) = drawn[0].frames
    assert (frame.said, frame.times) == ("seq 9: CardDrawn (in_game True, target player, index 1, card As)", 3)
    assert frame.hex == shoe_frame("As", 9).hex(" ")
    assert drawn[0].fact.text["en"] == "a card left the shoe: A♠"
    assert (drawn[0].fact.source, drawn[0].fact.clock, drawn[0].fact.error_us) == ("shoe", "synced", 850)
    (message,) = drawn[0].messages
    assert (message.type, message.rule, message.topic) == ("card.dealt.v1", "7", "event/card")
    assert message.text["pt"] == ["carta 1 com a face para baixo: lugar 1"]


def test_a_round_is_found_by_its_number_alone(tmp_path: Path) -> None:
    rounds = played(tmp_path / "state", 2)
    for number, round_id in enumerate(rounds, 1):
        assert round_id.endswith(f"-{number:06d}")
        for given in (str(number), f"{number:06d}"):
            assert run(tmp_path / "state", given).stdout == run(tmp_path / "state", round_id).stdout


def test_a_number_of_no_round_is_told(tmp_path: Path) -> None:
    played(tmp_path / "state", 2)
    for given in ("0", "3", "9" * 18):
        result = run(tmp_path / "state", given)
        assert (result.exit_code, result.stderr) == (1, f"tablectl explain: the journal has no round {given}\n")


def test_messages_of_an_explanation_are_the_rounds_without_a_gap(tmp_path: Path) -> None:
    (round_id,) = played(tmp_path / "state")
    found = of(tmp_path / "state", round_id)
    numbers = [each.sequence for step in found.steps if step.when == "round" for each in step.messages]
    assert numbers == list(range(found.first, found.last + 1))


def test_preparing_the_pack_stands_before_its_round_only(tmp_path: Path) -> None:
    (_, round_id) = played(tmp_path / "state", 2)
    before = [step.fact.name for step in of(tmp_path / "state", round_id).steps if step.when == "before"]
    assert before == ["pack_confirmed"]


def test_the_money_of_a_round_sums_to_zero(tmp_path: Path) -> None:
    (round_id,) = played(tmp_path / "state")
    money = of(tmp_path / "state", round_id).money
    assert money is not None
    assert [(each.name, each.net) for each in money.bettors] == [("bettor1", "100.00"), ("bettor2", "-100.00")]
    assert (money.house, money.commission, money.sum) == ("0.00", "0.00", "0.00")


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_text_fits_eighty_columns_and_has_no_colour(tmp_path: Path, language: str) -> None:
    (round_id,) = played(tmp_path / "state")
    lines = run(tmp_path / "state", round_id, "--lang", language).stdout.splitlines()
    assert max(map(cells, lines)) <= 80
    assert not any("\x1b" in line for line in lines)
    assert "explain." not in "".join(lines)


def test_face_down_cards_are_in_no_form_of_an_explanation(kept: Kept) -> None:
    kept.bets(1, 2)
    round_id = kept.round_id
    kept.draw(*CARDS[:9])
    kept.tell(HandOpened(1))
    kept.tell(RoundVoided("the fire alarm rang"), by="rui")
    kept.keep()
    told = everything(kept.folder, round_id)
    opened = {0, 3, 6}
    for nth, card in enumerate(CARDS[:9]):
        found = [name for name in names_of_cards(card, nth) if name in told]
        assert bool(found) is (nth in opened), (card, found)
    assert "(hidden)" in told


def test_card_is_hidden_until_its_hand_is_opened(kept: Kept) -> None:
    kept.bets(1)
    round_id = kept.round_id
    kept.draw(*CARDS[:6])
    kept.keep()
    before = everything(kept.folder, round_id)
    assert not any(name in before for nth, card in enumerate(CARDS[:6]) for name in names_of_cards(card, nth))
    kept.tell(HandOpened(1))
    kept.keep()
    after = everything(kept.folder, round_id)
    assert all(name in after for name in names_of_cards("As", 0) if "span" not in name)
    assert not any(name in after for name in names_of_cards("Qd", 1))


def test_accidentally_shown_card_is_told_alone(kept: Kept) -> None:
    kept.bets(1)
    round_id = kept.round_id
    kept.draw(*CARDS[:6])
    kept.tell(CardExposed(1, 2))
    kept.keep()
    told = everything(kept.folder, round_id)
    assert all(name in told for name in names_of_cards(CARDS[2], 2) if "span" not in name)
    assert not any(name in told for nth in (0, 4) for name in names_of_cards(CARDS[nth], nth))


def test_cards_that_the_dealer_named_in_vain_are_not_told(kept: Kept) -> None:
    kept.bets(1)
    round_id = kept.round_id
    kept.draw(*CARDS[:5])
    kept.tell(HandOpened("dealer", (Card("Kd"), Card("2c"), Card("8h"))))
    kept.keep()
    told = everything(kept.folder, round_id)
    assert not any(name in told for name in ('"Kd"', "K♦", '"8h"', "8♥"))
    assert of(kept.folder, round_id).steps[-1].fact.hides


def test_neither_of_two_equal_cards_is_told_too_early(kept: Kept) -> None:
    kept.bets(1)
    round_id = kept.round_id
    kept.draw(*CARDS[:6])
    kept.tell(HandOpened(1))
    kept.draw("As")
    kept.keep()
    drawn = [step for step in of(kept.folder, round_id).steps if step.fact.name == "card_drawn"]
    assert [step.fact.body["card"] for step in drawn] == ["??", "??", "Kd", "??", "4c", "??", "??"]


def test_what_shoe_reckons_of_face_down_cards_is_not_told(kept: Kept) -> None:
    kept.bets(1)
    round_id = kept.round_id
    kept.tell(DeviceNoted("shoe", "result", "banker player_pair"))
    kept.keep()
    told = everything(kept.folder, round_id)
    assert "player_pair" not in told


def test_a_bettor_who_is_called_like_a_card_opens_none(kept: Kept) -> None:
    kept.tell(PackConfirmed())
    kept.tell(RoundOpened())
    kept.tell(BetOffered(1, "2c", "versus_dealer", 10_000))
    kept.tell(BettingClosed())
    round_id = kept.round_id
    kept.draw(*CARDS[:6])
    kept.tell(HandOpened(1))
    kept.keep()
    drawn = [step.fact.body["card"] for step in of(kept.folder, round_id).steps if step.fact.name == "card_drawn"]
    assert drawn == ["As", "??", "Kd", "??", "4c", "??"]


def test_shoe_on_our_link_shows_message_without_bytes(kept: Kept) -> None:
    kept.bets(1)
    round_id = kept.round_id
    payload = EVENTS.encode(Drawn(14, 4))
    at_us = kept.sitting.facts[-1].at.utc_us
    kept.draw(*CARDS[:1])
    raw = encode_frame(Frame(FrameType.EVENT, seq=1, boot=7, payload=payload))
    line = {"utc_us": at_us + 500_000, "mono_ns": 1, "device": "linked", "way": "in", "hex": raw.hex()}
    kept.captured.append(json.dumps(line, separators=(",", ":")))
    kept.keep()
    frames = [frame for step in of(kept.folder, round_id).steps for frame in step.frames if frame.device == "linked"]
    assert [(frame.said.split()[0], ":" in frame.said, frame.hex) for frame in frames] == [("EVENT", False, None)]


def test_a_bookmark_after_the_round_stands_not_in_it(kept: Kept) -> None:
    round_id = kept.play()
    kept.tell(Bookmarked("look at place 1", 12), by="mei")
    kept.keep()
    assert "look at place 1" not in run(kept.folder, round_id).stdout


def test_correction_stands_after_its_round_despite_later_ones(kept: Kept) -> None:
    round_id = kept.play()
    kept.play()
    changes = (Correction("bettor1", -5_000),)
    kept.tell(RoundCorrected(round_id, "a bet was misread", changes), by="rui", second="sam")
    kept.keep()
    found = of(kept.folder, round_id)
    after = [step for step in found.steps if step.when == "after"]
    assert [step.fact.name for step in after] == ["round_corrected"]
    (correction,) = found.corrections
    assert correction["changes"] == [{"bettor": "bettor1", "amount": "-50.00"}]
    assert found.last - found.first == 18
    (was,) = [each.net for each in found.money.bettors if each.name == "bettor1"] if found.money else []
    said = run(kept.folder, round_id).stdout
    assert "corrected later: a bet was misread (rui, sam)\n" in said
    assert f"bettor1 -50.00, now {Decimal(was) - 50} in all\n" in said
    page = kept.folder.parent / "round.html"
    assert run(kept.folder, round_id, "--html", str(page)).exit_code == 0
    assert f"bettor1 -50.00, now {Decimal(was) - 50} in all" in page.read_text("utf-8")


def test_two_corrections_are_told_each_once_and_in_order(kept: Kept) -> None:
    round_id = kept.play()
    for amount in (-5_000, 2_000):
        changes = (Correction("bettor1", amount),)
        kept.tell(RoundCorrected(round_id, f"by {amount}", changes), by="rui", second="sam")
    kept.keep()
    corrections = of(kept.folder, round_id).corrections
    assert [each["reason"] for each in corrections] == ["by -5000", "by 2000"]
    nets = [Decimal(each["settlement"]["bettors"][0]["net"]) for each in corrections]
    assert nets[1] - nets[0] == 20


def test_refusal_is_told_with_its_article_where_configuration_is_named(kept: Kept) -> None:
    kept.bets(1)
    round_id = kept.round_id
    kept.draw(*CARDS[:3])
    kept.tell(HandOpened(1))
    kept.keep()
    assert "no_refusals" in of(kept.folder, round_id).missing
    found = of(kept.folder, round_id, worked_out=True)
    (refused,) = (step.refused for step in found.steps if step.refused)
    assert (refused.article, set(refused.text)) == ("9(1)", set(LANGUAGES))
    assert "no_refusals" not in found.missing


def test_materials_in_use_at_the_opening_are_named(kept: Kept) -> None:
    kept.tell(MaterialNamed(Material.PACK, "P-17"), by="ana")
    kept.tell(MaterialNamed(Material.SHOE, "S-2"), by="ana")
    kept.tell(PackConfirmed())
    kept.tell(RoundOpened())
    kept.tell(MaterialNamed(Material.PACK, "P-18"), by="ana")
    found = of(kept.folder, kept.round_id, worked_out=True)
    assert [(each["kind"], each["name"], each["by"]) for each in found.materials] == [
        ("pack", "P-17", "ana"),
        ("shoe", "S-2", "ana"),
    ]
    renderers = make_renderers()
    assert "pack P-17: in use since" in "\n".join(text_of(found, renderers, "en"))
    assert "baralho P-17: em uso desde" in html_of(found, renderers, "pt")


def test_table_in_fault_and_with_its_journal_open_is_explained(kept: Kept) -> None:
    kept.bets(1)
    round_id = kept.round_id
    kept.tell(FaultRaised(Code.STORAGE_FAILED, "", "disk full"))
    result = run(kept.folder, round_id)
    assert result.exit_code == 0
    assert "not over yet" in result.stdout
    assert "disk full" in result.stdout


def test_a_round_without_captures_says_so(tmp_path: Path) -> None:
    (round_id,) = played(tmp_path / "state")
    shutil.rmtree(tmp_path / "state" / "capture")
    result = run(tmp_path / "state", round_id)
    assert result.exit_code == 0
    assert "No frames" in result.stdout


def test_capture_that_is_damaged_or_still_written_hides_nothing_else(kept: Kept) -> None:
    round_id = kept.play()
    at = json.loads(kept.captured[0])["utc_us"]
    kept.keep([f'{{"utc_us":{at},"device":"shoe"', "nonsense", "[" * 100_000])
    found = of(kept.folder, round_id)
    assert "damaged_capture" in found.missing
    assert sum(len(step.frames) for step in found.steps) == 9


def test_captured_line_of_a_later_year_hides_nothing_behind_it(kept: Kept) -> None:
    round_id = kept.play()
    kept.captured.insert(4, json.dumps({**json.loads(kept.captured[0]), "utc_us": LATER_US}, separators=(",", ":")))
    kept.keep()
    found = of(kept.folder, round_id)
    assert sum(len(step.frames) for step in found.steps) == 9


def test_pruned_and_unknown_rounds_are_reported_on_one_line(tmp_path: Path) -> None:
    ids = played(tmp_path / "state", 30)
    result = run(tmp_path / "state", "5eed0001-999999")
    assert (result.exit_code, result.stdout) == (1, "")
    assert "has no round" in result.stderr
    with closing(open_journal(tmp_path / "state")) as journal:
        assert journal.meta(Remembered.PUBLISHED)
        journal.prune(256)
    result = run(tmp_path / "state", ids[0])
    assert (result.exit_code, result.stdout) == (1, "")
    assert "up to 256 were pruned" in result.stderr


@pytest.mark.parametrize("name", ["", "../../etc/passwd", "r" * 65, "%", "a b"])
def test_what_is_no_rounds_name_is_refused(tmp_path: Path, name: str) -> None:
    played(tmp_path / "state")
    assert run(tmp_path / "state", name).exit_code == 1


def alter(query: str) -> Callable[[Path], None]:
    def altered(folder: Path) -> None:
        with closing(sqlite3.connect(folder / "journal.db")) as file:
            file.execute(query)
            file.commit()

    return altered


@pytest.mark.parametrize(
    "damage",
    [
        alter("UPDATE record SET body = x'00ff' WHERE number = 9"),
        alter("UPDATE record SET body = CAST('{\"fact\": 3}' AS BLOB) WHERE number = 9"),
        alter('UPDATE record SET body = CAST(\'{"body": {}, "at": {}}\' AS BLOB) WHERE number = 9'),
        alter("UPDATE event SET payload = CAST('[]' AS BLOB) WHERE sequence = 7"),
        alter("UPDATE event SET payload = CAST('{\"data\": 3}' AS BLOB) WHERE sequence = 7"),
    ],
)
def test_journal_with_foreign_rows_is_explained_or_refused(tmp_path: Path, damage: Callable[[Path], None]) -> None:
    (round_id,) = played(tmp_path / "state")
    damage(tmp_path / "state")
    result = run(tmp_path / "state", round_id)
    assert result.exit_code in {0, 2}
    assert result.exception is None or isinstance(result.exception, SystemExit)


def test_the_page_fetches_nothing_and_escapes_what_people_typed(kept: Kept) -> None:
    kept.tell(RoundOpened())
    kept.bets()
    kept.tell(BetOffered(1, "<script>alert(1)</script>", "versus_dealer", 10_000))
    round_id = kept.round_id
    page = kept.folder.parent / "page.html"
    assert run(kept.folder, round_id, "--html", str(page)).exit_code == 0
    text = page.read_text("utf-8")
    assert "<script" not in text
    assert "http" not in text.replace("http-equiv", "")
    assert "default-src 'none'" in text
    again = run(kept.folder, round_id, "--html", str(page))
    assert (again.exit_code, "is there already" in again.stderr) == (2, True)


def test_one_of_configuration_and_journal_is_named(tmp_path: Path) -> None:
    result = CliRunner(env={"TABLECTL_CONFIG_DIR": str(tmp_path)}).invoke(explain, ["r1"])
    assert (result.exit_code, "which table?" in result.stderr) == (2, True)
    result = CliRunner().invoke(explain, ["r1", "--config", "a", "--journal", "b"])
    assert (result.exit_code, "either --config or --journal" in result.stderr) == (2, True)
    result = CliRunner().invoke(explain, ["r1", "--journal", str(tmp_path)])
    assert (result.exit_code, "holds no journal" in result.stderr) == (2, True)


def test_of_endless_frames_the_last_before_the_fact_are_shown(kept: Kept) -> None:
    kept.bets(1)
    round_id = kept.round_id
    at_us = kept.sitting.facts[-1].at.utc_us
    for nth in range(100):
        line = {"utc_us": at_us - 100_000 + 900 * nth, "mono_ns": 1, "device": "wheel", "way": "in"}
        said = f"s 0E {nth:08X} {nth:08X} !\r\n".encode()
        kept.captured.append(json.dumps({**line, "hex": said.hex()}, separators=(",", ":")))
    kept.keep()
    steps = [step for step in of(kept.folder, round_id).steps if step.frames]
    assert [step.fact.name for step in steps] == ["betting_closed"]
    frames = steps[0].frames
    assert (len(frames), frames[0].more) == (8, 92)


SUBJECTS = {
    "direction": "W-1 ccw",
    "speed": "W-1 50",
    "sums": "3",
    "draws": "draw",
    "returns": "pair_or_better",
    "dealer_returns": "rui symbol_2",
    "wheel_returns": "W-1 symbol_2",
}
"""The subjects of streams whose subject is more than the name of a wheel or a dealer."""


@pytest.mark.parametrize("language", ["pt", "zh-Hant"])
def test_grown_evidence_is_told_in_the_pages_language(kept: Kept, language: Language) -> None:
    streams = [key.removeprefix("fairness.stream.") for key in catalogue("en") if key.startswith("fairness.stream.")]
    kept.bets(1)
    for stream in streams:
        kept.tell(FairnessWeighed(stream, SUBJECTS.get(stream, "W-1"), "2.000000001", 90, "5.284", alarm=False))
    kept.keep()
    told = [step.fact.text[language] for step in of(kept.folder, kept.round_id).steps]
    said = [each for each in told if each.startswith(catalogue(language)["explain.fact.fairness_weighed"])]
    assert len(set(said)) == len(streams) >= 15
    assert foreign("\n".join(said), language, {"W-1", "rui"}) == set()
