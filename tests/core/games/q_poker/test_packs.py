"""The pack: shuffled and whole before each round, and by which way it is dealt. Articles 1 to 3."""

import pytest

from tablectl.core.dealing.pack import PackState
from tablectl.core.facts.card_requests import Dealing, PackConfirmed, Shuffle
from tablectl.core.facts.reports import ShuffleCompleted, ShuffleFailed
from tablectl.core.faults import Code
from tablectl.core.games.q_poker.state import Phase
from tests.support.poker import SHOE, SHUFFLER, irregularity, voided
from tests.support.q_poker import HANDS, accepted, new_table, shuffles, versus
from tests.support.sitting import refused
from tests.support.ways import both_ways, other


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


@pytest.mark.article("q_poker", "3.1")
def test_no_new_pack_enters_the_shoe_during_a_round() -> None:
    table = new_table().begin(versus()).deal()
    assert refused(table.confirm_pack()) == ("11(1)", "pack_in_play")
    table.turn_up_players()
    assert refused(table.confirm_pack()) == ("11(1)", "pack_in_play")


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


@pytest.mark.article("q_poker", "3.2")
def test_only_the_shuffle_asked_for_counts() -> None:
    table = new_table(Dealing.SHUFFLER)
    table.open_round()
    asked = table.state.pack.operation
    table.change(Dealing.SHUFFLER)
    latest = table.state.pack.operation
    assert latest != asked
    table.tell(ShuffleCompleted(SHUFFLER, asked, 52))
    assert table.pack == PackState.SHUFFLING
    table.tell(ShuffleCompleted(SHUFFLER, latest, 52))
    assert table.pack == PackState.READY


@pytest.mark.article("q_poker", "3.2")
def test_the_shoe_pack_is_not_confirmed_where_the_shuffler_deals() -> None:
    table = new_table(Dealing.SHUFFLER)
    table.open_round()
    assert refused(table.confirm_pack()) == ("3(2)", "shuffler_deals")
    assert table.pack == PackState.SHUFFLING


@pytest.mark.article("q_poker", "3.1")
def test_a_pack_confirmed_between_rounds_spares_the_shuffler_no_shuffle() -> None:
    table = new_table(Dealing.SHUFFLER)
    table.confirm_pack()
    assert shuffles(table.open_round())


@pytest.mark.article("q_poker", "3.1")
@pytest.mark.article("q_poker", "3.2")
@both_ways
def test_cards_from_pack_that_was_not_shuffled_make_round_void(dealing: Dealing) -> None:
    table = new_table(other(dealing)).begin(versus())
    table.change(dealing)
    first = table.draw("As") if dealing is Dealing.SHOE else table.packet()
    article = "3(1)" if dealing is Dealing.SHOE else "3(2)"
    assert irregularity(first) == (article, "pack_not_shuffled", "round_void")
    assert voided(first) == (article, "pack_not_shuffled")


@pytest.mark.article("q_poker", "7")
@both_ways
def test_the_way_of_dealing_is_fixed_by_the_first_card(dealing: Dealing) -> None:
    table = new_table(dealing).begin(versus()).deal()
    assert refused(table.change(other(dealing))) == ("7", "dealing_fixed")
    assert table.state.dealing is dealing


def test_between_rounds_no_way_of_dealing_is_changed() -> None:
    assert refused(new_table().change(Dealing.SHUFFLER)) == ("7", "dealing_fixed")


@pytest.mark.article("q_poker", "11.5")
def test_after_a_jam_in_shuffle_round_is_dealt_from_shoe() -> None:
    table = new_table(Dealing.SHUFFLER)
    table.open_round()
    table.bet()
    table.raise_fault(Code.SHUFFLER_JAM)
    assert table.phase == Phase.BETTING
    assert accepted(table.change(Dealing.SHOE))
    assert table.pack == PackState.NEEDED
    assert accepted(table.confirm_pack())
    settled = table.deal().finish()
    assert settled.round["places"][0]["cards"] == [*HANDS[1]]


@pytest.mark.article("q_poker", "11.5")
def test_dealer_may_have_round_shuffled_again_before_its_first_card() -> None:
    table = new_table(Dealing.SHUFFLER)
    table.open_round()
    table.tell(ShuffleFailed(SHUFFLER, table.state.pack.operation))
    assert table.pack == PackState.NEEDED
    assert shuffles(table.change(Dealing.SHUFFLER)) == [table.state.pack.operation]
    table.shuffled()
    table.bet()
    assert table.deal().finish().round_id
