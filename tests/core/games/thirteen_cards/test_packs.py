"""The pack: shuffled by hand or by the machine, counted, cut and in the box before the dice are shaken."""

import pytest

from tablectl.core.dealing.pack import PackState
from tablectl.core.effects import ShuffleCards
from tablectl.core.events.round import Irregular
from tablectl.core.facts.game_requests import PackConfirmed
from tablectl.core.facts.reports import PacketDelivered, ShuffleFailed
from tablectl.core.facts.table_requests import RoundOpened
from tablectl.core.faults import Code
from tablectl.core.games.thirteen_cards.state import Phase
from tablectl.core.table import fault
from tests.support.sitting import commands
from tests.support.thirteen_cards import SHOE, SHUFFLER, Sitting, new_table, on, read_table


@pytest.mark.article("thirteen_cards", "2.a")
def test_without_a_shuffler_the_dealers_word_readies_the_pack() -> None:
    table = new_table()
    assert table.prompt() == "pack"
    table.does(PackConfirmed())
    assert (table.state.pack.state, table.state.boxed, table.prompt()) == (PackState.READY, True, "open_round")


@pytest.mark.article("thirteen_cards", "2.a")
def test_shuffler_then_cut_and_box_follow_a_hand() -> None:
    table = new_table(shuffler=SHUFFLER)
    effects = table.confirm_pack()
    assert commands(effects, ShuffleCards) == [ShuffleCards(table.state.pack.operation)]
    assert table.prompt() == "shuffling"
    table.shuffled()
    assert (table.state.boxed, table.prompt()) == (False, "cut")
    assert table.confirm_pack() == ()
    assert (table.state.boxed, table.prompt()) == (True, "open_round")


def test_pack_that_lies_in_the_box_may_be_shuffled_anew() -> None:
    table = new_table(shuffler=SHUFFLER).begin()
    assert len(commands(table.confirm_pack(), ShuffleCards)) == 1
    assert (table.state.boxed, table.prompt()) == (False, "betting")


@pytest.mark.article("thirteen_cards", "1.a")
@pytest.mark.article("thirteen_cards", "1.d")
@pytest.mark.parametrize("count", [51, 53])
def test_a_pack_that_does_not_count_52_is_not_fit(count: int) -> None:
    table = new_table(shuffler=SHUFFLER)
    table.confirm_pack()
    table.shuffled(count)
    assert (table.state.pack.state, table.prompt()) == (PackState.NEEDED, "pack")


def test_shuffle_that_failed_is_asked_for_anew_under_another_number() -> None:
    table = new_table(shuffler=SHUFFLER)
    table.confirm_pack()
    first = table.state.pack.operation
    table.tell(ShuffleFailed(SHUFFLER, first))
    assert table.prompt() == "pack"
    table.confirm_pack()
    assert table.state.pack.state is PackState.SHUFFLING
    assert table.state.pack.operation != first


@pytest.mark.parametrize("steps", ["lost", "jam"])
def test_where_machine_is_out_of_use_dealers_word_counts(steps: str) -> None:
    table = new_table(shuffler=SHUFFLER)
    table.confirm_pack()
    if steps == "lost":
        table.lose(SHUFFLER)
    else:
        table.raise_fault(Code.SHUFFLER_JAM, SHUFFLER)
        assert table.state.pack.state is PackState.NEEDED
    table.does(PackConfirmed())
    assert table.state.boxed


def skipped(table: Sitting) -> list[tuple[str, str]]:
    return [(event.article, event.consequence) for event in table.all_of(Irregular) if event.code == "machine_skipped"]


@pytest.mark.article("thirteen_cards", "2.a")
@pytest.mark.parametrize("opened_first", [True, False])
def test_pack_left_unshuffled_by_the_shuffler_is_recorded(*, opened_first: bool) -> None:
    table = new_table(shuffler=SHUFFLER)
    table.lose(SHUFFLER)
    steps = (RoundOpened(), PackConfirmed()) if opened_first else (PackConfirmed(), RoundOpened())
    table.does(*steps)
    assert skipped(table) == [("2(a)", "continues")]
    assert table.state.boxed


@pytest.mark.article("thirteen_cards", "2.a")
def test_nothing_is_skipped_without_a_shuffler_or_after_shuffling() -> None:
    without = new_table().begin(on())
    machine = new_table(shuffler=SHUFFLER).begin(on())
    assert skipped(without) == skipped(machine) == []


def test_pack_that_the_machine_shuffles_after_all_is_not_skipped() -> None:
    table = new_table(shuffler=SHUFFLER)
    table.lose(SHUFFLER)
    table.does(PackConfirmed())
    table.attach(SHUFFLER)
    table.confirm_pack()
    table.shuffled()
    table.does(PackConfirmed(), RoundOpened())
    assert skipped(table) == []


def test_a_machine_that_restarted_has_shuffled_nothing() -> None:
    table = new_table(shuffler=SHUFFLER)
    table.confirm_pack()
    table.attach(SHUFFLER, "2")
    assert table.state.pack.state is PackState.NEEDED


def test_fault_of_machine_leaves_pack_alone_that_lies_in_box() -> None:
    table = new_table(shuffler=SHUFFLER).begin(on())
    table.raise_fault(Code.SHUFFLER_JAM, SHUFFLER)
    assert table.state.boxed
    table.shaken()
    table.raise_fault(Code.SHUFFLER_JAM, SHUFFLER)
    assert table.phase == Phase.DEALING


def test_shuffle_is_repeated_after_restart_until_done() -> None:
    table = new_table(shuffler=SHUFFLER)
    table.confirm_pack()
    asked = ShuffleCards(table.state.pack.operation)
    table.restart()
    assert table.game.outstanding(table.state) == (asked,)
    table.attach(SHUFFLER)
    table.shuffled()
    assert table.game.outstanding(table.state) == ()


@pytest.mark.article("thirteen_cards", "2.a")
@pytest.mark.parametrize("phase", [Phase.IDLE, Phase.BETTING, Phase.CLOSED])
def test_card_drawn_before_the_dice_are_shaken_spoils_the_pack(phase: Phase) -> None:
    table = read_table(dice="")
    table.confirm_pack()
    if phase is not Phase.IDLE:
        table.seat()
        table.open_round()
        table.bet()
    if phase is Phase.CLOSED:
        table.close()
    table.draw("As")
    assert table.phase == phase
    assert (table.state.pack.state, table.state.boxed) == (PackState.NEEDED, False)
    assert fault(table.table, Code.CARD_OUT_OF_ROUND, SHOE) is not None
    table.does(PackConfirmed())
    assert table.state.boxed


def test_packet_from_machine_is_a_card_out_of_round() -> None:
    table = new_table(shuffler=SHUFFLER).begin(on())
    table.tell(PacketDelivered(SHUFFLER, 3))
    assert fault(table.table, Code.CARD_OUT_OF_ROUND, SHUFFLER) is not None
    assert table.state.boxed
