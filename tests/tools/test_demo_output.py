"""Lines that fit, and one that may still change."""

import pytest

from tablectl.features.demo.summary import WIDTH, Output, folded
from tablectl.words.terminal import cells

SENTENCE = "13:34:08.839  #80  SIMULATED  irregular, article 11(3): " + "a word of several " * 6


def printed(*, terminal: bool) -> tuple[list[str], Output]:
    texts: list[str] = []
    return texts, Output(texts.append, terminal)


@pytest.mark.parametrize("text", [SENTENCE, SENTENCE.replace("a word", "第十一條不當情況")])
def test_a_long_line_is_broken_at_spaces_and_loses_nothing(text: str) -> None:
    lines = folded(text).split("\n")
    assert len(lines) > 1
    assert all(cells(line) <= WIDTH for line in lines)
    assert all(line.startswith("    ") for line in lines[1:])
    assert "".join(folded(text).split()) == "".join(text.split())


def test_the_gaps_between_the_parts_of_a_line_stay() -> None:
    assert folded(SENTENCE).startswith("13:34:08.839  #80  SIMULATED  irregular")


def test_a_word_without_end_stays_whole() -> None:
    assert folded("x" * 200) == "x" * 200


def test_a_row_of_a_table_stays_a_row() -> None:
    row = "    place 2     5♥ 7♣ 8♣  high card   Ines    " + "pair and winning combinations  " * 2
    assert cells(row) > WIDTH
    assert folded(row) == row


def test_on_a_terminal_a_draft_is_written_over() -> None:
    texts, output = printed(terminal=True)
    output.draft("one")
    output.draft("one two")
    output.line("then")
    shown = "".join(texts).replace("\r\x1b[2K", "\r")
    assert shown == "\rone\rone two\rone two\nthen\n"


def test_in_a_file_only_the_last_draft_is_written() -> None:
    texts, output = printed(terminal=False)
    output.draft("one")
    output.draft("one two")
    output.line("then")
    assert "".join(texts) == "one two\nthen\n"
