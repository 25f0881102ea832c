import json
from typing import Any

import pytest

from tablectl.core.bets.settle import SettledLine, settle_line
from tablectl.rule_tables import settlers

ROUND = '{"dealer":["Qs","7h","2c"],"places":[]}'
SETTLED = '"status":"settled","dealer":{"hand":"high_card","qualifies":true},"places":[]}'

GAMES = settlers()


def answer(line: str | bytes) -> SettledLine:
    return settle_line(line if isinstance(line, bytes) else line.encode(), 7, GAMES)


def error_of(line: str | bytes) -> tuple[str, str]:
    answered = answer(line)
    assert not answered.settled
    form: Any = json.loads(answered.text)
    assert form.keys() == {"line", "error"}
    assert form["line"] == 7
    assert form["error"].keys() == {"path", "message"}
    return form["error"]["path"], form["error"]["message"]


def test_settled_line_has_its_number_and_game_and_then_settlement() -> None:
    assert answer(f'{{"game":"q_poker","round":{ROUND}}}') == SettledLine(
        '{"line":7,"game":"q_poker",' + SETTLED, settled=True
    )


@pytest.mark.parametrize(
    "echoed",
    [
        *('"r-1"', "12", "null", "true", "false", "[]", "{}", "1.50", "1e400", "-0", "9" * 5000, r'"\ud800"'),
        *('{"a":[1,2.50,{"b":null}]}', '""'),
    ],
)
def test_an_id_of_any_type_is_echoed_exactly(echoed: str) -> None:
    line = f'{{"id":{echoed},"round":{ROUND},"game":"q_poker"}}'
    assert answer(line).text == f'{{"line":7,"game":"q_poker","id":{echoed},' + SETTLED


def test_empty_rules_override_nothing() -> None:
    assert answer(f'{{"game":"q_poker","rules":{{}},"round":{ROUND}}}').settled


@pytest.mark.parametrize(
    ("line", "path", "message"),
    [
        ("[]", "", "an object is expected, not a list"),
        ("1", "", "an object is expected, not a JSON number"),
        ("null", "", "an object is expected, not null"),
        ("{", "", "not JSON"),
        (b"\xff", "", "not UTF-8"),
        ("{}", "game", "required"),
        ('{"game":"q_poker"}', "round", "required"),
        (f'{{"round":{ROUND}}}', "game", "required"),
        (f'{{"game":"poker","round":{ROUND}}}', "game", "unknown game; known: q_poker"),
        (f'{{"game":["q_poker"],"round":{ROUND}}}', "game", "unknown game"),
        (f'{{"game":null,"round":{ROUND}}}', "game", "unknown game"),
        (
            f'{{"game":"q_poker","round":{ROUND},"note":1}}',
            "note",
            "unknown field; known here: game, round, id, rules",
        ),
        (f'{{"game":"q_poker","game":"q_poker","round":{ROUND}}}', "game", "more than once"),
        (f'{{"game":"q_poker","round":{ROUND},"id":1,"id":2}}', "id", "more than once"),
        (f'{{"game":"q_poker","round":{ROUND},"id":{{"x":1,"x":1}}}}', "id.x", "more than once"),
        (f'{{"game":"q_poker","round":{ROUND},"rules":null}}', "rules", "an object is expected, not null"),
        (
            f'{{"game":"q_poker","round":{ROUND},"rules":{{"decks":1}}}}',
            "rules.decks",
            "unknown field; known here: none",
        ),
        ('{"game":"q_poker","round":null}', "round", "an object is expected, not null"),
        ('{"game":"q_poker","round":{"dealer":["As"],"dealer":[]}}', "round.dealer", "more than once"),
        ('{"game":"q_poker","round":{"places":[]}}', "round.dealer", "required"),
        (
            '{"game":"q_poker","round":{"dealer":["Qs","7h","2c"],"places":[{"place":1,"cards":[],"bets":[{"bet":1,"bet":1}]}]}}',
            "round.places[0].bets[0].bet",
            "more than once",
        ),
        (
            '{"game":"q_poker","round":{"dealer":["Qs","7h","2c"],"places":[{"place":1.0,"cards":["As"],"bets":[]}]}}',
            "round.places[0].place",
            "not 1.0",
        ),
        (
            '{"game":"q_poker","round":{"dealer":["Qs","7h","2c"],"places":[{"place":1,"cards":["As","Kd"],'
            '"bets":[{"bettor":"a","bet":"versus_dealer","stake":"1"}]}]}}',
            "round.places[0].cards",
            "a hand has three cards, not 2",
        ),
    ],
)
def test_line_that_cant_be_settled_names_path_and_reason(line: str | bytes, path: str, message: str) -> None:
    found, why = error_of(line)
    assert found == path
    assert message in why


def test_an_id_nested_too_deeply_is_an_error() -> None:
    nested = "[" * 50_000 + "]" * 50_000
    assert error_of(f'{{"game":"q_poker","round":{ROUND},"id":{nested}}}')[1] == "nested too deeply"
