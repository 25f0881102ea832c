"""The probe's own parts: what it says of each fact, where a wheel is by its readings, and the picture of a spin."""

import io
import json
import random
from dataclasses import replace
from pathlib import Path
from typing import get_args

import pytest

from drivers.sim.usb import SimulatedUsb
from drivers.sim.wheel_physics import Launch, Trace, spin_wheel
from drivers.sim.wheel_usb import SimulatedSensor, sensor_plug
from drivers.wheel.connection import WheelSettings
from drivers.wheel.device import WheelDriver
from drivers.wheel.facts import Watcher
from drivers.wheel.tracking.unwrap import Sensor
from drivers.wheel.usb_sensor import SensorIdentity
from tablectl.core.cards import Card
from tablectl.core.facts import Body, FaultCleared, FaultRaised, Stamp
from tablectl.core.facts.reports import (
    CardDrawn,
    CutCardReached,
    DeviceAttached,
    DeviceFact,
    DeviceLost,
    DeviceNoted,
    DiceThrown,
    DrawCommitted,
    DrawFailed,
    DrawShown,
    PacketDelivered,
    ShuffleCompleted,
    ShuffleFailed,
    ShuffleStarted,
    SignalFailed,
    SignalSounded,
    SpinStarted,
    SpinStopped,
    TurnCompleted,
    WheelMoved,
)
from tablectl.core.faults import Code
from tablectl.core.outcomes import Direction, Flaw, Series, Spin
from tablectl.core.protocols import DeviceCounters
from tablectl.core.wheel_pegs import even_pegs
from tablectl.daemon.host.clock import SystemClock
from tablectl.features.probe.curve import NARROWEST, ROWS, draw
from tablectl.features.probe.describe import Description
from tablectl.features.probe.dial import Curve, Dial
from tablectl.features.probe.options import DeviceEndedError
from tablectl.features.probe.screen import CLEAR, JsonScreen, WordScreen
from tablectl.words import Language
from tablectl.words.terminal import cells
from tests.support.told import Told, nothing, running
from tests.support.wheel import FEEL, Encoder

PEGS = even_pegs(52, version="even", guard_mdeg=650, lag_mdeg=50)
AT = Stamp(1_000_000, 0, "boot")
SPIN = Spin(Direction.CLOCKWISE, 4210, 17, 2310, flaws=(Flaw.INTERFERENCE,))
SAID: dict[Body, str] = {
    DeviceAttached("d", "US Digital", "QSB", "7457", "17", simulated=True): (
        "attached: US Digital QSB, serial 7457, firmware 17 (simulated)"
    ),
    DeviceAttached("d"): "attached: known by its port only",
    DeviceLost("d", "unplugged"): "lost: unplugged",
    DeviceNoted("d", "stand_by"): "noted: stand by",
    CardDrawn("d", Card("As")): "a card left the shoe: read",
    CardDrawn("d", None, in_game=False): "a card left the shoe: not read for certain, outside a game",
    CutCardReached("d"): "the cut card came",
    SpinStarted("d", Direction.COUNTER_CLOCKWISE, 12): "spin started counter-clockwise, from section 12",
    TurnCompleted("d", 3): "turn 3 completed",
    SpinStopped("d", SPIN): (
        "spin stopped: 4.210 turns clockwise, section 17, 2.31° to a peg; somebody or something interfered"
    ),
    SpinStopped("d", replace(SPIN, section=None, on_peg=True, margin_mdeg=80, flaws=())): (
        "spin stopped: 4.210 turns clockwise, on a peg, 0.08° to a peg"
    ),
    WheelMoved("d", -100): "moved at rest by 0.100 of a turn",
    DiceThrown("d", (1, 4, 6)): "dice: 1-4-6",
    DiceThrown("d", (), "outside"): "dice: none read, not valid: a die fell outside",
    ShuffleStarted("d", 7): "shuffle 7 started",
    ShuffleCompleted("d", 7, 52): "shuffle 7 completed: 52 cards",
    ShuffleFailed("d", 7, "jam"): "shuffle 7 failed: jam",
    PacketDelivered("d", 3): "a packet of 3 cards",
    DrawCommitted("d", 9, Series.UPPER, 4): "draw 9 made: Upper Range 4",
    DrawFailed("d", 9, "power_lost"): "draw 9 not made: power_lost",
    DrawShown("d", 9, Series.LOWER, 4, read_back=False): "draw 9 shown: Lower Range 4, not read back",
    SignalSounded("d", 2, verified=False): "signal 2 sounded, not verified",
    SignalFailed("d", 2, "muted"): "signal 2 did not sound: muted",
    FaultRaised(Code.PORT_BUSY, "d", "by whom"): "fault 103: Another program holds the device's port — by whom",
    FaultCleared(Code.PORT_BUSY, "d"): "fault 103 is over: Another program holds the device's port",
}


@pytest.mark.parametrize(("body", "line"), SAID.items())
def test_a_fact_is_said_in_words(body: Body, line: str) -> None:
    assert Description("en").fact(body) == line


@pytest.mark.parametrize("language", ["pt", "zh-Hant"])
@pytest.mark.parametrize("body", SAID)
def test_a_fact_is_said_in_every_language(body: Body, language: Language) -> None:
    said = Description(language).fact(body)
    assert said != SAID[body]
    assert "{" not in said


def test_every_fact_that_a_device_can_tell_has_words() -> None:
    kinds = {kind for union in get_args(DeviceFact) for kind in (get_args(union) or (union,))}
    assert kinds <= {type(body) for body in SAID}
    assert not any(line.startswith(type(body).__name__) for body, line in SAID.items())


def test_a_card_is_named_only_where_that_is_asked_for() -> None:
    drawn = CardDrawn("d", Card("As"))
    assert "A♠" in Description("pt", cards=True).fact(drawn)
    for cards in (False, True):
        out = io.StringIO()
        JsonScreen(out, cards=cards).fact(drawn, AT)
        assert ("As" in out.getvalue()) is cards
        assert json.loads(out.getvalue())["fields"]["card"] == ("As" if cards else None)


# --- the wheel's readings ---------------------------------------------------------------------------------------------


def followed(sensor: Sensor, *traces: Trace) -> Dial:
    """A dial that has seen these motions one after the other."""
    dial, encoder = Dial(PEGS), Encoder(sensor, 512, random.Random(4), begins=12345 if sensor.indexed else 0)
    dial.fitted(sensor)
    for trace in traces:
        for raw in encoder.samples(trace.angles_deg):
            dial.sample(raw.at_us, raw.count, raw.index)
    return dial


def spins(*speeds: float, direction: Direction = Direction.CLOCKWISE) -> list[Trace]:
    made: list[Trace] = []
    angle = 3.0
    for speed in speeds:
        launch = Launch(direction, speed=speed)
        made.append(spin_wheel(PEGS, launch, start_deg=angle, rate_hz=512, feel=FEEL, settled_s=3.5))
        angle = made[-1].angles_deg[-1]
    return made


@pytest.mark.parametrize(
    "sensor", [Sensor(8192), Sensor(4096, absolute=True, indexed=False)], ids=["incremental", "absolute"]
)
@pytest.mark.parametrize("direction", list(Direction))
def test_the_dial_shows_where_the_wheel_truly_rests(sensor: Sensor, direction: Direction) -> None:
    traces = spins(420, 460, direction=direction)
    truth, pose = traces[-1].truth, followed(sensor, *traces).pose()
    assert pose.sure
    assert pose.direction is None
    assert pose.section in {truth.section, None}
    assert pose.margin_mdeg is not None
    assert abs(pose.margin_mdeg - truth.peg_mdeg) < 100
    assert abs(abs(pose.turns_milli) - truth.turns_milli) < 60


def test_before_the_mark_came_by_no_section_is_shown() -> None:
    dial = Dial(PEGS)
    assert dial.pose().section is None
    dial.fitted(Sensor(8192))
    dial.sample(0, 77, None)
    assert (dial.pose().angle_mdeg, dial.pose().section, dial.pose().sure) == (None, None, False)


def test_a_turning_wheel_has_a_direction_and_a_speed() -> None:
    (trace,) = spins(420)
    turning = replace(trace, angles_deg=trace.angles_deg[: 512 * 3])
    pose = followed(Sensor(8192), turning).pose()
    assert pose.direction is Direction.CLOCKWISE
    true_deg_s = (turning.angles_deg[-1] - turning.angles_deg[-26]) * 512 / 25
    assert abs(pose.speed_mdeg_s / 1000 - true_deg_s) < 10


def test_a_new_sensor_knows_nothing_of_the_old_one() -> None:
    dial = followed(Sensor(8192), *spins(420, 460))
    dial.fitted(Sensor(8192))
    assert dial.pose().angle_mdeg is None


def test_curve_of_a_spin_is_its_speed_without_rest() -> None:
    curve = followed(Sensor(8192), *spins(430)).curve()
    assert curve is not None
    assert abs(max(curve.speeds_mdeg_s) / 1000 - 430) < 30
    assert 6 < len(curve.speeds_mdeg_s) * curve.step_us / 1e6 < 20
    assert abs(curve.speeds_mdeg_s[-1]) < 60_000
    assert curve.speeds_mdeg_s[len(curve.speeds_mdeg_s) // 4] > curve.speeds_mdeg_s[-10]


def test_the_curve_of_a_spin_counter_clockwise_rises_as_well() -> None:
    curve = followed(Sensor(8192), *spins(430, direction=Direction.COUNTER_CLOCKWISE)).curve()
    assert curve is not None
    assert abs(max(curve.speeds_mdeg_s) / 1000 - 430) < 30


def test_without_a_motion_there_is_no_curve() -> None:
    dial = Dial(PEGS)
    dial.fitted(Sensor(8192))
    for at_us in range(0, 3_000_000, 2000):
        dial.sample(at_us, 500 + at_us // 2000 % 2, None)
    assert dial.curve() is None


@pytest.mark.parametrize(("absolute", "counts"), [(False, 8192), (True, 1 << 16)])
async def test_our_own_sensor_is_watched_beside_its_facts(*, absolute: bool, counts: int) -> None:
    identity = SensorIdentity("maker", "wheel", "W-1", "1.0", 7, counts, 1000, absolute, not absolute, simulated=True)
    plug = sensor_plug(identity)
    sensor, told, dial = SimulatedSensor(plug, identity, angle_deg=100.0), Told(), Dial(PEGS)
    settings = WheelSettings(
        "wheel", "usb:1209:0001:W-1", Path(), PEGS, protocol="usb", simulated=True, counts_per_turn=counts
    )
    wheel = WheelDriver(
        settings, told, SystemClock("boot"), watcher=Watcher(dial.fitted, dial.sample), usb_backend=SimulatedUsb(plug)
    )
    trace = spin_wheel(PEGS, Launch(speed=400), start_deg=sensor.angle_deg, rate_hz=1000, feel=FEEL)
    async with running(wheel.run(nothing)):
        await told.nth(DeviceAttached)
        sensor.follow([sensor.angle_deg] * 500)
        sensor.follow(trace.angles_deg)
        spin = (await told.nth(SpinStopped)).spin
        pose = dial.pose()
    sensor.stop()
    assert (pose.section, pose.on_peg, pose.sure) == (spin.section, spin.on_peg, True)
    assert dial.curve() is not None
    assert wheel.name == "wheel"
    assert wheel.counters().frames > 100
    assert wheel.counters().facts == len(told.reports)


# --- the picture ------------------------------------------------------------------------------------------------------

FALLING = Curve(10_000, tuple(range(400_000, 0, -500)))


@pytest.mark.parametrize("width", [10, 24, 40, 80, 200])
@pytest.mark.parametrize("braille", [True, False])
def test_the_picture_fits_the_terminal(width: int, *, braille: bool) -> None:
    lines = draw(FALLING, width, braille=braille)
    assert len(lines) == ROWS + 1
    assert max(map(cells, lines)) <= max(width, NARROWEST)
    assert all(line.isascii() for line in lines) is not braille


def test_a_falling_speed_is_drawn_as_a_slope() -> None:
    lines = [line.partition("|")[2] for line in draw(FALLING, 60, braille=False)[:ROWS]]
    ends = [len(line) for line in lines]
    assert ends == sorted(ends)
    assert ends[0] < ends[-1] == 51
    assert draw(FALLING, 60)[0].startswith(" 400°/s │⣿")
    assert draw(FALLING, 60)[-1].split() == ["0", "8.0", "s"]


def test_the_dots_of_a_letter_are_filled_from_below() -> None:
    steps = Curve(10_000, tuple(level for level in range(1, 33) for _ in range(1)))
    bottom = draw(steps, 8 + 1 + 16)[ROWS - 1].partition("│")[2]
    assert bottom[:3] == "⣠⣾⣿"


def test_curve_of_one_speed_and_one_of_none_are_drawn() -> None:
    assert "⣿" in draw(Curve(10_000, (5,)), 40)[0]
    assert "⣿" not in "".join(draw(Curve(10_000, (0, 0)), 40))


# --- the screens ------------------------------------------------------------------------------------------------------


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_last_terminal_line_is_the_state_below_the_facts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    out = Terminal()
    screen = WordScreen(out, Description("en", cards=False))
    screen.state(DeviceCounters(1000, 10), None, up=True)
    live = out.getvalue()
    assert live.startswith(CLEAR)
    assert "\n" not in live
    assert cells(live.removeprefix(CLEAR)) < 60
    screen.fact(CutCardReached("d"), AT)
    assert out.getvalue() == live + f"{CLEAR}00:00:01.000  the cut card came\n"


def test_without_a_terminal_the_state_is_told_now_and_then() -> None:
    out = io.StringIO()
    screen = WordScreen(out, Description("en", cards=False))
    for _ in range(10):
        screen.state(DeviceCounters(1000, 10, 1, 3), None, up=True)
    assert out.getvalue() == "up: 1,000 bytes, 10 frames, 1 rejected, 3 facts\n"


def test_of_past_faults_only_the_seen_are_told() -> None:
    out = io.StringIO()
    screen = WordScreen(out, Description("en", cards=False))
    screen.fact(FaultCleared(Code.SHOE_LOCKED, "d"), AT)
    assert out.getvalue() == ""
    screen.fact(FaultRaised(Code.SHOE_LOCKED, "d"), AT)
    screen.fact(FaultCleared(Code.SHOE_LOCKED, "d"), AT)
    assert [line.split("  ")[1].split(":")[0] for line in out.getvalue().splitlines() if line[0] != " "] == [
        "fault 212",
        "fault 212 is over",
    ]


def test_the_end_says_what_is_to_be_done() -> None:
    out = io.StringIO()
    WordScreen(out, Description("en", cards=False)).end(
        DeviceCounters(), DeviceEndedError(Code.PORT_MISSING, "there is no device")
    )
    assert "fault 102: The device's port is not there — there is no device" in out.getvalue()
    assert "Plug the device in." in out.getvalue()
