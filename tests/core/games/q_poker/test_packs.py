"""The pack: shuffled and whole before each round, and by which way it is dealt. Articles 1 to 3."""

import pytest

from tablectl.core.dealing.pack import PackState
from tablectl.core.facts.game_requests import Dealing, PackConfirmed, Shuffle
from tablectl.core.faults import Code
from tablectl.core.games.q_poker.state import Phase
from tests.support.poker import SHOE, irregularity
from tests.support.q_poker import accepted, new_table, shuffles, versus
from tests.support.sitting import refused


@pytest.mark.article("q_poker", "1.1")
def test_after_every_round_the_pack_is_shuffled_anew() -> None:
    table = new_table().begin(versus()).deal()
    table.finish()
    assert table.pack == PackState.NEEDED
    assert refused(table.open_round()) == ("3(1)", "pack_not_confirmed")
    table.confirm_pack()
    assert accepted(table.open_round())


@pytest.mark.article("q_poker", "3.1")
@pytest.mark.parametrize("shuffle", Shuffle)
def test_shoe_round_opens_only_with_whole_shuffled_pack_in_shoe(shuffle: Shuffle) -> None:
    table = new_table()
    assert refused(table.open_round()) == ("3(1)", "pack_not_confirmed")
    table.tell(PackConfirmed(shuffle))
    assert accepted(table.open_round())
    assert table.phase == Phase.BETTING


@pytest.mark.article("q_poker", "1.2")
@pytest.mark.article("q_poker", "3.1")
def test_pack_whose_cut_card_is_out_between_rounds_opens_none() -> None:
    table = new_table()
    table.confirm_pack()
    table.cut()
    assert (table.pack, table.prompt()) == (PackState.READY, "pack")
    assert refused(table.open_round()) == ("3(1)", "pack_used_up")
    table.confirm_pack()
    assert accepted(table.open_round())


@pytest.mark.article("q_poker", "1.2")
@pytest.mark.parametrize("dealt", [0, 3])
def test_round_with_the_cut_card_is_dealt_out(dealt: int) -> None:
    table = new_table().begin(versus())
    cards_of_round = ("As", "Kd", "2c", "Qs", "Qd", "7h")
    table.draw(*cards_of_round[:dealt])
    table.cut()
    table.draw(*cards_of_round[dealt:])
    assert table.phase == Phase.OPENING
    table.finish()
    assert refused(table.open_round()) == ("3(1)", "pack_not_confirmed")
    table.acknowledge(Code.SHOE_CARD_AFTER_CUT, SHOE)
    table.begin(versus()).deal()
    assert table.finish().irregularities == ()


@pytest.mark.article("q_poker", "1.3")
def test_cut_card_in_shoe_stops_no_round_of_shuffler() -> None:
    table = new_table()
    table.confirm_pack()
    table.cut()
    assert accepted(table.open_round(Dealing.SHUFFLER))


@pytest.mark.article("q_poker", "3.2")
def test_a_shuffler_round_has_the_machine_shuffle_at_once() -> None:
    table = new_table(Dealing.SHUFFLER)
    opened = table.open_round()
    assert shuffles(opened) == [table.state.pack.operation]
    assert table.pack == PackState.SHUFFLING
    table.shuffled()
    assert table.pack == PackState.READY


@pytest.mark.article("q_poker", "3.2")
@pytest.mark.parametrize(
    ("count", "code"),
    [(51, Code.SHUFFLER_COUNT_SHORT), (53, Code.SHUFFLER_COUNT_OVER), (0, Code.SHUFFLER_COUNT_SHORT)],
)
def test_a_pack_that_is_not_of_52_cards_is_unfit(count: int, code: Code) -> None:
    table = new_table(Dealing.SHUFFLER)
    table.open_round()
    table.shuffled(count)
    assert table.pack == PackState.NEEDED
    assert [fault.code for fault in table.table.faults] == [code]
    table.bet()
    assert irregularity(table.packet())[:2] == ("3(2)", "pack_not_shuffled")


@pytest.mark.article("q_poker", "3.1")
def test_a_pack_confirmed_between_rounds_spares_the_shuffler_no_shuffle() -> None:
    table = new_table(Dealing.SHUFFLER)
    table.confirm_pack()
    assert shuffles(table.open_round())
