"""The pure rig: facts into the fold, with devices that are only what they would have said."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from tablectl.app.games import game_of
from tablectl.core import effects, facts
from tablectl.core.cards import parse_card
from tablectl.core.draw import Series
from tablectl.core.effects import Announce, Refuse, StartTimer
from tablectl.core.facts import Body, FaultCleared, FaultRaised
from tablectl.core.faults import Code
from tablectl.core.wheel import Direction, Flaw, Spin
from tablectl.shell.config import Config, device_of
from tablectl.shell.wire import Origin, write_event
from tests.support.scenario import Form, Holds, refusal, request_of
from tests.support.sitting import Sitting, fact, new_sitting

ORIGIN = Origin("site", "table", "5eed0001", "s1")
ON_THE_LINK = frozenset({"shuffler", "draw", "display", "dice", "buzzer"})
MOMENTARY = frozenset(
    {
        Code.CORRUPT_FRAMES,
        Code.EVENT_GAP,
        Code.BACKLOG_BURST,
        Code.UNKNOWN_MESSAGE,
        Code.SHUFFLER_ORDER_RECEIVED,
        Code.WHEEL_SPIN_TIMEOUT,
    }
)
"""The faults whose cause is over as soon as they are told."""


class CoreRig:
    """A table without disk, loop or wire."""

    def __init__(self, config: Config) -> None:
        self.config = config
        self._names = {kind: device_of(config, kind) for kind in ("shoe", "shuffler", "draw", "display", "wheel",
                       "dice", "buzzer") if hasattr(config.game, kind)}  # fmt: skip
        self.sitting: Sitting[Any] = new_sitting(game_of(config).make(config))
        self.published: list[Form] = []
        self._away: set[str] = set()
        self._armed: set[Code] = set()
        self._boots = dict.fromkeys(ON_THE_LINK, 1)
        self._next_draw = (Series.UPPER, 1)
        self._timer: StartTimer | None = None
        for name in config.devices:
            self._attach(name)

    @property
    def phase(self) -> str:
        return self.sitting.phase

    def public(self) -> Mapping[str, Any]:
        shown: Mapping[str, Any] = json.loads(json.dumps(self.sitting.game.public(self.sitting.state), default=str))
        return shown

    def standing(self) -> set[int]:
        return {int(item.code) for item in self.sitting.table.faults}

    async def ask(self, verb: str, fields: Form, by: str) -> str:
        told = self._tell(request_of(verb, fields), by=by)
        return refusal(next((effect for effect in told if isinstance(effect, Refuse)), None))

    async def act(self, device: str, act: str, rest: Form) -> None:
        for body in self._bodies(device, act, rest):
            self._tell(body)

    async def unplug(self, device: str) -> None:
        self._away.add(device)
        self._tell(facts.DeviceLost(device, "unplugged"))
        self._tell(FaultRaised(Code.LINK_LOST, device, "unplugged"))

    async def plug(self, device: str) -> None:
        self._away.discard(device)
        self._attach(device)
        self._tell(FaultCleared(Code.LINK_LOST, device))
        for command in self.sitting.game.outstanding(self.sitting.state):
            self._obey(command)

    async def fault(self, code: Code, device: str) -> None:
        if code in {Code.DISPLAY_MISMATCH, Code.DRAW_TIMEOUT, Code.DRAW_VALUES_OUT_OF_RANGE}:
            self._armed.add(code)
        elif code is Code.RESTARTED:
            self._restart(device)
        else:
            self._tell(FaultRaised(code, device, f"fault {code}"))
            if code in MOMENTARY:
                self._tell(FaultCleared(code, device))

    async def clear(self, code: Code, device: str) -> None:
        self._armed.discard(code)
        self._tell(FaultCleared(code, device))
        for command in self.sitting.game.outstanding(self.sitting.state):
            self._obey(command)

    async def time_is_up(self) -> None:
        assert self._timer is not None, "no clock runs"
        self._tell(facts.TimerElapsed(self._timer.operation))

    async def until(self, what: str, holds: Holds) -> None:
        assert holds(), f"not so: {what}"

    # --- devices

    def _attach(self, name: str) -> None:
        boot = str(self._boots[name]) if name in ON_THE_LINK else ""
        self._tell(facts.DeviceAttached(name, boot=boot, simulated=True))
        if name == "wheel":
            self._tell(FaultRaised(Code.WHEEL_POSITION_UNKNOWN, name))

    def _restart(self, name: str) -> None:
        self._boots[name] = self._boots.get(name, 1) + 1
        self._attach(name)
        for command in self.sitting.game.outstanding(self.sitting.state):
            self._obey(command)

    def _bodies(self, device: str, act: str, rest: Form) -> Sequence[Body]:
        match device, act:
            case "shoe", "draw":
                return [facts.CardDrawn(device, parse_card(card)) for card in rest["cards"].split()]
            case "shoe", "draw_unread":
                code = Code.SHOE_UNCONFIRMED
                return [facts.CardDrawn(device, None), FaultRaised(code, device), FaultCleared(code, device)]
            case "shoe", "cut":
                return [facts.CutCardReached(device)]
            case "shoe", "start":
                return [facts.DeviceNoted(device, "started"), facts.DeviceNoted(device, "stand_by")]
            case "shuffler", "deliver":
                return [facts.PacketDelivered(device, rest["count"])] * rest.get("times", 1)
            case "draw", "will_be":
                self._next_draw = (Series(rest["series"]), rest["combination"])
                return []
            case "dice", "throw":
                return [facts.DiceThrown(device, tuple(rest["faces"]), rest.get("flaw", ""))]
            case "wheel", _:
                return _turned(device, act)
            case _, "restart":
                self._restart(device)
                return []
            case _:
                raise AssertionError(f"the core's {device} can't {act}")

    # --- inside

    def _tell(self, body: Body, **about: Any) -> effects.Effects:
        one = fact(body, len(self.sitting.facts), **about)
        during = self.sitting.round_id
        told = self.sitting.take(one)
        for effect in told:
            if isinstance(effect, Announce):
                number = len(self.published) + 1
                round_id = during or self.sitting.round_id
                _, data = write_event(effect.event, one, ORIGIN, number, 0, cause=None, simulated=True, during=round_id)
                self.published.append(json.loads(data))
        for effect in told:
            if isinstance(effect, effects.Command):
                self._obey(effect)
        return told

    def _obey(self, command: effects.Command) -> None:
        """What the device says to a command, if it is there and nothing hinders it."""
        match command:
            case StartTimer():
                self._timer = command
            case effects.ShuffleCards(operation) if self._fit("shuffler"):
                self._tell(facts.ShuffleStarted("shuffler", operation))
                self._tell(facts.ShuffleCompleted("shuffler", operation, 52))
            case effects.RequestDraw(draw_id) if self._fit("draw"):
                self._draw(draw_id)
            case effects.ShowDraw(draw_id, series, combination) if self._fit("display"):
                self._show(draw_id, series, combination)
            case effects.SoundSignal(operation) if self._fit("buzzer") and Code.BUZZER_NO_CURRENT in self.standing():
                self._tell(facts.SignalFailed("buzzer", operation, "no_current"))
            case effects.SoundSignal(operation) if self._fit("buzzer"):
                self._tell(facts.SignalSounded("buzzer", operation))
            case _:
                pass

    def _fit(self, name: str) -> bool:
        return name in self.config.devices and name not in self._away

    def _draw(self, draw_id: int) -> None:
        if Code.DRAW_TIMEOUT in self._armed:
            self._tell(FaultRaised(Code.DRAW_TIMEOUT, "draw"))
        elif Code.DRAW_VALUES_OUT_OF_RANGE in self._armed:
            self._armed.discard(Code.DRAW_VALUES_OUT_OF_RANGE)
            self._tell(FaultRaised(Code.DRAW_VALUES_OUT_OF_RANGE, "draw"))
            self._tell(FaultCleared(Code.DRAW_VALUES_OUT_OF_RANGE, "draw"))
            self._tell(facts.DrawFailed("draw", draw_id, "values out of range"))
        else:
            self._tell(facts.DrawCommitted("draw", draw_id, *self._next_draw))

    def _show(self, draw_id: int, series: Series, combination: int) -> None:
        if Code.DISPLAY_MISMATCH in self._armed:
            self._tell(FaultRaised(Code.DISPLAY_MISMATCH, "display"))
        else:
            self._tell(facts.DrawShown("display", draw_id, series, combination))


FLAWS = {
    "spin_gap": (Flaw.SAMPLE_GAP,),
    "spin_back": (Flaw.REVERSAL, Flaw.INTERFERENCE, Flaw.INDEX_DISAGREES),
    "spin_slipped": (Flaw.INDEX_DISAGREES,),
    "spin_markless": (Flaw.INDEX_DISAGREES,),
}
"""What a sensor finds wrong with a spin like this."""

FAULTS = {
    "spin_gap": Code.WHEEL_SAMPLE_GAP,
    "spin_slipped": Code.WHEEL_DRIFT_BLOCKS,
    "spin_markless": Code.WHEEL_INDEX_MISSING,
}
"""The fault that it tells of while such a spin turns."""


def _turned(device: str, act: str) -> Sequence[Body]:
    """What a sensor says of the wheel."""
    if act == "move":
        return [facts.WheelMoved(device, 19)]
    on_peg, turns = act == "rest_on_peg", 2 if act == "spin_short" else 4
    known = FaultCleared(Code.WHEEL_POSITION_UNKNOWN, device)
    counted: list[Body] = [facts.TurnCompleted(device, number) for number in range(1, turns + 1)]
    trouble = FAULTS.get(act)
    troubled: list[Body] = [FaultRaised(trouble, device), FaultCleared(trouble, device)] if trouble else []
    begun: list[Body] = [facts.SpinStarted(device, Direction.CLOCKWISE), known, *troubled, *counted]
    if act == "spin_on":
        return begun
    margin_mdeg, section = (0, None) if on_peg else (3000, 7)
    spin = Spin(Direction.CLOCKWISE, turns * 1000 + 200, section, margin_mdeg, on_peg, FLAWS.get(act, ()), "test")
    return [*begun, facts.SpinStopped(device, spin)]
