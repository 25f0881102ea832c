import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablectl.core.json_form import FormError, Repeated, Written, decode, encode, encode_decoded, integer_in, path_of

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


@given(JSON)
def test_what_is_decoded_is_encoded_to_the_same_json(value: Any) -> None:
    text = json.dumps(value, separators=(",", ":"))
    assert encode_decoded(decode(text.encode())) == text


@pytest.mark.parametrize(
    "number",
    [
        *(
            "0",
            "-0",
            "1.0",
            "1.10",
            "-0.0",
            "1e5",
            "1E+5",
            "1e999",
            "-1e-999",
            "0.1000000000000000055511151231257827",
        ),
        *("123456789012345678", "1234567890123456789", "9" * 5000, "-" + "9" * 5000),
    ],
)
def test_a_number_is_written_back_as_it_came(number: str) -> None:
    assert encode_decoded(decode(number.encode())) == number


def test_integers_become_integers_up_to_what_python_reads() -> None:
    assert decode(b"[1,-1,1000000000000000000]") == [1, -1, 10**18]
    assert decode(b"9" * 4300) == 10**4300 - 1
    assert decode(b"9" * 4301) == Written("9" * 4301)
    assert decode(b"[1.0,1e0,-0]") == [Written("1.0"), Written("1e0"), Written("-0")]


def test_number_far_out_of_bounds_is_cut_in_the_message() -> None:
    with pytest.raises(FormError) as error:
        integer_in({"place": 10**4000}, "place", 1, 16)
    assert error.value.message == f"an integer from 1 to 16 is expected, not 1{'0' * 59}…"


def test_repeated_field_in_an_object_is_an_error() -> None:
    assert decode(b'{"a":1,"b":{"c":1,"d":2,"c":1}}') == {"a": 1, "b": Repeated("c")}
    with pytest.raises(FormError) as error:
        encode_decoded(decode(b'{"a":[0,{"b c":{"d":1,"d":2}}]}'))
    assert error.value.path == 'a[1]["b c"].d'


def test_a_field_repeated_under_an_escape_is_the_same_field() -> None:
    assert decode(rb'{"a":1,"\u0061":2}') == Repeated("a")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b"", "not JSON"),
        (b"{", "not JSON"),
        (b"{}{}", "not JSON: Extra data, character 3"),
        (b"{'a':1}", "not JSON"),
        (b'{"a":1,}', "not JSON"),
        (b"[1,]", "not JSON"),
        (b"[01]", "not JSON"),
        (b"[+1]", "not JSON"),
        (b"[.5]", "not JSON"),
        (b"[0x1]", "not JSON"),
        (b"[1] // x", "not JSON"),
        (b"NaN", "NaN isn't a number"),
        (b"[Infinity]", "Infinity isn't a number"),
        (b"[-Infinity]", "-Infinity isn't a number"),
        (b'"\n"', "Invalid control character"),
        (b'"\x00"', "Invalid control character"),
        (b'"\\x41"', "not JSON"),
        (b'"\\u12"', "not JSON"),
        (b"\xef\xbb\xbf{}", "not JSON"),
        (b'{"a":"\xff"}', "not UTF-8: byte 7 of the line"),
        (b'"\xed\xa0\x80"', "not UTF-8"),
        (b'"\xc0\xaf"', "not UTF-8"),
        (b"[" * 100_000, "nested too deeply"),
        (b'{"a":' * 100_000, "nested too deeply"),
    ],
)
def test_what_isnt_json_is_refused_with_the_reason(line: bytes, message: str) -> None:
    with pytest.raises(FormError) as error:
        decode(line)
    assert error.value.path == ""
    assert message in error.value.message


def test_half_a_surrogate_pair_survives_as_an_escape() -> None:
    text = encode_decoded(decode(rb'"\ud800 \udc00 \ud83c\udccf"'))
    assert text == r'"\ud800 \udc00 \ud83c\udccf"'
    assert encode({"a": "\ud800"}).encode() == rb'{"a":"\ud800"}'


@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("bets", "bets"),
        ("a-b_2", "a-b_2"),
        ("a.b", '["a.b"]'),
        ("", '[""]'),
        ("1", '["1"]'),
        ("é", '["\\u00e9"]'),
    ],
)
def test_an_unusual_name_is_quoted_in_a_path(name: str, path: str) -> None:
    assert path_of(name) == path


def test_a_very_long_name_is_cut_in_a_path() -> None:
    assert len(path_of("x" * 10**6)) < 100


@pytest.mark.parametrize(
    ("inner", "outer", "path"),
    [("a", "b", "b.a"), ("[0].a", "b", "b[0].a"), ("", "b", "b"), ("a", "", "a"), ("a", "[1]", "[1].a")],
)
def test_a_path_grows_from_the_inside(inner: str, outer: str, path: str) -> None:
    assert FormError(inner, "wrong").under(outer).path == path
