"""How a saying becomes a text."""

import asyncio
import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablectl import words
from tablectl.core.events.text import Saying, saying
from tablectl.words import LANGUAGES, Language
from tablectl.words.terminal import cells


def test_saying_comes_in_every_language_in_order() -> None:
    assert list(words.say(saying("prompt.q_poker.open_round"))) == ["en", "pt", "zh-Hant"]


def test_place_is_named_in_each_language() -> None:
    assert words.say(saying("prompt.q_poker.card", place=3)) == {
        "en": "Deal the next card, face down, to place 3.",
        "pt": "Distribua a carta seguinte, com a face para baixo: lugar 3.",
        "zh-Hant": "請派下一張牌，牌面向下：第 3 門。",
    }


def test_dealer_as_a_place_is_named_in_each_language() -> None:
    assert words.say(saying("prompt.q_poker.card", place="dealer")) == {
        "en": "Deal the next card, face down, to the dealer.",
        "pt": "Distribua a carta seguinte, com a face para baixo: «croupier».",
        "zh-Hant": "請派下一張牌，牌面向下：莊荷。",
    }


def test_common_place_among_others_is_named_in_each_language() -> None:
    assert words.say(saying("prompt.table.pay", places="1, common")) == {
        "en": "Pay and collect, then confirm. Places: 1, the common place.",
        "pt": "Pague e recolha, depois confirme. Lugares: 1, lugar comum.",
        "zh-Hant": "請賠付及收取，然後確認。門：1、公共門。",
    }


def test_money_in_a_text_reads_as_on_the_chips() -> None:
    least = [words.text("refuse.chinese_dice.capital_too_small", "en", least=each) for each in ("1000.00", "62.50")]
    assert least == [f"The banker's capital is at least {each}." for each in ("1,000", "62.50")]


def test_irregularity_without_a_place_says_so() -> None:
    assert words.text("irregular.q_poker.wrong_number", "en", place="") == (
        "A hand has the wrong number of cards: place not known."
    )


def test_fault_bet_and_device_inside_a_text_are_translated() -> None:
    assert words.text("refuse.q_poker.fault_stands", "en", number=701, fault="storage_low") == (
        "Fault 701 has to be cleared first: The controller's disk is nearly full."
    )
    assert words.text("refuse.q_poker.no_such_bet", "zh-Hant", bettor="A1", place=2, bet="versus_dealer") == (
        "A1 在第 2 門沒有這項投注：與莊荷博彩。"
    )
    assert words.text("prompt.q_poker.device", "pt", device="shuffler").startswith("À espera de: baralhador.")


def test_name_that_catalogue_does_not_know_stays_as_it_is() -> None:
    assert words.text("prompt.q_poker.device", "en", device="shoe-2").startswith("Waiting for shoe-2.")
    assert words.text("refuse.q_poker.no_such_bet_name", "pt", bet="tie") == "Esta aposta não existe: tie."


def test_unknown_key_shows_itself_and_its_values() -> None:
    assert words.say(Saying("no.such.key", (("place", "3"),))) == dict.fromkeys(LANGUAGES, "no.such.key place=3")


def test_missing_value_shows_the_key() -> None:
    assert words.text("refuse.no_such_fault", "en") == "refuse.no_such_fault"


def test_braces_in_a_value_are_text() -> None:
    assert words.text("refuse.q_poker.no_such_bet_name", "en", bet="{place}") == "There is no such bet: {place}."


async def test_saying_reads_no_file_in_the_loop() -> None:
    await asyncio.sleep(0)
    assert words.say(saying("prompt.q_poker.closed"))["en"].startswith("No more bets.")


@given(st.sampled_from(sorted(words.catalogue("en"))), st.dictionaries(st.text(max_size=8), st.text(max_size=8)))
def test_no_values_stop_a_text(key: str, values: dict[str, str]) -> None:
    rendered = words.say(Saying(key, tuple(sorted(values.items()))))
    assert all(rendered.values())


def test_colours_take_no_columns_and_chinese_takes_two() -> None:
    assert cells("\x1b[31mA♥\x1b[0m 門") == 5


def test_one_of_a_thing_is_said_in_the_singular() -> None:
    assert [words.text("cli.board.counted", "pt", what="x", rounds=n) for n in (0, 1, 2)] == [
        "x, em 0 jogadas", "x, em 1 jogada", "x, em 2 jogadas",
    ]  # fmt: skip
    assert words.text("doctor.journal", "en", events=1, folder="f").startswith("1 event, ")
    assert words.text("doctor.journal", "en", events=10, folder="f").startswith("10 events, ")


def test_singular_text_counts_what_is_in_it() -> None:
    known = words.catalogue("en")
    ones = [key.partition("_one_") for key in known if "_one_" in key and key.partition("_one_")[0] in known]
    assert ones
    assert all(f"{{{name}}}" in known[key] for key, _, name in ones)


@pytest.mark.parametrize(
    ("language", "one", "several"), [("en", "1 problem;", "2 problems;"), ("pt", "1 problema;", "2 problemas;")]
)
def test_a_counted_word_goes_with_its_number(language: Language, one: str, several: str) -> None:
    texts = [words.text("doctor.verdict_bad", language, bad=bad, notes=0) for bad in (1, 2)]
    assert [each.startswith(start) for each, start in zip(texts, (one, several), strict=True)] == [True, True]


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_catalogue_is_plain_and_reads_as_toml(language: Language) -> None:
    texts = (Path(words.__file__).parent / f"{language}.toml").read_text("utf-8")
    plain = words._plain(texts)  # pyright: ignore[reportPrivateUsage]  # commands start slower where it gives up
    assert plain == dict(words._flat(tomllib.loads(texts)))  # pyright: ignore[reportPrivateUsage]


@pytest.mark.parametrize(
    "line", ["a = 'x'", 'a = "\\n"', 'a = """', 'a = "x" # why', "a = 1", 'a.b = "x"', "[t]\n[t]", 'a = "x"\na = "y"']
)
def test_a_line_that_is_not_plain_is_left_to_toml(line: str) -> None:
    assert words._plain(f'b = "y"\n{line}') is None  # pyright: ignore[reportPrivateUsage]
