"""Every game's demonstration: planned by its seed, and every mishap told by the table as the law names it."""

import json
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from tablectl import words
from tablectl.config import load
from tablectl.config.game_setup import game_of
from tablectl.core.bets.settle import settle_line
from tablectl.daemon.host.clock import SystemClock
from tablectl.daemon.table import LiveTable
from tablectl.features.demo.cli import GAMES
from tablectl.features.demo.customs import EVERYWHERE, Custom
from tablectl.features.demo.games import act_of
from tablectl.features.demo.games.chinese_dice import Mishap as Dice
from tablectl.features.demo.games.football_poker import Mishap as Football
from tablectl.features.demo.games.thirteen_cards import Mishap as Thirteen
from tablectl.features.demo.games.wheel_of_fortune import Mishap as Wheel
from tablectl.journal.journal import open_journal
from tablectl.rule_tables import settlers
from tests.support.demo import EVENTFUL, MISHAPS, Evening, Form, evening, kind

OTHERS = [game for game in MISHAPS if game != "q-poker"]
"""Those of whose mishaps all are judged here; Q Poker's own have a module of their own."""


@dataclass(frozen=True)
class Told:
    """What has to be seen of a mishap: the type of an event and some of its data."""

    kind: str
    data: dict[str, Any]


def irregular(article: str, consequence: str = "continues") -> Told:
    return Told("round.irregular", {"article": article, "consequence": consequence})


def fault(code: int) -> Told:
    return Told("fault.raised", {"code": code})


def invalid(*reasons: str) -> Told:
    return Told("wheel.invalid", {"reasons": list(reasons)})


VOID = Told("round.void", {"article": "table"})
ENDED = Told("round.settled", {})
"""A mishap without a message of its own: the round goes on as any."""

CUSTOMS: dict[StrEnum, Told] = {
    Custom.SAME_BETS_AGAIN: Told("bet.placed", {}),
    Custom.ENDED_WITHOUT_BETS: VOID,
    Custom.STAKE_AMENDED: Told("round.amended", {"second": None}),
    Custom.ROUND_AMENDED: Told("round.corrected", {"by_hand": False}),
    Custom.MATERIAL_NAMED: Told("audit.material_changed", {"fit": True}),
    Custom.FOREIGN_CARD: Told("audit.material_changed", {"fit": False}),
    Custom.DID_NOT_DECIDE: Told("round.irregular", {"article": "table"}),
    Custom.DID_NOT_SHAKE: Told("round.irregular", {"article": "table"}),
    Custom.DID_NOT_SHOW: Told("round.irregular", {"article": "table"}),
    Custom.DID_NOT_THROW: Told("round.irregular", {"article": "table"}),
}
"""What comes up at any table."""

EXPECTED: dict[str, dict[StrEnum, Told]] = {
    "football-poker": {
        Football.PLAYER_CARD_EXPOSED: irregular("7"),
        Football.PLACE_WITHOUT_BET: irregular("6(3)", "hand_void"),
        Football.MENDED: irregular("6(3)", "mended"),
        Football.WRONG_ORDER: irregular("6(3)", "round_void"),
        Football.CARD_MISSED: irregular("table"),
        Football.DEALT_BY_HAND: irregular("table"),
        Football.SHOE_UNPLUGGED: fault(101),
        Football.DRAW_UNPLUGGED: Told("draw.committed", {}),
        Football.DISPLAY_WRONG: fault(410),
        Football.DISPLAY_LOST: irregular("6(1)"),
        Football.SHUFFLER_JAM: Told("round.void", {}),
        Football.SUPERVISOR_VOID: VOID,
    },
    "wheel-of-fortune": {
        Wheel.ON_PEG: Told("wheel.invalid", {"on_peg": True}),
        Wheel.TOO_FEW_TURNS: irregular("4(3)", "respin"),
        Wheel.HAND_SEEN: invalid("interference"),
        Wheel.SPUN_EARLY: fault(513),
        Wheel.MOVED_AFTER_STOP: fault(515),
        Wheel.WHEEL_UNPLUGGED: invalid("fewer_than_three_turns"),
        Wheel.SUPERVISOR_VOID: VOID,
    },
    "chinese-dice": {
        Dice.COCKED_DIE: Told("dice.thrown", {"valid": False, "flaw": "cocked"}),
        Dice.DIE_OUTSIDE: Told("dice.thrown", {"valid": False, "flaw": "outside"}),
        Dice.BET_MISPLACED: irregular("2(g)"),
        Dice.DICE_HELD_AWAY: irregular("3(c)", "rethrow"),
        Dice.THROWN_OUT_OF_TURN: fault(611),
        Dice.LATE_BET: Told("bet.refused", {"article": "2(f)"}),
        Dice.SUPERVISOR_VOID: VOID,
    },
    "thirteen-cards": {
        Thirteen.COCKED_DIE: Told("dice.thrown", {"valid": False, "flaw": "cocked"}),
        Thirteen.PLAYER_CARD_EXPOSED: Told("card.exposed", {}),
        Thirteen.MENDED: irregular("4", "mended"),
        Thirteen.DEAL_CANCELLED: irregular("4", "redealt"),
        Thirteen.FOUND_LATE: irregular("4", "mended"),
        Thirteen.LATE: irregular("2(d)", "hand_lost"),
        Thirteen.BANKER_RESETS: irregular("7"),
        Thirteen.LOOKED_EARLY: irregular("2(d)"),
        Thirteen.SUPERVISOR_VOID: VOID,
    },
}
"""By the game, for two games may have mishaps of one name."""


def planned(game: str, count: int, seed: int = EVENTFUL["q-poker"].seed, share: float = 1) -> list[Any]:
    return list(islice(act_of(game).plans(seed, share), count))


@pytest.fixture(autouse=True)
def _broker_is_installed(mosquitto: Path) -> None:
    """The demo finds mosquitto by itself; without it there is nothing to test."""


Evenings = Callable[[str], Evening]


@pytest.fixture
def demo_of(run_folder: Path) -> Evenings:
    return lambda game: evening(run_folder, EVENTFUL[game])


def rounds_of(game: str, events: list[Form]) -> list[tuple[Any, list[Form]]]:
    """Each round's plan, and all that was published from its opening to the next one's."""
    rounds: list[list[Form]] = []
    for event in events:
        if kind(event) == "round.opened":
            rounds.append([])
        if rounds:
            rounds[-1].append(event)
    return list(zip(planned(game, 1 + len(MISHAPS[game])), rounds, strict=True))


def test_every_game_has_its_act_and_its_mishaps() -> None:
    assert set(GAMES) == MISHAPS.keys()


@pytest.mark.parametrize("game", MISHAPS)
def test_same_seed_plans_the_same_rounds_and_another_seed_others(game: str) -> None:
    assert planned(game, 30) == planned(game, 30)
    assert planned(game, 3, seed=8) != planned(game, 3, seed=9)


@pytest.mark.parametrize("game", MISHAPS)
def test_every_mishap_occurs_before_one_is_repeated(game: str) -> None:
    first, *rest = planned(game, 1 + len(MISHAPS[game]))
    assert first.mishap is None
    assert {plan.mishap for plan in rest} == set(MISHAPS[game])
    assert all(plan.mishap is None for plan in planned(game, 40, share=0))


@pytest.mark.parametrize("mishap", [mishap for mishaps in MISHAPS.values() for mishap in mishaps])
def test_every_mishap_can_be_announced(mishap: StrEnum) -> None:
    assert f"demo.staged.{mishap}" in words.catalogue("en")


@pytest.mark.slow
@pytest.mark.parametrize("game", OTHERS)
def test_every_round_ends_once_and_is_marked_simulated(demo_of: Evenings, game: str) -> None:
    events = demo_of(game).keeper.forms
    opened = [event["subject"] for event in events if kind(event) == "round.opened"]
    ended = [event["subject"] for event in events if kind(event) in {"round.settled", "round.void"}]
    assert ended == opened
    assert len(opened) == 1 + len(MISHAPS[game])
    assert all(event["simulated"] for event in events)
    assert [int(event["sequence"]) for event in events] == list(range(1, len(events) + 1))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("game", "mishap"),
    [
        *((game, mishap) for game in OTHERS for mishap in MISHAPS[game]),
        *(("q-poker", custom) for custom in (*EVERYWHERE, Custom.MATERIAL_NAMED)),
    ],
)
def test_a_mishap_is_told_by_the_table(demo_of: Evenings, game: str, mishap: StrEnum) -> None:
    every = demo_of(game).keeper.forms
    events = next(events for plan, events in rounds_of(game, every) if plan.mishap is mishap)
    if str(mishap) == Custom.MATERIAL_NAMED.value:  # before the round begins
        events = every
    told = CUSTOMS.get(mishap) or EXPECTED[game].get(mishap, ENDED)
    assert any(kind(event) == told.kind and told.data.items() <= event["data"].items() for event in events)


@pytest.mark.slow
def test_what_is_drawn_is_drawn_once_whatever_is_unplugged(demo_of: Evenings) -> None:
    for _, events in rounds_of("football-poker", demo_of("football-poker").keeper.forms):
        assert len([event for event in events if kind(event) == "draw.committed"]) == 1


@pytest.mark.slow
def test_the_wheel_is_settled_by_what_it_showed_last(demo_of: Evenings) -> None:
    for plan, events in rounds_of("wheel-of-fortune", demo_of("wheel-of-fortune").keeper.forms):
        settled = [event["data"] for event in events if kind(event) == "round.settled"]
        stopped = [event["data"] for event in events if kind(event) == "wheel.stopped"]
        assert bool(settled) is (plan.mishap not in {Wheel.SUPERVISOR_VOID, Custom.ENDED_WITHOUT_BETS})
        if settled:
            assert settled[0]["round"]["spin"]["symbol"] == stopped[-1]["symbol"]


@pytest.mark.slow
@pytest.mark.parametrize("game", OTHERS)
def test_every_settled_round_settles_again_to_the_same(demo_of: Evenings, game: str) -> None:
    settled = [event["data"] for event in demo_of(game).keeper.forms if kind(event) == "round.settled"]
    assert settled
    for data in settled:
        line = {key: data[key] for key in ("game", "rules", "round")}
        again = json.loads(settle_line(json.dumps(line).encode(), 1, settlers()).text)
        assert {key: again[key] for key in data["settlement"]} == data["settlement"]


@pytest.mark.slow
@pytest.mark.parametrize("game", OTHERS)
def test_demonstration_journal_replays_byte_for_byte(demo_of: Evenings, game: str, tmp_path: Path) -> None:
    config = load(demo_of(game).folder / "table.toml")
    shutil.copytree(demo_of(game).folder / "state", tmp_path / "state")
    journal, elsewhere = open_journal(tmp_path / "state"), open_journal(tmp_path / "elsewhere")
    place = (config.table.site, config.table.name)
    blank = LiveTable(game_of(config).make(config), elsewhere, SystemClock(), place, game_of(config).table)
    try:
        records = list(journal.replay(0))
        assert [event for record in records for event in blank.folding.replayed(record)] == journal.events_after(
            0, 100_000
        )
        assert len(records) > 100
    finally:
        blank.shut()
        journal.close()
