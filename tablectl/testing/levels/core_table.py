# ruff: noqa: D102  # what each of a rig's doings is, `Rig` says
"""Core level: facts go into the fold, without disk, loop or wire.

Devices are the facts that they would have reported.
"""

import asyncio
import json
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from typing import Any, Final, get_args

from drivers.devices import linked
from tablectl import words
from tablectl.config.game_setup import game_of
from tablectl.config.models import Config
from tablectl.core import effects, facts, fold
from tablectl.core.actions.authority import is_met, need_of
from tablectl.core.cards import parse_card
from tablectl.core.effects import Announce, Refuse, StartTimer
from tablectl.core.facts import Body, Fact, FaultCleared, FaultRaised, Stamp
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
    ShuffleStarted,
    SignalFailed,
    SignalSounded,
    SpinStarted,
    SpinStopped,
    TurnCompleted,
    WheelMoved,
)
from tablectl.core.faults import Code
from tablectl.core.game_step import Game, shown_phase, shown_waiting
from tablectl.core.outcomes import Direction, Series, Spin
from tablectl.core.protocols import StoredEvent
from tablectl.core.table import Table
from tablectl.daemon.requests.admission import outcome
from tablectl.journal.encoding import Origin, plain, write_event, write_fact
from tablectl.journal.records import Record
from tablectl.testing.levels.core_past import CorePast
from tablectl.testing.scenarios.amending import SECOND_NEEDED, Amended, Amending
from tablectl.testing.scenarios.parser import request_of
from tablectl.testing.scenarios.runner import Holds, kind_of, refusal
from tablectl.testing.scenarios.scenario import Form, NotPlayableError, NotSoError
from tablectl.testing.scenarios.vocabulary import SPIN_FLAWS
from tablectl.testing.timeline import Lane, Timeline


def in_words(body: Any) -> str:
    """A fact's name and what it says."""
    said = {item.name: plain(getattr(body, item.name)) for item in fields(body)} if is_dataclass(body) else {}
    return named(type(body).__name__, said)


def named(name: str, said: Mapping[str, Any]) -> str:
    """A name and the fields that say something."""
    return " ".join([name, *(f"{key}={value}" for key, value in said.items() if value not in (None, "", [], {}))])


LOG: Final = "5eed0001"
ORIGIN: Final = Origin("site", "table", LOG, "s1")
START_US: Final = 1_790_000_000_000_000
ON_THE_LINK: Final = frozenset(device.name for device in linked() if not device.variant)
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
    """A table without disk, loop or wire.

    Args:
        past: where its records are kept, if rounds are to be amended.
    """

    def __init__(self, config: Config, timeline: Timeline | None = None, past: CorePast | None = None) -> None:
        self.config = config
        self.published: list[Form] = []
        self._timeline = timeline or Timeline()
        self._game: Game[Any] = game_of(config).make(config)
        self._table: Table[Any] = fold.begin(self._game)
        self._past = past
        self._told = 0
        self._away: set[str] = set()
        self._armed: set[Code] = set()
        self._boots = dict.fromkeys(ON_THE_LINK, 1)
        self._next_draw = (Series.UPPER, 1)
        self._timer: StartTimer | None = None
        table = self.config.table
        self._tell(facts.LogBegan(LOG, table.site, table.name, session=ORIGIN.session))
        self._begin_session()
        for name in config.devices:
            self._attach(name)

    @property
    def phase(self) -> str:
        return shown_phase(self._game, self._table)

    @property
    def waiting(self) -> str:
        return words.say(shown_waiting(self._game, self._table))["en"]

    def public(self) -> Mapping[str, Any]:
        shown: Mapping[str, Any] = json.loads(json.dumps(plain(self._game.public(self._table.game))))
        return shown

    def standing(self) -> set[int]:
        return {int(item.code) for item in self._table.faults}

    async def ask(self, verb: str, fields: Form, by: str) -> str:
        fact = self._fact(request_of(verb, fields), by)
        if not is_met(need_of(self._game, self._table, fact), (by,)):
            return SECOND_NEEDED
        _, told = self._take(fact)
        return refusal(next((effect for effect in told if isinstance(effect, Refuse)), None))

    async def records(self, round_id: str) -> Sequence[Form]:
        return await asyncio.to_thread(self._kept().listed, self._game, self._table, round_id)

    async def amend(self, asked: Amending) -> Amended:
        body = request_of("amend", asked.fields)
        fact = replace(self._fact(body, asked.by), second=asked.second or None, round_id=asked.round_id)
        fact = replace(fact, seen=self._table.records)
        fact = await asyncio.to_thread(self._kept().resolved, self._game, self._table, fact)
        need = need_of(self._game, self._table, fact)
        if not isinstance(fact.basis, Refuse) and not asked.dry_run and not is_met(need, asked.roles):
            return Amended(SECOND_NEEDED, {})
        before = self._table
        after, told = fold.step(self._game, before, fact) if asked.dry_run else self._take(fact)
        refused = refusal(next((effect for effect in told if isinstance(effect, Refuse)), None))
        follows = {} if refused else outcome(self._game, before, after, fact, told, need, asked.roles)
        return Amended(refused, follows)

    async def act(self, device: str, act: str, rest: Form) -> None:
        for body in self._bodies(device, act, rest):
            self._tell(body)

    async def unplug(self, device: str) -> None:
        self._away.add(device)
        self._tell(DeviceLost(device, "unplugged"))
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
        """Let the time of the running clock elapse.

        Raises:
            NotSoError: no clock runs.
        """
        if self._timer is None:
            raise NotSoError("no clock runs")
        self._tell(facts.TimerElapsed(self._timer.operation))

    async def restart(self, after_s: int) -> None:
        self._told += after_s
        self._begin_session()
        for name in self.config.devices:
            if name not in self._away:
                self._attach(name)
        for command in self._game.outstanding(self._table.game):
            self._obey(command)

    async def until(self, what: str, holds: Holds) -> None:
        """Check that a condition holds; here nothing comes later.

        Raises:
            NotSoError: it doesn't hold.
        """
        if not holds():
            raise NotSoError(f"expected, but it won't come: {what}")

    async def caught_up(self) -> None:
        """Nothing is on the way here."""

    async def look_back(self) -> None:
        """Everything is on the timeline already."""

    # --- devices

    def _attach(self, name: str) -> None:
        boot = str(self._boots[name]) if name in ON_THE_LINK else ""
        self._tell(DeviceAttached(name, boot=boot, simulated=True))
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
                return [CardDrawn(device, parse_card(card)) for card in rest["cards"].split()]
            case "shoe", "draw_unread":
                code = Code.SHOE_UNCONFIRMED
                return [CardDrawn(device, None), FaultRaised(code, device), FaultCleared(code, device)]
            case "shoe", "cut":
                return [CutCardReached(device)]
            case "shoe", "start":
                return [DeviceNoted(device, "started"), DeviceNoted(device, "stand_by")]
            case "shuffler", "deliver":
                return [PacketDelivered(device, rest["count"])] * rest.get("times", 1)
            case "draw", "will_be":
                self._next_draw = (Series(rest["series"]), rest["combination"])
                return []
            case "dice", "throw":
                return [DiceThrown(device, tuple(rest["faces"]), rest.get("flaw", ""))]
            case "wheel", _:
                return _turned(device, act)
            case _, "restart":
                self._restart(device)
                return []
            case _:
                raise NotSoError(f"the core's {device} can't {act}")

    # --- inside

    def _begin_session(self) -> None:
        self._tell(facts.SessionBegan(ORIGIN.session, "1", "hash", self._game.name, self._game.rules_version))

    def _tell(self, body: Body, *, by: str | None = None) -> effects.Effects:
        return self._take(self._fact(body, by))[1]

    def _take(self, fact: Fact) -> tuple[Table[Any], effects.Effects]:
        """Fold a fact, publish its events and have devices carry out its commands.

        Returns:
            The table right after it, and the effects.
        """
        during = self._game.round_id(self._table.game)
        self._timeline.note(Lane.FACT, fact.by or fact.source, in_words(fact.body))
        self._table, told = after, _ = fold.step(self._game, self._table, fact)
        events = [self._publish(effect, fact, during) for effect in told if isinstance(effect, Announce)]
        if self._past is not None:
            self._past.add(Record(after.records, fact.at.utc_us, write_fact(fact), tuple(events)))
        for effect in told:
            if isinstance(effect, effects.Command):
                self._obey(effect)
        return after, told

    def _kept(self) -> CorePast:
        if self._past is None:
            raise NotPlayableError("the pure core keeps no journal here, and an amendment needs one")
        return self._past

    def _fact(self, body: Body, by: str | None) -> Fact:
        """A fact as its source would report it, a second after the one before."""
        self._told += 1
        at = Stamp(START_US + self._told * 1_000_000, self._told * 1_000_000_000, "boot")
        if isinstance(body, get_args(facts.TableFact)):
            return Fact(body, at, "table")
        if isinstance(body, get_args(DeviceFact)):
            return Fact(body, at, str(getattr(body, "device", "")))
        return Fact(body, at, "console", by=by or "dealer")

    def _publish(self, effect: Announce, fact: Fact, during: str | None) -> StoredEvent:
        number, round_id = len(self.published) + 1, during or self._game.round_id(self._table.game)
        happened = replace(fact, at=effect.at) if effect.at else fact
        topic, data = write_event(
            effect.event, happened, ORIGIN, number, 0, cause=None, simulated=True, during=round_id
        )
        event = json.loads(data)
        self.published.append(event)
        self._timeline.note(Lane.MESSAGE, "", f"{kind_of(event)} {json.dumps(event['data'], ensure_ascii=False)}")
        return StoredEvent(number, topic, data, effect.event)

    def _obey(self, command: effects.Command) -> None:
        """Carry out a command as a device, if it is there and nothing hinders it."""
        match command:
            case StartTimer():
                self._timer = command
            case effects.ShuffleCards(operation) if self._fit("shuffler"):
                self._tell(ShuffleStarted("shuffler", operation))
                self._tell(ShuffleCompleted("shuffler", operation, 52))
            case effects.RequestDraw(draw_id) if self._fit("draw"):
                self._draw(draw_id)
            case effects.ShowDraw(draw_id, series, combination) if self._fit("display"):
                self._show(draw_id, series, combination)
            case effects.SoundSignal(operation) if self._fit("buzzer") and Code.BUZZER_NO_CURRENT in self.standing():
                self._tell(SignalFailed("buzzer", operation, "no_current"))
            case effects.SoundSignal(operation) if self._fit("buzzer"):
                self._tell(SignalSounded("buzzer", operation))
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
            self._tell(DrawFailed("draw", draw_id, "values out of range"))
        else:
            self._tell(DrawCommitted("draw", draw_id, *self._next_draw))

    def _show(self, draw_id: int, series: Series, combination: int) -> None:
        if Code.DISPLAY_MISMATCH in self._armed:
            self._tell(FaultRaised(Code.DISPLAY_MISMATCH, "display"))
        else:
            self._tell(DrawShown("display", draw_id, series, combination))


FAULTS: Final = {
    "spin_gap": Code.WHEEL_SAMPLE_GAP,
    "spin_slipped": Code.WHEEL_DRIFT_BLOCKS,
    "spin_markless": Code.WHEEL_INDEX_MISSING,
}
"""The fault that it tells of while such a spin turns."""


def _turned(device: str, act: str) -> Sequence[Body]:
    """Return the facts that a sensor reports of the wheel."""
    if act == "move":
        return [WheelMoved(device, 19)]
    on_peg, turns = act == "rest_on_peg", 2 if act == "spin_short" else 4
    known = FaultCleared(Code.WHEEL_POSITION_UNKNOWN, device)
    counted: list[Body] = [TurnCompleted(device, number) for number in range(1, turns + 1)]
    trouble = FAULTS.get(act)
    troubled: list[Body] = [FaultRaised(trouble, device), FaultCleared(trouble, device)] if trouble else []
    begun: list[Body] = [SpinStarted(device, Direction.CLOCKWISE), known, *troubled, *counted]
    if act == "spin_on":
        return begun
    margin_mdeg, section = (0, None) if on_peg else (3000, 7)
    spin = Spin(Direction.CLOCKWISE, turns * 1000 + 200, section, margin_mdeg, on_peg, SPIN_FLAWS.get(act, ()), "test")
    return [*begun, SpinStopped(device, spin)]
