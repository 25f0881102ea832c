"""What no settlement can be read out of: every such line has an error of the contract's form, and the rest settle."""

import io
import json
from random import Random
from typing import Any

import pytest

from tablectl.features.rounds.settle import settle_all
from tests.referee import rounds
from tests.referee.comparing import by_product, refereed, same, written

GOOD = (
    '{"game":"wheel_of_fortune","id":7,"round":{"spin":{"turns":4,"symbol":3,"on_peg":false},'
    '"bets":[{"bettor":"a","bet":"symbol_3","stake":"50"}]}}'
)
SETTLED = refereed(GOOD, 1)


def put(old: str, new: str) -> bytes:
    assert old in GOOD
    return GOOD.replace(old, new, 1).encode()


REFUSED: list[tuple[bytes, str]] = [
    (b"{", ""),
    (b"[]", ""),
    (b"null", ""),
    (b"\x00", ""),
    (b"x" * 10_000_000, ""),
    (b"[" * 100_000, ""),
    (b'{"a":' * 100_000, ""),
    (GOOD.encode("utf-16"), ""),
    (put('"a"', '"\u00e9"').decode().encode("latin-1"), ""),
    (GOOD.encode() + GOOD.encode(), ""),
    (put('"a"', '"\x01"'), ""),
    (put("4", "NaN"), ""),
    (put("4", "Infinity"), ""),
    (put("4", "04"), ""),
    (put("7", "-Infinity"), ""),
    (put('{"game"', '{"game":"q_poker","game"'), "game"),
    (put('"turns"', '"turns":9,"turns"'), "round.spin.turns"),
    (put('"turns"', '"t\\u0075rns":9,"turns"'), "round.spin.turns"),
    (put('"stake"', '"stake":"50","stake"'), "round.bets[0].stake"),
    (put("7", '{"a":1,"a":2}'), "id.a"),
    (put('"50"', "50"), "round.bets[0].stake"),
    (put('"50"', "50.0"), "round.bets[0].stake"),
    (put('"50"', f'"{"9" * 1_000_000}"'), "round.bets[0].stake"),
    (put("3,", "3.0,"), "round.spin.symbol"),
    (put('"wheel_of_fortune"', "[]"), "game"),
    (put('"id"', '"rules":null,"id"'), "rules"),
    (put('"id"', '"rules":{"pays":[1,1,1,1,1,1,true]},"id"'), "rules.pays[6]"),
]


@pytest.mark.parametrize(("line", "path"), REFUSED, ids=[str(at) for at in range(len(REFUSED))])
def test_malformed_line_is_named_and_the_next_settles(line: bytes, path: str) -> None:
    target = io.BytesIO()
    assert not settle_all(io.BytesIO(line + b"\n" + GOOD.encode()), target)
    refused, settled = (json.loads(answer) for answer in target.getvalue().splitlines())
    assert refused == {"line": 1, "error": {"path": path, "message": refused["error"]["message"]}}
    assert settled == {**SETTLED, "line": 2}


@pytest.mark.parametrize(
    ("turns", "status"),
    [
        ("9" * 5_000, "settled"),
        ("1e" + "9" * 30, "settled"),
        ("1e-" + "9" * 30, "respin"),
        ("2." + "9" * 100_000, "respin"),
        ("3." + "0" * 100_000 + "1", "settled"),
    ],
    ids=str,
)
def test_turns_are_compared_as_written_however_long(turns: str, status: str) -> None:
    (answer,) = by_product([put("4", turns).decode()])
    assert isinstance(answer, dict)
    assert answer["status"] == status


@pytest.mark.parametrize("given", ["null", '""', "1.10", "-0", "1E5", "9" * 5_000, '{"a":[1.50]}', '"\\ud800"'])
def test_an_id_comes_back_as_it_was_written(given: str) -> None:
    target = io.BytesIO()
    settle_all(io.BytesIO(put("7", given)), target)
    assert f'"id":{given},'.encode() in target.getvalue()


def test_the_comparison_sees_any_single_value_that_differs() -> None:
    line = written(rounds.q_poker(Random(3)))
    ruled = refereed(line, 1)
    assert same(by_product([line])[0], ruled)
    spots = list(_leaves(ruled))
    assert len(spots) > 30
    for holder, key in spots:
        right = holder[key]
        for wrong in (str(right), bool(right), None, "0.01"):
            holder[key] = wrong
            assert (type(wrong), wrong) == (type(right), right) or not same(by_product([line])[0], ruled)
        holder[key] = right


def _leaves(value: Any) -> list[tuple[Any, Any]]:
    items = list(value.items() if isinstance(value, dict) else enumerate(value))
    inner = [leaf for _, item in items if isinstance(item, dict | list) for leaf in _leaves(item)]
    return inner + [(value, key) for key, item in items if not isinstance(item, dict | list)]
