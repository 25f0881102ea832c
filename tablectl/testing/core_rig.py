# ruff: noqa: D102  # what each of a rig's doings is, `Rig` says
"""The core rung: facts into the fold, without disk, loop or wire; devices are what they would have said."""

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final, get_args

from tablectl import words
from tablectl.app.games import game_of
from tablectl.core import effects, facts, procedure
from tablectl.core.cards import parse_card
from tablectl.core.draw import Series
from tablectl.core.effects import Announce, Refuse, StartTimer
from tablectl.core.facts import Body, Fact, FaultCleared, FaultRaised, Stamp
from tablectl.core.faults import Code
from tablectl.core.procedure import Game
from tablectl.core.table import Table
from tablectl.core.wheel import Direction, Spin
from tablectl.shell.config import Config
from tablectl.shell.wire import Origin, plain, write_event
from tablectl.testing.playing import Holds, kind_of, refusal
from tablectl.testing.reading import request_of
from tablectl.testing.scenario import Form, NotSoError
from tablectl.testing.telling import in_words
from tablectl.testing.timeline import Lane, Timeline
from tablectl.testing.vocabulary import SPIN_FLAWS

LOG: Final = "5eed0001"
ORIGIN: Final = Origin("site", "table", LOG, "s1")
START_US: Final = 1_790_000_000_000_000
ON_THE_LINK: Final = frozenset({"shuffler", "draw", "display", "dice", "buzzer"})
MOMENTARY: Final = frozenset(
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

    def __init__(self, config: Config, timeline: Timeline | None = None) -> None:
        self.config = config
        self.published: list[Form] = []
        self._timeline = timeline or Timeline()
        self._game: Game[Any] = game_of(config).make(config)
        self._table: Table[Any] = procedure.begin(self._game)
        self._told = 0
        self._away: set[str] = set()
        self._armed: set[Code] = set()
        self._boots = dict.fromkeys(ON_THE_LINK, 1)
        self._next_draw = (Series.UPPER, 1)
        self._timer: StartTimer | None = None
        self._begin()
        for name in config.devices:
            self._attach(name)

    @property
    def phase(self) -> str:
        return str(self._game.phase(self._table.game))

    @property
    def waiting(self) -> str:
        return words.say(self._game.waiting(self._table))["en"]

    def public(self) -> Mapping[str, Any]:
        shown: Mapping[str, Any] = json.loads(json.dumps(plain(self._game.public(self._table.game))))
        return shown

    def standing(self) -> set[int]:
        return {int(item.code) for item in self._table.faults}

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
        for command in self._game.outstanding(self._table.game):
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
        for command in self._game.outstanding(self._table.game):
            self._obey(command)

    async def time_is_up(self) -> None:
        if self._timer is None:
            raise NotSoError("no clock runs")
        self._tell(facts.TimerElapsed(self._timer.operation))

    async def until(self, what: str, holds: Holds) -> None:
        if not holds():
            raise NotSoError(f"awaited, and it won't come: {what}")

    async def caught_up(self) -> None:
        """Nothing is on the way here."""

    async def look_back(self) -> None:
        """Everything is on the timeline already."""

    # --- devices

    def _attach(self, name: str) -> None:
        boot = str(self._boots[name]) if name in ON_THE_LINK else ""
        self._tell(facts.DeviceAttached(name, boot=boot, simulated=True))
        if name == "wheel":
            self._tell(FaultRaised(Code.WHEEL_POSITION_UNKNOWN, name))

    def _restart(self, name: str) -> None:
        self._boots[name] = self._boots.get(name, 1) + 1
        self._attach(name)
        for command in self._game.outstanding(self._table.game):
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
                raise NotSoError(f"the core's {device} can't {act}")

    # --- inside

    def _begin(self) -> None:
        config = self.config.table
        self._tell(facts.LogBegan(LOG, config.site, config.name, session=ORIGIN.session))
        self._tell(facts.SessionBegan(ORIGIN.session, "1", "hash", self._game.name, self._game.rules_version))

    def _tell(self, body: Body, *, by: str | None = None) -> effects.Effects:
        fact = self._fact(body, by)
        during = self._game.round_id(self._table.game)
        self._timeline.note(Lane.FACT, fact.by or fact.source, in_words(body))
        self._table, told = procedure.step(self._game, self._table, fact)
        for effect in told:
            if isinstance(effect, Announce):
                self._publish(effect, fact, during)
        for effect in told:
            if isinstance(effect, effects.Command):
                self._obey(effect)
        return told

    def _fact(self, body: Body, by: str | None) -> Fact:
        """A fact as its source would report it, a second after the one before."""
        self._told += 1
        at = Stamp(START_US + self._told * 1_000_000, self._told * 1_000_000_000, "boot")
        if isinstance(body, get_args(facts.TableFact)):
            return Fact(body, at, "table")
        if isinstance(body, get_args(facts.DeviceFact)):
            return Fact(body, at, str(getattr(body, "device", "")))
        return Fact(body, at, "console", by=by or "dealer")

    def _publish(self, effect: Announce, fact: Fact, during: str | None) -> None:
        number, round_id = len(self.published) + 1, during or self._game.round_id(self._table.game)
        _, data = write_event(effect.event, fact, ORIGIN, number, 0, cause=None, simulated=True, during=round_id)
        event = json.loads(data)
        self.published.append(event)
        self._timeline.note(Lane.MESSAGE, "", f"{kind_of(event)} {json.dumps(event['data'], ensure_ascii=False)}")

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


FAULTS: Final = {
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
    spin = Spin(Direction.CLOCKWISE, turns * 1000 + 200, section, margin_mdeg, on_peg, SPIN_FLAWS.get(act, ()), "test")
    return [*begun, facts.SpinStopped(device, spin)]
