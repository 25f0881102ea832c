"""The packs: shuffled and counted, in the shoe or in the shuffler, and how long one serves. Articles 2, 6(3) and 8."""

import pytest

from tablectl.core.cards import COMMON, Place
from tablectl.core.dealing.pack import PackState
from tablectl.core.effects import ShuffleCards
from tablectl.core.facts.game_requests import Dealing
from tablectl.core.faults import Code
from tests.support.football_poker import HANDS, Hands, bet, new_table
from tests.support.poker import SHOE, voided
from tests.support.sitting import commands, refused
from tests.support.ways import both_ways


@pytest.mark.article("football_poker", "6.3")
@pytest.mark.article("football_poker", "2.1")
def test_round_from_the_shoe_needs_a_shuffled_pack_in_it() -> None:
    table = new_table()
    assert table.prompt() == "pack"
    assert refused(table.open_round()) == ("6(3)", "pack_not_confirmed")
    table.confirm_pack()
    assert refused(table.open_round()) is None


@pytest.mark.article("football_poker", "8.1")
@pytest.mark.article("football_poker", "reading 7")
def test_one_pack_serves_one_round_of_a_full_table() -> None:
    table = new_table().begin(*(bet(place) for place in range(1, 11)))
    two = [("2s", "3s"), ("2h", "3h"), ("2c", "3c"), ("2d", "3d"), ("4s", "As"), ("4h", "Ah")]
    places: tuple[Place, ...] = (*range(1, 11), COMMON)
    hands: Hands = dict(zip(places, [*two, *FIVES], strict=True))
    table.deal(hands).finish(hands)
    assert table.state.left == 52 - 22
    assert table.prompt() == "pack"
    assert refused(table.open_round()) == ("8(1)", "pack_used_up")
    table.confirm_pack()
    assert refused(table.open_round()) is None


FIVES = [("5s", "Ks"), ("5h", "Kh"), ("5c", "Kc"), ("5d", "Kd"), ("6s", "Qs")]


@pytest.mark.article("football_poker", "reading 7")
@pytest.mark.parametrize(("used", "goes_on"), [(19, True), (20, False)])
def test_a_pack_goes_on_while_it_holds_33_cards(used: int, goes_on: bool) -> None:
    table = new_table().begin(bet(1), bet(2)).deal()
    assert len(table.state.deal.hands) == 3
    already = 2 * 3 + 1
    spare = ("9h", "9d", "9c", "8s", "8h", "7s", "7h", "7d", "7c", "6s", "6h", "6c", "5s")
    for number, name in enumerate(spare[: used - already]):
        table.draw(name)
        table.misplace(3 + number // 3)
    table.finish()
    assert table.state.left == 52 - used
    assert (refused(table.open_round()) is None) is goes_on


@pytest.mark.article("football_poker", "reading 7")
def test_single_pack_repeats_no_card_of_the_round_before() -> None:
    table = new_table().begin(bet()).deal()
    table.finish()
    table.open_round()
    table.commit()
    table.show()
    table.bet()
    table.draw(HANDS[1][0])
    assert table.held(1) == (None,)
    assert table.faults == [Code.SHOE_IMPOSSIBLE_DUPLICATE]


@pytest.mark.article("football_poker", "8.2")
def test_cards_that_were_seen_come_again_out_of_the_shuffler() -> None:
    table = new_table().begin(bet()).deal()
    table.finish()
    assert table.state.used
    table.begin(bet(), dealing=Dealing.SHUFFLER).deal().finish()
    assert table.faults == []
    table.begin(bet())
    table.change(Dealing.SHUFFLER)
    table.shuffled()
    assert table.deal().finish().round_id


@pytest.mark.article("football_poker", "8.1")
def test_after_the_cut_card_a_new_pack_is_needed() -> None:
    table = new_table(packs=8).begin(bet())
    table.cut()
    table.deal().finish()
    assert table.faults == [Code.SHOE_CARD_AFTER_CUT]
    table.acknowledge(Code.SHOE_CARD_AFTER_CUT, SHOE)
    assert table.prompt() == "pack"
    assert refused(table.open_round()) == ("8(1)", "pack_used_up")
    table.begin(bet()).deal().finish()
    assert table.faults == []


@pytest.mark.article("football_poker", "8.2")
@pytest.mark.parametrize("packs", [1, 2, 8])
def test_shuffler_reshuffles_all_cards_for_each_round(packs: int) -> None:
    table = new_table(Dealing.SHUFFLER, packs=packs)
    for _ in range(2):
        assert len(commands(table.open_round(), ShuffleCards)) == 1
        assert table.pack == PackState.SHUFFLING
        table.shuffled(52 * packs)
        assert table.pack == PackState.READY
        table.commit()
        table.show()
        table.bet()
        table.deal().finish()
        assert table.pack == PackState.NEEDED


@pytest.mark.article("football_poker", "2.1")
@pytest.mark.parametrize(("packs", "count"), [(1, 51), (1, 53), (2, 52), (8, 415), (1, 0)])
def test_packs_of_another_number_of_cards_are_unfit(packs: int, count: int) -> None:
    table = new_table(Dealing.SHUFFLER, packs=packs)
    table.open_round()
    table.shuffled(count)
    short = count < 52 * packs
    assert table.faults == [Code.SHUFFLER_COUNT_SHORT if short else Code.SHUFFLER_COUNT_OVER]
    table.commit()
    table.show()
    table.bet()
    assert table.prompt() == "pack_unfit"
    assert voided(table.packet()) == ("6(3)", "pack_not_shuffled")


@pytest.mark.article("football_poker", "2.1")
@pytest.mark.article("football_poker", "8.2")
def test_several_packs_serve_many_rounds_and_settle_as_such() -> None:
    table = new_table(packs=2)
    table.confirm_pack()
    for played in (1, 2):
        table.open_round()
        table.commit()
        table.show()
        table.bet()
        settled = table.deal().finish()
        assert settled.rules == {"decks": 2}
        assert table.state.left == 104 - 4 * played
    table.confirm_pack()
    assert table.state.left == 104


@pytest.mark.article("football_poker", "2.1")
def test_each_card_is_there_as_often_as_there_are_packs() -> None:
    table = new_table(packs=2).begin(bet())
    table.draw("4s", "Ah", "4s", "Ah")
    assert table.finish().round["places"][0]["cards"] == ["4s", "Ah"]
    assert table.faults == []
    table.open_round()
    table.commit()
    table.show()
    table.bet()
    table.draw("4s")
    assert table.faults == [Code.SHOE_IMPOSSIBLE_DUPLICATE]


@both_ways
def test_round_voided_before_its_first_card_keeps_the_pack(dealing: Dealing) -> None:
    table = new_table(dealing).begin(bet())
    table.void()
    assert table.pack == (PackState.READY if dealing is Dealing.SHOE else PackState.NEEDED)
    table.begin(bet()).deal_two()
    table.void()
    assert table.pack == PackState.NEEDED


def test_pack_with_a_possibly_missed_card_serves_no_other_round() -> None:
    table = new_table().begin(bet())
    table.lose(SHOE)
    table.attach(SHOE)
    table.void()
    assert table.pack == PackState.NEEDED
