"""The hands are shown and compared, and what the dealer declares."""

import json

import pytest

from tablectl.core.cards import BANKER
from tablectl.core.events.round import Irregular, Revealed, Settled
from tablectl.core.facts.game_requests import CardsHeldAway
from tablectl.core.facts.table_requests import IrregularityDeclared
from tablectl.core.games.thirteen_cards.irregularities import KINDS
from tablectl.core.games.thirteen_cards.shapes import read_round, settlement_form
from tablectl.core.games.thirteen_cards.state import Phase
from tests.support.thirteen_cards import BUZZER, SHOE, UNIT, irregularity, nets, new_table, on, rules
from tests.support.thirteen_cards_deals import dealt, shown


@pytest.mark.article("thirteen_cards", "8")
def test_every_place_is_shown_before_the_round_is_settled() -> None:
    table = shown().all_set()
    table.show(3)
    assert (table.phase, dict(table.game.waiting(table.table).values)) == (Phase.COMPARING, {"places": "2"})
    table.show(2)
    assert nets(table.all_of(Settled)[0]) == {(2, "ann"): "49.00", (3, "bob"): "-100.00"}
    assert [event.place for event in table.all_of(Revealed)] == [BANKER, 3, 2]


@pytest.mark.article("thirteen_cards", "11")
@pytest.mark.article("thirteen_cards", "reading 1")
def test_winning_stake_earns_half_of_itself_less_two_in_hundred() -> None:
    settled = new_table().begin(on(2, stake=3 * UNIT), on(3, "bob", 2 * UNIT)).play()
    assert nets(settled) == {(2, "ann"): "147.00", (3, "bob"): "-200.00"}


@pytest.mark.article("thirteen_cards", "3")
@pytest.mark.article("thirteen_cards", "5")
def test_all_bets_of_place_win_or_lose_with_its_cards() -> None:
    table = new_table().begin(on(2), on(3, "bob"))
    table.does(on(3, "ann", 2 * UNIT), on(2, "bob"))
    settled = table.play()
    assert nets(settled) == {(2, "ann"): "49.00", (2, "bob"): "49.00", (3, "bob"): "-100.00", (3, "ann"): "-200.00"}


@pytest.mark.parametrize("settings", [{}, {"shoe": SHOE, "buzzer": BUZZER}])
def test_an_archived_round_settles_again_to_the_same(settings: dict[str, str]) -> None:
    settled = new_table(**settings).begin(on(2), on(3, "bob")).play()
    again = read_round(json.loads(json.dumps(settled.round)))
    assert settlement_form(again, rules()) == settled.settlement
    assert (settled.game, settled.rules, settled.rules_version) == ("thirteen_cards", {}, "51/89/M")


@pytest.mark.parametrize("settings", [{}, {"shoe": SHOE}])
def test_rounds_follow_with_their_own_number_and_shuffle(settings: dict[str, str]) -> None:
    table = new_table(**settings)
    rounds = [table.begin(on(2)).play().round_id for _ in range(3)]
    assert len(set(rounds)) == 3
    assert table.round_id is None


MORE_THAN_NOTED = {"foreign_card", "did_not_shake", "did_not_show"}
"""The irregularities after which the round is void or the house's rule says how it goes on."""


@pytest.mark.article("thirteen_cards", "reading 17")
@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind not in MORE_THAN_NOTED])
def test_irregularity_is_noted_with_its_article_and_round_goes_on(kind: str) -> None:
    table = new_table(dice="").begin(on(2))
    if Phase.CLOSED not in KINDS[kind].phases:
        table.deal()
    before = table.phase
    consequence = "mended" if kind == "cut_wrongly" else "continues"
    effects = table.tell(IrregularityDeclared(kind, 2, "ann"))
    assert irregularity(effects) == (KINDS[kind].article, kind, consequence)
    assert (table.phase, table.all_of(Irregular)[0].bettor) == (before, "ann")
    if before == Phase.BETTING:
        table.confirm_pack()
        table.deal()
    assert table.banker_shows().all_set().compare().irregularities == (KINDS[kind].article,)


@pytest.mark.article("thirteen_cards", "2.d")
@pytest.mark.article("thirteen_cards", "reading 17")
def test_looking_at_cards_early_is_noted_with_the_place() -> None:
    table = dealt()
    table.declare("looked_early", 3)
    (event,) = table.all_of(Irregular)
    assert (event.article, event.place, event.by) == ("2(d)", 3, "dealer")


@pytest.mark.article("thirteen_cards", "3")
def test_cards_held_away_from_the_table_are_noted() -> None:
    assert irregularity(dealt().tell(CardsHeldAway(2, "ann"))) == ("3", "cards_held_away", "continues")
