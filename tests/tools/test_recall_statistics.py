"""What a period's rounds came to, in every game, beside exact chances."""

from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from tests.tools.counted import GAMES, Told, kinds, settled, told_of


def rows(told: dict[str, Any], kind: str) -> dict[str, tuple[int, float | None]]:
    (count,) = (count for count in told["counts"] if count["kind"] == kind)
    return {row["name"]: (row["observed"], row.get("expected")) for row in count["rows"]}


@pytest.mark.parametrize("game", GAMES)
def test_chances_of_what_can_be_alone_sum_to_one(game: str) -> None:
    for kind in kinds(game):
        total = sum(kind.chances.values())
        assert total == 1 if kind.name != "naturals" else 0 < total < 1
        assert all(0 < chance < 1 for chance in kind.chances.values())


def test_a_dragon_is_as_likely_as_one_in_9463() -> None:
    (naturals,) = kinds("thirteen-cards")
    assert naturals.chances["dragon"] == Fraction(4**13, 635_013_559_600)


def test_the_dealers_hands_are_counted_beside_their_chances(tmp_path: Path) -> None:
    told = told_of(tmp_path, "q-poker", [[settled(1, {"dealer": {"hand": "pair"}})] for _ in range(4)])
    assert rows(told, "hands")["pair"] == (4, 0.678)
    assert rows(told, "hands")["flush"] == (0, 0.198)


def test_results_stand_in_the_laws_order() -> None:
    (hands,), (throws,) = kinds("q-poker"), kinds("chinese-dice")
    assert list(hands.chances) == [
        "straight_flush", "three_of_a_kind", "straight", "flush", "pair", "high_card",
    ]  # fmt: skip
    assert list(throws.chances) == ["4-5-6", "triple", *(f"pair+{number}" for number in range(6, 0, -1)), "1-2-3"]


def test_a_draw_and_the_common_places_total_are_counted(tmp_path: Path) -> None:
    settlement = {"places": [{"place": 1, "total": 3}, {"place": "common", "total": 9}]}
    played = {"draw": {"series": "lower", "combination": 4}}
    told = told_of(tmp_path, "football-poker", [[settled(1, settlement, played)] for _ in range(16)])
    assert rows(told, "draws")["lower_4"] == (16, 1.0)
    assert rows(told, "totals")["9"][0] == 16
    assert list(rows(told, "totals")) == [str(total) for total in range(10)]


def test_wheel_counts_use_each_rounds_last_valid_rotation(tmp_path: Path) -> None:
    stopped: list[Told] = [("wheel.stopped", 1, {"section": 7}), ("wheel.stopped", 2, {"section": 9})]
    told = told_of(tmp_path, "wheel-of-fortune", [[*stopped, settled(3, {}, {"spin": {"symbol": 2}})]])
    assert rows(told, "symbols")["symbol_2"] == (1, 0.231)
    assert rows(told, "sections")["9"] == (1, 0.019)
    assert rows(told, "sections")["7"][0] == 0
    assert len(rows(told, "sections")) == 52


def test_the_bankers_throws_are_counted(tmp_path: Path) -> None:
    told = told_of(tmp_path, "chinese-dice", [[settled(1, {"banker": {"combination": "4-5-6"}})]])
    assert rows(told, "throws")["4-5-6"] == (1, 0.056)


def test_natural_depending_on_the_setting_has_no_expectation(tmp_path: Path) -> None:
    bankers: list[dict[str, Any]] = [
        {"natural": None, "rows": ["pair", "pair", "flush"]},
        {"natural": "three_flushes", "rows": ["high_card", "flush", "flush"]},
        {"natural": None, "rows": None},
    ]
    told = told_of(tmp_path, "thirteen-cards", [[settled(1, {"banker": banker})] for banker in bankers])
    found = rows(told, "naturals")
    assert (found["no_natural"], found["three_flushes"]) == ((1, None), (1, None))
    assert found["dragon"][1] is not None
    assert told["counts"][0]["rounds"] == 2


def test_parts_of_a_round_last_from_first_to_last_event(tmp_path: Path) -> None:
    def round_of(second: int, betting_s: int) -> list[Told]:
        return [
            ("round.opened", second, {}),
            ("round.betting_closed", second + betting_s, {}),
            ("card.dealt", second + betting_s + 1, {}),
            ("card.dealt", second + betting_s + 8, {}),
            settled(second + betting_s + 20, {}),
        ]

    told = told_of(tmp_path, "q-poker", [round_of(100 * nth, nth) for nth in range(1, 11)])
    parts = {part["part"]: (part["median_s"], part["ninth_s"], part["longest_s"]) for part in told["parts"]}
    assert parts == {"betting": (6, 10, 10), "dealing": (8, 8, 8), "round": (26, 30, 30)}


def test_rounds_are_counted_by_the_hour_and_void_ones_apart(tmp_path: Path) -> None:
    void: Told = ("round.void", 3700, {})
    irregular: Told = ("round.irregular", 3600, {})
    fault: Told = ("fault.raised", 5, {"code": 801})
    over: Told = ("fault.cleared", 6, {"code": 801})
    other: Told = ("fault.raised", 6, {"code": 801, "device": "shoe"})
    faults = [fault, fault, over, fault, other]
    told = told_of(tmp_path, "q-poker", [[settled(1, {})], [*faults, settled(2, {})], [irregular, void]])
    assert told["rounds"] == {"settled": 2, "void": 1, "irregular": 1}
    assert [(each["settled"], each["void"]) for each in told["hours"]] == [(2, 0), (0, 1)]
    assert told["faults"] == [{"code": 801, "times": 3}]  # one of them was told again, with another reason


def test_a_period_without_rounds_has_counts_of_nothing(tmp_path: Path) -> None:
    told = told_of(tmp_path, "q-poker", [])
    assert (told["rounds"], told["hours"], told["parts"]) == ({"settled": 0, "void": 0, "irregular": 0}, [], [])
    assert rows(told, "hands")["pair"] == (0, 0)
