"""Dry runs of amendments beside face-down cards: tables that differ in these alone give the same answers."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Final

import pytest

from tablectl.config.game_setup import played
from tablectl.core.actions.authority import Need
from tablectl.core.effects import Refuse
from tablectl.core.facts import Fact, Stamp
from tablectl.core.facts.amendments import Change, RoundAmended
from tablectl.core.game_step import device_of_kind
from tablectl.daemon.requests.admission import dry_run
from tablectl.daemon.requests.amendment_edits import EditReader
from tablectl.daemon.requests.round_past import RoundReader
from tablectl.daemon.table_fold import TableFold
from tests.referee.amended import TABLES
from tests.referee.evening import Evening
from tests.referee.persons import BOTH
from tests.support.amending import ROUND, after, does, to

Recorded = tuple[str, Mapping[str, Any]]
DRAW: Final = {"series": "upper", "combination": 3}
PACK: Final[tuple[Recorded, ...]] = (("confirm_pack", {"shuffle": "hand"}), ("open_round", {}))
OPENING: Final[Mapping[str, tuple[Recorded, ...]]] = {
    "q_poker": (*PACK, ("bet", {"place": 1, "bettor": "ann", "bet": "versus_dealer", "stake": "100"})),
    "football_poker": (
        *PACK,
        *(("draw", DRAW), ("shown_draw", DRAW)),
        *(("bet", {"place": place, "bettor": f"b{place}", "bet": "odd", "stake": "100"}) for place in (1, 2)),
    ),
}
DEALT: Final[Mapping[str, tuple[str, str]]] = {
    "q_poker": ("As Kd 7c 2c Qh 4h", "As 2c 7c Kd Qh 4h"),
    "football_poker": ("5h 6d 2c 5s 2s 7d 8c", "5h 2c 6d 5s 2s 7d 8c"),
}
"""The same deal with two face-down cards exchanged; in Football Poker the common hand has a third card."""

Folded = tuple[Evening, list[int]]


@pytest.fixture
def dealt(tmp_path: Path) -> Iterator[Callable[[str, str], Folded]]:
    with ExitStack() as stack:

        def evening(game: str, cards: str) -> Folded:
            (folder := tmp_path / cards.replace(" ", "")).mkdir()
            table = Evening(TABLES[game], played(game).table, folder)
            stack.callback(table.close)
            does(table, *OPENING[game])
            return table, does(table, *(("card", {"card": card}) for card in cards.split()))

        yield evening


def tried(evening: Evening, *changes: Change) -> Any:
    """What a dry run answers: its outcome, or the refusal."""
    evening.keep()
    game, kind = evening.game, evening.state_type
    folding = TableFold(game, ("site", "table"), kind)
    folding.state = evening.table
    basis = RoundReader(game, None, evening._journal, folding.read_snapshot).basis(evening.table, ROUND)
    assert not isinstance(basis, Refuse)
    at = Stamp(basis.facts[-1].fact.at.utc_us, 0, "boot")
    edits = EditReader(basis, partial(device_of_kind, game), at).edits(changes)
    assert not isinstance(edits, Refuse), edits
    asked = RoundAmended("a try", tuple(changes))
    fact = Fact(asked, at, "console", by="ana", round_id=ROUND, seen=evening.table.records)
    reply = dry_run(folding, replace(fact, basis=replace(basis, edits=edits)), Need.ANY, BOTH)
    return reply.refused or reply.outcome


NAMED: Final[Sequence[Callable[[list[int]], list[Change]]]] = (
    lambda cards: [after(cards[-1], "expose_card", place=1, index=2, card="Kd")],
    lambda cards: [after(cards[-1], "expose_card", place=1, index=2, card="6d")],
    lambda cards: [after(cards[-1], "expose_card", place=1, index=2, card="2c")],
    lambda cards: [to(cards[1], lies=2)],
    lambda cards: [to(cards[0], lies="aside")],
    lambda cards: [Change(cards[0])],
    lambda cards: [to(cards[1], card=None)],
    lambda cards: [after(cards[0], "card", card=None)],
    lambda cards: [to(cards[-1], card=None)],
    lambda cards: [after(cards[-1], "open_hand", place=1, cards=["5h", "6d"])],
    lambda cards: [after(cards[-1], "open_hand", place=2, cards=["5s", "6d"])],
    lambda cards: [after(cards[-1], "open_hand", place=1, cards=["9c", "Kh"])],
)


@pytest.mark.parametrize("changes", NAMED)
@pytest.mark.parametrize("game", OPENING)
def test_a_dry_run_tells_nothing_of_face_down_cards(
    game: str, changes: Callable[[list[int]], list[Change]], dealt: Callable[[str, str], Folded]
) -> None:
    (one, cards), (other, others) = (dealt(game, each) for each in DEALT[game])
    assert one.sight == other.sight
    assert tried(one, *changes(cards)) == tried(other, *changes(others))


@pytest.mark.parametrize("named", [("As", "7c", "Qh"), ("As", "Kd", "Qh"), ("9s", "9d", "9h"), ()])
def test_hand_put_in_by_dry_run_is_what_is_named(named: tuple[str, ...], dealt: Callable[[str, str], Folded]) -> None:
    answers = [
        tried(evening, after(cards[-1], "open_hand", place=1, cards=[*named]))
        for evening, cards in (dealt("q_poker", each) for each in DEALT["q_poker"])
    ]
    assert answers[0] == answers[1]
    assert answers[0]["phase"] == "deciding"


def test_stake_tried_beside_face_down_cards_keeps_the_phase(dealt: Callable[[str, str], Folded]) -> None:
    evening, cards = dealt("football_poker", DEALT["football_poker"][0])
    assert evening.phase == "opening"
    assert tried(evening, to(cards[0] - 1, stake="200"))["phase"] == "opening"
    assert tried(evening, to(cards[0] - 1, stake="200"))["asks_again"] == []


def test_only_a_hand_that_gets_no_third_card_is_opened(dealt: Callable[[str, str], Folded]) -> None:
    evening, cards = dealt("football_poker", DEALT["football_poker"][0])
    assert tried(evening, to(cards[-1], card=None))["phase"] == "opening"
    assert tried(evening, after(cards[-1], "open_hand", place=1, cards=["5d", "6h"]))["phase"] == "opening"
    assert tried(evening, after(cards[-1], "open_hand", place=1, cards=["9c", "Kh"])).code == "cards_disagree"
    again = tried(evening, after(cards[-1], "open_hand", place=1, cards=["5h", "6d"]), to(cards[2], card=None))
    assert again.code == "third_cards_first"
