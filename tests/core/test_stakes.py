"""Chips on the layout, whatever the game: no stake is nobody's."""

from dataclasses import replace

import pytest

from tablectl.core.facts.table_requests import BetOffered
from tests.core.test_offers import WAYS
from tests.support.offered import answer, offered

BLANK = ("", " ", "\t", "\u3000")

all_games = pytest.mark.parametrize("game", WAYS)


@all_games
@pytest.mark.parametrize("blank", BLANK)
def test_a_bet_of_a_bettor_without_a_name_is_refused(game: str, blank: str) -> None:
    way = WAYS[game]
    answers = [
        answer(way.game, table, replace(offer.body, bettor=blank))
        for table in way.tables(1)
        for offer in offered(way.game, table)
        if isinstance(offer.body, BetOffered) and offer.refused is None
    ]
    assert {(no.article, no.code) if no else None for no in answers} == {("table", "empty_bet")}
