"""Texts of strangers on a terminal."""

import pytest

from tablectl.words.terminal import visible, visible_form


@pytest.mark.parametrize(
    "sign", ["\x00", "\x07", "\x1b", "\n", "\r", "\x7f", "\x9b", "\u2028", "\u202e", "\u2066", "\ud800"]
)
def test_a_sign_that_a_terminal_would_obey_is_a_mark(sign: str) -> None:
    assert visible(f"a{sign}b") == "a\ufffdb"
    visible(f"a{sign}b").encode()


def test_every_script_and_every_picture_stays_as_it_is() -> None:
    for text in ("", "Ana", "安　全", "Ação", "👩\u200d👧", "עברית", "a b"):
        assert visible(text) == text


def test_in_a_form_all_texts_and_names_are_seen_to() -> None:
    form = {"a\n": ["\x1b", {"b": "\x9b"}, 1, None, True]}
    assert visible_form(form) == {"a\ufffd": ["\ufffd", {"b": "\ufffd"}, 1, None, True]}
