"""Rounds of every game explained, as they were played with simulated devices: whole, in words, nothing hidden told."""

import json
import re
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, get_args

import pytest

from tablectl import words
from tablectl.app.history import explained, told
from tablectl.core.cards import PACK
from tablectl.core.events import KINDS
from tablectl.core.facts import Body
from tablectl.shell.config import load
from tablectl.shell.rules import shipped
from tablectl.tools.demo import Options
from tablectl.tools.explain_html import html_of
from tablectl.tools.explain_law import RULES
from tablectl.tools.explain_text import text_of
from tablectl.tools.journal_reader import JournalReader, open_reader
from tablectl.tools.recall import rounds_back
from tablectl.words import LANGUAGES
from tablectl.words.width import cells
from tests.support.demo import played

GAMES = ("q-poker", "football-poker", "wheel-of-fortune", "chinese-dice", "thirteen-cards")
SEED = 11
CARDS = frozenset(map(str, PACK))


def snake(name: str) -> str:
    return re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_fact_has_its_words(language: words.Language) -> None:
    known = words.catalogue(language)
    assert [kind.__name__ for kind in get_args(Body) if f"explain.fact.{snake(kind.__name__)}" not in known] == []


def test_rules_are_named_for_events_that_there_are() -> None:
    kinds = {kind.removesuffix(".v1") for _, kind in KINDS.values()}
    assert {kind for rules in RULES.values() for kind in rules} <= kinds
    articles = [article for rules in RULES.values() for rule in rules.values() for article in rule.split(", ")]
    assert [article for article in articles if not re.fullmatch(r"\d+(\([a-z0-9]+\))?", article)] == []


@pytest.mark.parametrize("game", GAMES)
def test_every_article_that_a_rule_names_is_on_the_page_of_its_law(game: str) -> None:
    name = game.replace("-", "_")
    page = (Path(__file__).parents[2] / "docs" / "law" / f"{name}.md").read_text("utf-8")
    known = set(re.findall(r"^\| ([0-9a-z.]+) \|", page, re.MULTILINE))
    for rule in RULES[name].values():
        for article in rule.split(", "):
            number = article.replace("(", ".").replace(")", "")
            assert any(each == number or each.startswith(f"{number}.") for each in known), article


@pytest.mark.slow
@pytest.mark.parametrize("game", GAMES)
def test_rounds_of_every_game_are_explained_whole_and_tell_only_what_was_public(game: str, tmp_path: Path) -> None:
    played(Options(seed=SEED, game=game, speed=0.0, rounds=4, irregular=0.5, keep=tmp_path / "kept"))
    config = load(shipped(f"tables/{game}.demo.toml"), {})
    with closing(open_reader(tmp_path / "kept" / "state")) as reader:
        rounds = [line.round_id for line in rounds_back(reader, told())]
        assert len(rounds) == 4
        for round_id in rounds:
            found = explained(reader, round_id, config)
            assert found.end in {"settled", "void"}
            assert found.money is None or found.money.sum == "0.00"
            assert (found.money is None) is (found.end == "void")
            assert any(step.frames for step in found.steps)
            assert set(cards_in(found.form())) <= public_cards(reader, round_id)
            for language in LANGUAGES:
                lines = list(text_of(found, told(), language))
                assert max(map(cells, lines)) <= 80
                # Neither a key in a text's place, nor an event as its type and fields.
                assert not re.search(r"\bexplain\.|\btail\.|[a-z]\.v\d\b", "\n".join(lines))
                assert html_of(found, told(), language).count("<main>") == 1


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
