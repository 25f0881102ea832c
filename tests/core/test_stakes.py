"""Chips on the layout, whatever the game: no stake is nobody's."""

from dataclasses import replace

import pytest

from tablectl.core.facts.table_requests import BetOffered
from tests.core.test_offers import WAYS
from tests.support.offered import answer, offered

BLANK = ("", " ", "\t", "\u3000")


@pytest.mark.parametrize("game", WAYS)
def test_a_bet_of_a_bettor_without_a_name_is_refused(game: str) -> None:
    way = WAYS[game]
    answers = [
        answer(way.game, table, replace(offer.body, bettor=blank))
        for table in way.tables(1)
        for offer in offered(way.game, table)
        if isinstance(offer.body, BetOffered) and offer.refused is None
        for blank in BLANK
    ]
    assert {(no.article, no.code) if no else None for no in answers} == {("table", "empty_bet")}
