"""Every device fault of the catalogue is brought about at a simulated device, seen at the table, kept and cleared."""

import asyncio
from dataclasses import dataclass
from pathlib import Path

import pytest

from drivers.sim.faults import NOT_HERE, TRIGGERS, trigger_for
from drivers.sim.stand import LED_BOARD, LINKED_SHOE, CannotTriggerError
from tablectl.console.auth.people import Role, may_clear
from tablectl.core.faults import CATALOGUE, Authority, Code
from tablectl.core.table import fault
from tablectl.testing.scenarios.runner import play
from tablectl.testing.scenarios.scenario import Form, Scenario, Step
from tests.support.rig_devices import at_table, demo_config, journalled
from tests.support.rig_wired import WiredRig

DEVICE_FAULTS = [code for code in Code if 100 <= code < 700]
GAMES = {
    "shoe": "q_poker",
    "shuffler": "q_poker",
    "draw": "football_poker",
    "display": "football_poker",
    "wheel": "wheel_of_fortune",
    "dice": "chinese_dice",
    "buzzer": "thirteen_cards",
}
PACK: list[Form] = [{"ask": "confirm_pack", "shuffle": "hand"}]
DEALT: list[Form] = [
    *PACK,
    {"ask": "open_round"},
    {"ask": "bet", "place": 1, "bettor": "ann", "bet": "versus_dealer", "stake": "100"},
]
FROM_THE_SHUFFLER: list[Form] = [
    {"ask": "open_round", "dealing": "shuffler"},
    {"ask": "bet", "place": 1, "bettor": "ann", "bet": "versus_dealer", "stake": "100"},
    {"state": {"pack": "ready"}},
]
A_DRAW: list[Form] = [*PACK, {"ask": "open_round"}]
A_SHUFFLE: list[Form] = [{"ask": "open_round", "dealing": "shuffler"}]
STOPPED: list[Form] = [
    {"wheel": "spin"},
    {"ask": "open_round"},
    {"ask": "bet", "place": 1, "bettor": "ann", "bet": "symbol_1", "stake": "100"},
    {"ask": "close_betting"},
    {"wheel": "spin"},
    {"phase": "stopped"},
]
PAYING: list[Form] = [
    {"ask": "take_seat", "place": 1, "bettor": "ben"},
    {"ask": "take_seat", "place": 2, "bettor": "ann"},
    {"ask": "take_bank", "place": 1, "bettor": "ben", "capital": "1000"},
    {"ask": "open_round"},
    {"ask": "bet", "place": 2, "bettor": "ann", "bet": "place", "stake": "100"},
    {"ask": "close_betting"},
    {"dice": "throw", "faces": [6, 6, 3]},
    {"dice": "throw", "faces": [6, 6, 5]},
]
KNOWN: list[Form] = [{"wheel": "spin"}]

BEFORE: dict[Code, list[Form]] = {
    Code.WHEEL_POSITION_UNKNOWN: KNOWN,
    Code.SHOE_IMPOSSIBLE_DUPLICATE: DEALT,
    Code.SHOE_CARD_AFTER_CUT: DEALT,
    Code.SHUFFLER_FAILED_DEALING: [*FROM_THE_SHUFFLER, {"shuffler": "deliver", "count": 3}],
    Code.DRAW_ID_CONFLICT: [*A_DRAW, {"phase": "betting"}],
    Code.WHEEL_INDEX_MISSING: KNOWN,
    Code.WHEEL_INDEX_EXTRA: KNOWN,
    Code.WHEEL_DRIFT: KNOWN,
    Code.WHEEL_DRIFT_BLOCKS: KNOWN,
    Code.WHEEL_SAMPLE_GAP: KNOWN,
    Code.WHEEL_IMPOSSIBLE_SPEED: KNOWN,
    Code.WHEEL_SPIN_TIMEOUT: KNOWN,
    Code.WHEEL_SPIN_OUT_OF_TURN: KNOWN,
    Code.WHEEL_UNEXPECTED_MOTION: KNOWN,
    Code.WHEEL_MOVED_AFTER_STOP: STOPPED,
    Code.DICE_OUT_OF_TURN: PAYING,
}
"""What has to be so at the table before the cause."""

AFTER: dict[Code, list[Form]] = {
    Code.UNANSWERED: A_SHUFFLE,
    Code.REFUSED_BY_DEVICE: A_SHUFFLE,
    Code.DRAW_VALUES_OUT_OF_RANGE: A_DRAW,
    Code.DRAW_TIMEOUT: A_DRAW,
    Code.DISPLAY_MISMATCH: A_DRAW,
}
"""What has to be asked for after it."""


@dataclass(frozen=True)
class Case:
    """One fault at one device."""

    code: Code
    kind: str

    def __str__(self) -> str:
        return f"{int(self.code)}-{self.kind}"

    @property
    def device(self) -> str:
        """Its name at the table."""
        return "shoe" if self.kind == LINKED_SHOE else self.kind

    @property
    def settings(self) -> dict[str, str]:
        """What is set otherwise than at the demonstration's table."""
        return {"devices.shoe.protocol": "link"} if self.kind == LINKED_SHOE else {}


def kind_for(code: Code) -> str:
    """The device at which a fault is tried: the shuffler where any on our link will do."""
    kinds = TRIGGERS[code].kinds
    return "shuffler" if "shuffler" in kinds else min(kinds - {LINKED_SHOE, LED_BOARD})


SHOE_FAULTS = [code for code, trigger in TRIGGERS.items() if 200 <= code < 300 and LINKED_SHOE in trigger.kinds]
CASES = [
    *(Case(code, kind_for(code)) for code in TRIGGERS),
    *(Case(code, LINKED_SHOE) for code in (Code.WRONG_DEVICE, Code.RESTARTED, *SHOE_FAULTS)),
]


def test_every_device_fault_of_catalogue_has_trigger_or_reason() -> None:
    assert {*TRIGGERS, *NOT_HERE} == {code for code in DEVICE_FAULTS if code in CATALOGUE}
    assert not TRIGGERS.keys() & NOT_HERE.keys()
    assert all(reason for reason in NOT_HERE.values())


@pytest.mark.parametrize(
    ("code", "kind", "told"),
    [(999, "shoe", "no fault 999"), (211, "shoe", "a person at the console"), (308, "shoe", "only from: shuffler")],
)
def test_a_fault_that_can_t_come_from_a_device_says_why(code: int, kind: str, told: str) -> None:
    with pytest.raises(CannotTriggerError, match=told):
        trigger_for(code, kind)


def scenario(case: Case, steps: list[Form]) -> Scenario:
    made = tuple(Step(next(iter(form)), next(iter(form.values())), dict(list(form.items())[1:])) for form in steps)
    return Scenario(str(case), str(case), GAMES[case.device], (), case.settings, made)


async def seen_and_cleared(rig: WiredRig, case: Case) -> None:
    trigger = TRIGGERS[case.code]
    await play(scenario(case, BEFORE.get(case.code, [])), rig)
    await trigger.begin(rig.stands[case.device])
    await play(scenario(case, AFTER.get(case.code, [])), rig)
    await rig.until(f"fault {case.code}", lambda: told(rig, "raised", case.code))
    if case.code is Code.WHEEL_POSITION_UNKNOWN:  # told at every attachment, so also before this one
        await rig.until("the sensor back", lambda: present(rig, case))
    if trigger.end is not None:
        await trigger.end(rig.stands[case.device])
    if CATALOGUE[case.code].clears is Authority.AUTO:
        await rig.until("its end by itself", lambda: told(rig, "cleared", case.code) and not present(rig, case))
        return
    await rig.until("its end", lambda: not present(rig, case))
    assert int(case.code) in rig.standing(), "a latched fault left by itself"
    assert await rig.ask("acknowledge_fault", {"code": int(case.code), "device": case.device}, "person") == ""
    await rig.until("the acknowledgement", lambda: told(rig, "cleared", case.code))


def told(rig: WiredRig, how: str, code: Code) -> bool:
    kind = f"mo.tablectl.fault.{how}.v1"
    return any(event["type"] == kind and event["data"]["code"] == int(code) for event in rig.published)


def present(rig: WiredRig, case: Case) -> bool:
    standing = fault(rig.table.state, case.code, case.device)
    return standing is not None and standing.present


@pytest.mark.parametrize("case", CASES, ids=str)
def test_fault_is_raised_kept_and_cleared_by_whom_catalogue_names(case: Case, tmp_path: Path) -> None:
    config = demo_config(scenario(case, []), tmp_path)
    for folder in ("state", "run"):
        (tmp_path / folder).mkdir()

    async def tried() -> None:
        async with at_table(config, table, tmp_path / "run") as rig:
            await seen_and_cleared(rig, case)

    with journalled(config, tmp_path / "state") as table:
        asyncio.run(tried())


def test_port_set_otherwise_in_mid_round_makes_the_dealing_doubtful(tmp_path: Path) -> None:
    case = Case(Code.PORT_CHANGED, "shoe")
    config = demo_config(scenario(case, []), tmp_path)
    for folder in ("state", "run"):
        (tmp_path / folder).mkdir()

    async def tried() -> None:
        async with at_table(config, table, tmp_path / "run") as rig:
            await play(scenario(case, DEALT), rig)
            assert not rig.table.state.game.deal.doubtful
            await TRIGGERS[case.code].begin(rig.stands["shoe"])
            await rig.until("the doubt", lambda: rig.table.state.game.deal.doubtful)

    with journalled(config, tmp_path / "state") as table:
        asyncio.run(tried())


@pytest.mark.parametrize("code", DEVICE_FAULTS)
def test_fault_takes_the_catalogued_signature_and_no_lower(code: Code) -> None:
    authority, who = CATALOGUE[code].clears, may_clear(int(code))
    if authority is not Authority.AUTO:
        assert Role(authority.value) in who
        assert (Role.DEALER in who) is (authority is Authority.DEALER)
        assert Role.SURVEILLANCE not in who
