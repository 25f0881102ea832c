"""Fixtures of a table's test: the table, the people at its console, each device."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tablectl.testing.levels.outside import OutsideRig
from tablectl.testing.scenarios.parser import read_scenario
from tablectl.testing.scenarios.runner import kind_of
from tablectl.testing.scenarios.scenario import Form, NotSoError, Step
from tablectl.testing.sync_table import Stage


def _take(stage: Stage, verb: str, what: object, rest: Form) -> None:
    """Takes a step; what goes wrong is told without the way that it came."""
    __tracebackhide__ = True
    told: NotSoError | ValueError
    try:
        stage.take(Step(verb, what, rest))
    except NotSoError as error:
        told = NotSoError(str(error))
    except ValueError as error:
        told = ValueError(str(error))
    else:
        return
    raise told


class Table:
    """A table under test. What it should do is waited for, twenty seconds at most."""

    def __init__(self, stage: Stage) -> None:
        self._stage = stage

    @property
    def phase(self) -> str:
        """Where the round is."""
        return self._stage.rig.phase

    @property
    def waiting(self) -> str:
        """Text that says what the table waits for."""
        return self._stage.rig.waiting

    @property
    def round(self) -> Mapping[str, Any]:
        """Public view of the round."""
        return self._stage.rig.public()

    @property
    def faults(self) -> set[int]:
        """The numbers of the faults on the list."""
        return self._stage.rig.standing()

    @property
    def events(self) -> Sequence[Form]:
        """Events published so far, whole messages, as `docs/mqtt.md` has them."""
        return tuple(self._stage.rig.published)

    @property
    def timeline(self) -> str:
        """Timeline so far: steps, frames, facts and messages, a line for each."""
        return "\n".join(map(str, self._stage.timeline.in_order()))

    def sees(self, event: str, **data: Any) -> Form:
        """Wait until an event of this kind with these fields is published.

        It has to come after the one seen last.

        Returns:
            The event's data.
        """
        __tracebackhide__ = True
        _take(self._stage, "see", event, data)
        seen = self._stage.rig.published[self._stage.seen - 1]
        found: Form = seen["data"]
        return found

    def never_saw(self, event: str, **data: Any) -> None:
        """No event of this kind with these fields has been published since the start."""
        __tracebackhide__ = True
        _take(self._stage, "never", event, data)

    def is_in(self, phase: str) -> None:
        """Waits until the round is in this phase."""
        __tracebackhide__ = True
        _take(self._stage, "phase", phase, {})

    def shows(self, **state: Any) -> None:
        """Waits until the public state has these values."""
        __tracebackhide__ = True
        _take(self._stage, "state", state, {})

    def has_faults(self, *codes: int) -> None:
        """Waits until exactly these faults stand on the list."""
        __tracebackhide__ = True
        _take(self._stage, "faults", list(codes), {})

    def plays(self, file: Path | str) -> None:
        """Takes every step of a scenario's file, at this table as it is."""
        __tracebackhide__ = True
        for step in read_scenario(Path(file)).steps:
            _take(self._stage, step.verb, step.what, step.rest)

    def __repr__(self) -> str:
        """The table in a line, for a failed assertion."""
        kinds = [kind_of(event) for event in self.events[-5:]]
        return f"<table in {self.phase}, waits for {self.waiting!r}, published {kinds}>"


class Console:
    """The people at the table's console."""

    def __init__(self, stage: Stage) -> None:
        self._stage = stage

    def ask(self, verb: str, *, by: str = "dealer", **fields: Any) -> None:
        """Somebody asks, and it has to be granted.

        Args:
            verb: as `docs/console-api.md` has it, like its fields.
            by: dealer, supervisor or technician.
        """
        __tracebackhide__ = True
        _take(self._stage, "ask", verb, {**fields, "by": by})

    def refused(self, by_article: str, verb: str, *, by: str = "dealer", **fields: Any) -> None:
        """Somebody asks, and it has to be refused.

        Args:
            by_article: the article and the code, as `6(2) draw_not_shown`.
        """
        __tracebackhide__ = True
        _take(self._stage, "ask", verb, {**fields, "by": by, "refused": by_article})


class Broker:
    """The broker of the table under test."""

    def __init__(self, stage: Stage) -> None:
        self._stage = stage

    @property
    def url(self) -> str:
        """Its address; empty on the core level, which has none."""
        rig = self._stage.rig
        return rig.table.broker if isinstance(rig, OutsideRig) else ""

    @property
    def events(self) -> Sequence[Form]:
        """Events that a subscriber to the table has received so far."""
        return tuple(self._stage.rig.published)


class Device:
    """Any device of the table, and its cable."""

    def __init__(self, stage: Stage, name: str) -> None:
        self._stage = stage
        self.name = name

    def unplug(self) -> None:
        """Pulls the cable; over when the table misses the device."""
        __tracebackhide__ = True
        _take(self._stage, "unplug", self.name, {})

    def plug(self) -> None:
        """Puts the cable back; over when the table has the device."""
        __tracebackhide__ = True
        _take(self._stage, "plug", self.name, {})

    def fault(self, code: int) -> None:
        """Brings the cause of a fault of the catalogue about (`tablectl sim faults`)."""
        __tracebackhide__ = True
        _take(self._stage, "fault", code, {"device": self.name})

    def clear(self, code: int) -> None:
        """Takes the cause of a fault away."""
        __tracebackhide__ = True
        _take(self._stage, "clear", code, {"device": self.name})

    def does(self, act: str, **fields: Any) -> None:
        """Any act of `docs/scenarios.md`; over when the table has taken it in."""
        __tracebackhide__ = True
        _take(self._stage, self.name, act, fields)

    def restart(self) -> None:
        """The device loses power for a moment."""
        __tracebackhide__ = True
        self.does("restart")


class Shoe(Device):
    """The shoe."""

    def draw(self, cards: str) -> None:
        """Cards are drawn, one after the other, as `As Kd 2c`."""
        __tracebackhide__ = True
        self.does("draw", cards=cards)

    def cut(self) -> None:
        """The cut card comes out."""
        __tracebackhide__ = True
        self.does("cut")


class Shuffler(Device):
    """The shuffler. It shuffles by itself when the table asks for it."""

    def deliver(self, count: int, *, times: int = 1) -> None:
        """Packets of so many cards come out."""
        __tracebackhide__ = True
        self.does("deliver", count=count, times=times)


class Draw(Device):
    """The draw system. It draws by itself when the table asks for it."""

    def will_be(self, series: str, combination: int) -> None:
        """Settles what the next draw is.

        Args:
            series: upper or lower.
            combination: from 1 to 8.
        """
        __tracebackhide__ = True
        self.does("will_be", series=series, combination=combination)


class Wheel(Device):
    """The wheel. Where it comes to rest is its own matter."""

    def spin(self) -> None:
        """It is spun for more than three turns and comes to rest between pegs."""
        __tracebackhide__ = True
        self.does("spin")


class Dice(Device):
    """The dice and their reader."""

    def throw(self, *faces: int, flaw: str = "") -> None:
        """They are thrown."""
        __tracebackhide__ = True
        self.does("throw", faces=list(faces), flaw=flaw)
