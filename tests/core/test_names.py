"""Names of bettors: what a new one may have in it, and which look alike."""

from unicodedata import category, is_normalized, normalize

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tablectl.core.actions import names
from tablectl.core.actions.names import skeleton, unfit

ORDINARY = (
    "Ho",
    "O\u00b4Neill",
    "\u0e1b\u0e34\u0e48\u0e19",
    "\u0915\u094d\u0937\u093f",
    "H\u0332\u0332\u0332\u0332o",
    "Tom\N{LATIN SMALL LETTER A WITH ACUTE}s",
    "\u4f55\u5049\u660e",
    "A-1",
    "O'Neill, Jo\u00e3o",
    "A B C",
)


@pytest.mark.parametrize("name", ORDINARY)
def test_a_name_in_any_script_is_taken(name: str) -> None:
    assert unfit(name) is None


@pytest.mark.parametrize(
    ("name", "key", "character", "position"),
    [
        ("Ho\u200b", "unseen", "U+200B ZERO WIDTH SPACE", "3"),
        ("H\u202eo", "unseen", "U+202E RIGHT-TO-LEFT OVERRIDE", "2"),
        ("Ho\u3164", "unseen", "U+3164 HANGUL FILLER", "3"),
        ("Ho\ufe0f", "unseen", "U+FE0F VARIATION SELECTOR-16", "3"),
        ("H\u034fo", "unseen", "U+034F COMBINING GRAPHEME JOINER", "2"),
        ("\ue000", "unseen", "U+E000", "1"),
        ("a\u0378", "unseen", "U+0378", "2"),
        ("a\ud800", "unseen", "U+D800", "2"),
        ("a\nb", "unseen", "U+000A", "2"),
        (" Ho", "blank", "U+0020 SPACE", "1"),
        ("Ho ", "blank", "U+0020 SPACE", "3"),
        ("Ho  Wai", "blank", "U+0020 SPACE", "3"),
        ("Ho\u00a0Wai", "blank", "U+00A0 NO-BREAK SPACE", "3"),
        ("\u4f55\u3000\u660e", "blank", "U+3000 IDEOGRAPHIC SPACE", "2"),
        ("Tom\u0061\u0301s", "form", "U+0061 LATIN SMALL LETTER A + U+0301 COMBINING ACUTE ACCENT", "4"),
        ("\u212b", "form", "U+212B ANGSTROM SIGN", "1"),
        ("\u0301", "mark", "U+0301 COMBINING ACUTE ACCENT", "1"),
        ("\u0e31Ho", "mark", "U+0E31 THAI CHARACTER MAI HAN-AKAT", "1"),
        ("Ho \u0301a", "mark", "U+0301 COMBINING ACUTE ACCENT", "4"),
        ("\u00b4Ho", "mark", "U+00B4 ACUTE ACCENT", "1"),
        ("\uff9e", "mark", "U+FF9E HALFWIDTH KATAKANA VOICED SOUND MARK", "1"),
        ("H" + "\u0332" * 5, "mark", "U+0332 COMBINING LOW LINE", "6"),
        ("\U0001d159", "unseen", "U+1D159 MUSICAL SYMBOL NULL NOTEHEAD", "1"),
        ("Ho\ufffd", "unseen", "U+FFFD REPLACEMENT CHARACTER", "3"),
    ],
)
def test_the_character_that_is_wrong_is_named(name: str, key: str, character: str, position: str) -> None:
    said = unfit(name)
    assert said is not None
    assert (said.key, dict(said.values)) == (f"refuse.name_{key}", {"character": character, "position": position})


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Ana", "\u0410na"),
        ("ana", "an\u0430"),
        ("Al", "A1"),
        ("Al", "AI"),
        ("Om", "Orn"),
        ("Bo0", "BoO"),
        ("o", "\u03bf"),
    ],
)
def test_names_that_look_alike_have_one_skeleton(one: str, other: str) -> None:
    assert one != other
    assert skeleton(one) == skeleton(other)


def test_ordinary_names_have_skeletons_of_their_own() -> None:
    names = (*ORDINARY, "ann", "bob", "Ana", "ana", *(f"B{nth}" for nth in range(100)), *"ABCDEFGHIJKLMN")
    assert len({skeleton(name) for name in names}) == len(names)


@given(st.text(max_size=64))
@example("\u1100\u1161 \u0344")
@example("\U000e0001")
def test_what_is_taken_is_composed_visible_and_singly_spaced(name: str) -> None:
    if unfit(name) is None:
        assert is_normalized("NFC", name)
        assert not {category(letter) for letter in name} & {"Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp"}
        assert " ".join(name.split()) == name
    assert skeleton(skeleton(name)) == skeleton(name)


@given(st.text("a \u0301\u00b4\u00a8\uff9e\u0e31\u0332", min_size=1, max_size=8))
def test_nothing_begins_with_a_mark_once_it_is_normalised(name: str) -> None:
    if unfit(name) is None:
        assert not {category(word[:1])[0] for word in normalize("NFKC", name).split(" ")[:1]} & {"M", "C"}
        assert all(category(word[0])[0] != "M" for word in name.split(" "))
        assert normalize("NFKC", name)[0] != " "


@given(st.text(max_size=20), st.sampled_from("\u200b\u200d\u2060\ufeff\u034f\u3164\U000e0100"), st.integers(0, 20))
def test_nothing_unseen_makes_another_name(name: str, letter: str, at: int) -> None:
    other = f"{name[:at]}{letter}{name[at:]}"
    assert unfit(other) is not None


@pytest.mark.parametrize(
    ("one", "other"), [("ann", "\u0430nn"), ("\u0430nn", "ann"), ("l1", "1l"), ("\u0441\u0430", "\u0441a")]
)
def test_two_that_look_alike_keep_each_other_out(one: str, other: str) -> None:
    assert names._alike(one, {other}) is not None
    assert names._alike(other, {one}) is not None
