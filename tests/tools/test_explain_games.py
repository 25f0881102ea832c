"""Rounds of every game explained, as they were played with simulated devices: whole, in words, nothing hidden told."""

import csv
import io
import json
import re
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, fields
from decimal import Decimal
from pathlib import Path
from typing import Any, get_args

import pytest
from click.testing import CliRunner

from tablectl import words
from tablectl.cli import main
from tablectl.config import load
from tablectl.config.models import Config
from tablectl.core.cards import PACK
from tablectl.core.events import KINDS
from tablectl.core.facts import Body
from tablectl.core.outcomes import Spin
from tablectl.features.rounds.explain_html import html_of
from tablectl.history.explain.model import Explanation
from tablectl.history.explain.phrases import _ASIDE, _SAID
from tablectl.history.explain.text import text_of
from tablectl.history.explanation import explained, make_renderers
from tablectl.history.rounds import rounds_back
from tablectl.journal.reading.reader import JournalReader, open_reader
from tablectl.players.moves import PEOPLE
from tablectl.rule_tables import game_record, shipped
from tablectl.words import LANGUAGES, Language
from tablectl.words.terminal import cells
from tests.support.demo import EVENTFUL, MISHAPS, evening
from tests.support.long import by_turn
from tests.tools.spoken import faulty, foreign

CITED = {name: game_record(name).articles for name in (game.replace("-", "_") for game in MISHAPS)}
CARDS = frozenset(map(str, PACK))


REASONS = (*(words.text(f"demo.reason.{nth}", "en") for nth in range(3)), words.text("demo.amended", "en"))
"""Why a demonstration's people void or amend a round, in the language of the demonstration."""

NAMES = ("ana", "rui", "tablectl", "simulated", "US Digital", "QSB", "symbol_8", *REASONS)
"""Who serves at a demonstration's table, what its devices call themselves, a bet that there isn't, what was said."""

FRAME_LINES = re.compile(r"^ +\d\d:\d\d:\d\d\.\d+ \S+ [<>] .*$(?:\n {8}.*$)*", re.MULTILINE)
FRAME = re.compile(r'<div class="frame">.*?</div>')
"""What was said on a link: in its protocol's own words, which docs/protocols explains, and in its bytes."""


@dataclass(frozen=True)
class Past:
    """Some rounds, and where they are kept."""

    folder: Path
    reader: JournalReader
    config: Config
    rounds: Sequence[Explanation]


def snake(name: str) -> str:
    return re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_fact_has_its_words(language: words.Language) -> None:
    known = words.catalogue(language)
    assert [kind.__name__ for kind in get_args(Body) if f"explain.fact.{snake(kind.__name__)}" not in known] == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_field_of_a_fact_has_words_or_none(language: words.Language) -> None:
    known = words.catalogue(language)
    names = {each.name for kind in (*get_args(Body), Spin) for each in fields(kind)}
    assert sorted(name for name in names - _ASIDE - _SAID.keys() if f"explain.field.{name}" not in known) == []


def test_rules_are_named_for_events_that_there_are() -> None:
    kinds = {kind.removesuffix(".v1") for _, kind in KINDS.values()}
    assert {kind for rules in CITED.values() for kind in rules} <= kinds
    articles = [article for rules in CITED.values() for rule in rules.values() for article in rule.split(", ")]
    assert [article for article in articles if not re.fullmatch(r"\d+(\([a-z0-9]+\))?", article)] == []


@pytest.mark.parametrize("game", MISHAPS)
def test_every_cited_article_is_on_its_laws_page(game: str) -> None:
    name = game.replace("-", "_")
    page = (Path(__file__).parents[2] / "docs" / "reference" / "law" / f"{name}.md").read_text("utf-8")
    known = set(re.findall(r"^\| ([0-9a-z.]+) \|", page, re.MULTILINE))
    for rule in CITED[name].values():
        for article in rule.split(", "):
            number = article.replace("(", ".").replace(")", "")
            assert any(each == number or each.startswith(f"{number}.") for each in known), article


def exported(folder: Path, rows: str, *more: str) -> list[dict[str, str]]:
    """What `journal export --of` writes."""
    result = CliRunner().invoke(main, ["journal", "export", str(folder), "--of", rows, *more])
    assert result.exit_code == 0, result.output
    return list(csv.DictReader(io.StringIO(result.stdout, newline="")))


@pytest.fixture(name="past", scope="module", params=[pytest.param(game, marks=pytest.mark.slow) for game in MISHAPS])
def _past(request: pytest.FixtureRequest, run_folder: Path, mosquitto: Path) -> Iterator[Past]:
    """A game's rounds, as its demonstration plays them: an ordinary one, and one with each mishap."""
    kept = evening(run_folder, EVENTFUL[request.param]).folder
    with closing(open_reader(kept / "state")) as reader:
        config = load(shipped(f"tables/{request.param}.demo.toml"), {})
        rounds = [explained(reader, line.round_id, config) for line in rounds_back(reader, make_renderers())]
        assert len(rounds) == 1 + len(MISHAPS[request.param])
        yield Past(kept / "state", reader, config, rounds)


def test_rounds_of_every_game_are_explained_publicly_and_whole(past: Past) -> None:
    unread = [found for found in past.rounds if found.end == "settled" and not any(step.frames for step in found.steps)]
    assert len(unread) <= 1  # the dice that the dealer entered from the first throw on
    for found in past.rounds:
        assert found.end in {"settled", "void"}
        assert found.money is None or found.money.sum == "0.00"
        assert (found.money is None) is (found.end == "void")
        assert set(cards_in(_own(found.form(), found.round_id))) <= public_cards(past.reader, found.round_id)
        for language in LANGUAGES:
            lines = list(text_of(found, make_renderers(), language))
            assert max(map(cells, lines)) <= 80
            assert [(line, wrong) for line in lines for wrong in faulty(line, language)] == []
            # Neither a key in a text's place, nor an event as its type and fields.
            assert not [line for line in lines if re.search(r"\bexplain\.|\btail\.|[a-z]\.v\d\b", line)]
            assert html_of(found, make_renderers(), language).count("<main>") == 1


def test_exported_money_is_that_of_the_explained_rounds(past: Past) -> None:
    rounds = exported(past.folder, "rounds")
    assert [row["round_id"] for row in rounds] == [found.round_id for found in reversed(past.rounds)]
    assert {row["end"] for row in rounds} <= {"settled", "void"}
    bets = exported(past.folder, "bets")
    for row, found in zip(reversed(rounds), past.rounds, strict=True):
        own = [bet for bet in bets if bet["round_id"] == row["round_id"]]
        assert sum(Decimal(bet["net"]) for bet in own) + Decimal(row["win"]) == 0
        assert sum(Decimal(bet["stake"]) for bet in own if not bet["layer"]) == Decimal(row["handle"])
        assert int(row["bets"]) == len([bet for bet in own if not bet["layer"]])
        house = Decimal(found.money.house) + Decimal(found.money.commission) if found.money else Decimal()
        assert Decimal(row["win"]) == house
    middle = rounds[1]["ended"]
    split = [len(exported(past.folder, "rounds", edge, middle)) for edge in ("--until", "--since")]
    assert split == [1, len(rounds) - 1]


@pytest.mark.parametrize("language", by_turn(["pt", "zh-Hant"]))
def test_no_english_word_is_left_where_a_round_is_explained(past: Past, language: Language) -> None:
    names = {*PEOPLE, *NAMES, *past.config.devices, past.config.table.site}
    for found in past.rounds:
        text = FRAME_LINES.sub("", "\n".join(text_of(found, make_renderers(), language)))
        page = re.sub(r"<[^>]*>", " ", FRAME.sub("", html_of(found, make_renderers(), language).partition("<main>")[2]))
        assert foreign(text, language, names) == set()
        assert foreign(page, language, names) == set()


@pytest.mark.parametrize("past", by_turn(MISHAPS, 2), indirect=True, scope="module")
@pytest.mark.parametrize("language", by_turn(["pt", "zh-Hant"]))
def test_no_english_word_is_left_on_page_of_an_incident(past: Past, language: Language, tmp_path: Path) -> None:
    asked = ["case", past.rounds[0].round_id, "--journal", str(past.folder), "--to", str(tmp_path / "case")]
    result = CliRunner().invoke(main, [*asked, "--lang", language])
    assert result.exit_code == 0
    names = {*PEOPLE, *NAMES, *past.config.devices, past.config.table.site, str(tmp_path)}
    (page,) = (tmp_path / "case").glob("index.html")
    inner = FRAME.sub("", page.read_text("utf-8").partition("<main>")[2])
    text = re.sub(r"<[^>]*>", " ", re.sub(r"<tr><td>[^<]*</td><td class=\"no\">", " ", inner))
    assert foreign(text, language, names) == set()
    assert foreign(result.stdout.replace("manifest.json", ""), language, names) == set()


@pytest.mark.parametrize("language", by_turn(["pt", "zh-Hant"]))
@pytest.mark.parametrize("command", ["recall", "board"])
def test_no_english_word_is_left_in_what_looks_back(
    past: Past, command: str, language: Language, tmp_path: Path
) -> None:
    config = tmp_path / "table.toml"
    config.write_bytes(shipped(f"tables/{past.config.table.game.replace('_', '-')}.demo.toml").read_bytes())
    where = ["--journal", str(past.folder), *(["--config", str(config)] if command == "board" else [])]
    result = CliRunner().invoke(main, [command, *where, "--lang", language])
    assert result.exit_code == 0
    left = foreign(result.stdout, language, {past.config.table.site})
    assert {word for word in left if not any(word in said for said in REASONS)} == set()  # a list cuts what was said


def _own(form: Any, round_id: str) -> Any:
    """What is said of a round, without messages that are about another one."""
    told = [each for step in form["steps"] for each in step["messages"]]
    steps = [{**step, "messages": ()} for step in form["steps"]]
    return {
        **form,
        "steps": steps,
        "told": [each for each in told if each["data"].get("round_id", round_id) == round_id],
    }


def cards_in(value: Any) -> Iterator[str]:
    """Every card that is named anywhere, also inside a text."""
    if isinstance(value, str):
        yield from re.findall(r"(?:^|\bcard )([2-9TJQKA][shcd])(?=$|[,)])", value)
    elif isinstance(value, dict):
        for item in value.values():
            yield from cards_in(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from cards_in(item)


def public_cards(reader: JournalReader, round_id: str) -> set[str]:
    """The cards that the round's events name."""
    forms = [json.loads(row.payload) for row in reader.events_naming(round_id)]
    own = [form["data"] for form in forms if form.get("correlationid") == round_id]
    return {card for card in re.findall(r'"([2-9TJQKA][shcd])"', json.dumps(own)) if card in CARDS}
