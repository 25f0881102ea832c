"""Scenario files (docs/scenarios.md): read, checked, and played step by step on a rig.

A rig is a table with what stands around it. Each one does the same steps in its own way and keeps what was published.
"""

import json
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from tablectl.console.forms import asked
from tablectl.console.verbs import VERBS
from tablectl.core.effects import Refuse
from tablectl.core.facts import Body
from tablectl.core.faults import Code

Form = dict[str, Any]

DEVICES = ("shoe", "shuffler", "draw", "display", "wheel", "dice", "buzzer")
ACTS: Mapping[str, frozenset[str]] = {
    "shoe": frozenset({"draw", "draw_unread", "cut", "start"}),
    "shuffler": frozenset({"deliver", "restart"}),
    "draw": frozenset({"will_be", "restart"}),
    "display": frozenset({"restart"}),
    "wheel": frozenset(
        {
            "spin",
            "spin_short",
            "rest_on_peg",
            "move",
            "spin_gap",
            "spin_back",
            "spin_slipped",
            "spin_markless",
            "spin_on",
        }
    ),
    "dice": frozenset({"throw", "restart"}),
    "buzzer": frozenset({"restart"}),
}
OTHERS = ("ask", "unplug", "plug", "fault", "clear", "time", "see", "never", "phase", "state", "faults")
KEYS = frozenset({"title", "game", "articles", "set", "steps"})
GAMES = ("q_poker", "football_poker", "wheel_of_fortune", "chinese_dice", "thirteen_cards")


class ScenarioError(ValueError):
    """A scenario file says something that no rig understands."""


@dataclass(frozen=True, slots=True)
class Step:
    """One thing that somebody does, or that has to be seen.

    Args:
        verb: the step's own key, as ``ask``, ``shoe`` or ``see``.
        what: the value of that key.
        rest: the other keys.
    """

    verb: str
    what: Any
    rest: Form

    def __str__(self) -> str:
        return f"{self.verb} = {self.what!r} {self.rest or ''}".rstrip()


@dataclass(frozen=True, slots=True)
class Scenario:
    """One file."""

    name: str
    title: str
    game: str
    articles: tuple[str, ...]
    settings: Mapping[str, str]
    steps: tuple[Step, ...]


def read_scenario(path: Path) -> Scenario:
    """The scenario in a file.

    Raises:
        ScenarioError: it isn't one; says why.
    """
    form = tomllib.loads(path.read_text("utf-8"))
    if unknown := form.keys() - KEYS:
        raise ScenarioError(f"{path.name}: unknown keys {sorted(unknown)}")
    if form.get("game") not in GAMES or not form.get("title"):
        raise ScenarioError(f"{path.name}: needs a title and a game")
    settings = {key: str(value) for key, value in form.get("set", {}).items()}
    steps = tuple(_step(path, item) for item in form["steps"])
    return Scenario(path.stem, form["title"], form["game"], tuple(form.get("articles", ())), settings, steps)


def _step(path: Path, form: Form) -> Step:
    named = [key for key in form if key in DEVICES or key in OTHERS]
    if not named:
        raise ScenarioError(f"{path.name}: a step does nothing: {form}")
    verb = next(iter(form))
    if verb not in named or (verb in ACTS and form[verb] not in ACTS[verb]):
        raise ScenarioError(f"{path.name}: no rig can do {form}")
    return Step(verb, form[verb], {key: value for key, value in form.items() if key != verb})


def request_of(verb: str, fields: Form) -> Body:
    """The fact that a person makes with these fields, as the console reads it."""
    body = {"request_id": "scenario", "round_id": None, "seen": 0, **fields}
    line = VERBS[verb]
    return asked(line.form.model_validate_json(json.dumps(body)), line.asks).body


def refusal(refused: Refuse | None) -> str:
    """A refusal as scenarios write it: article and code."""
    return f"{refused.article} {refused.code}" if refused else ""


class Rig(Protocol):
    """A table that a scenario can be played on."""

    @property
    def published(self) -> Sequence[Form]:
        """The events so far, as JSON."""
        ...

    @property
    def phase(self) -> str:
        """Where the round is."""
        ...

    def public(self) -> Mapping[str, Any]:
        """What may be seen of the round."""
        ...

    def standing(self) -> set[int]:
        """The numbers of the faults on the list."""
        ...

    async def ask(self, verb: str, fields: Form, by: str) -> str:
        """A person asks; article and code of the refusal, empty where it isn't one."""
        ...

    async def act(self, device: str, act: str, rest: Form) -> None:
        """A device does something, or somebody with it; over when the table has taken it in."""
        ...

    async def unplug(self, device: str) -> None:
        """A cable is pulled."""
        ...

    async def plug(self, device: str) -> None:
        """A cable is put back."""
        ...

    async def fault(self, code: Code, device: str) -> None:
        """The cause of a fault begins."""
        ...

    async def clear(self, code: Code, device: str) -> None:
        """The cause of a fault ends."""
        ...

    async def time_is_up(self) -> None:
        """The running clock comes to its end."""
        ...

    async def until(self, what: str, holds: "Holds") -> None:
        """Waits until it holds.

        Raises:
            AssertionError: it doesn't, and won't.
        """
        ...


class Holds(Protocol):
    """A condition."""

    def __call__(self) -> bool: ...


async def play(scenario: Scenario, rig: Rig) -> None:
    """Plays every step; the first one that doesn't go as written is an error that names it.

    Raises:
        AssertionError: something else happened.
    """
    seen = 0
    for number, step in enumerate(scenario.steps, 1):
        try:
            seen = await _do(step, rig, seen)
        except AssertionError as error:
            kinds = [kind_of(event) for event in rig.published[seen:]]
            msg = f"{scenario.name}, step {number}: {step}\n{error}\nphase {rig.phase}; published since: {kinds}"
            raise AssertionError(msg) from error


async def _do(step: Step, rig: Rig, seen: int) -> int:
    """Does one step; returns up to where the events have been looked at."""
    match step.verb:
        case "ask":
            await _ask(step, rig)
        case "see":
            return await _see(step, rig, seen)
        case "never":
            found = [event for event in rig.published if fits(event, step.what, step.rest)]
            assert not found, f"was published: {found}"
        case "phase":
            await rig.until(f"phase {step.what}", lambda: rig.phase == step.what)
        case "state":
            await rig.until(f"state {step.what}", lambda: contains(rig.public(), step.what))
        case "faults":
            await rig.until(f"faults {step.what}, not {rig.standing()}", lambda: rig.standing() == set(step.what))
        case _:
            await _happen(step, rig)
    return seen


async def _happen(step: Step, rig: Rig) -> None:
    match step.verb:
        case "unplug":
            await rig.unplug(step.what)
        case "plug":
            await rig.plug(step.what)
        case "fault":
            await rig.fault(Code(step.what), step.rest["device"])
        case "clear":
            await rig.clear(Code(step.what), step.rest["device"])
        case "time":
            await rig.time_is_up()
        case device:
            await rig.act(device, step.what, step.rest)


async def _ask(step: Step, rig: Rig) -> None:
    fields = dict(step.rest)
    by, wanted = fields.pop("by", "dealer"), fields.pop("refused", "")
    said = await rig.ask(step.what, fields, by)
    assert said == wanted, f"refused: {said!r}, expected {wanted!r}"


async def _see(step: Step, rig: Rig, seen: int) -> int:
    """Looks for the next event that fits, and goes on behind it."""

    def place() -> int | None:
        later = range(seen, len(rig.published))
        return next((at for at in later if fits(rig.published[at], step.what, step.rest)), None)

    await rig.until(f"an event {step.what}", lambda: place() is not None)
    found = place()
    assert found is not None
    return found + 1


def kind_of(event: Form) -> str:
    """What an event is, as ``round.settled``."""
    return str(event["type"]).removeprefix("mo.tablectl.").removesuffix(".v1")


def fits(event: Form, kind: str, data: Form) -> bool:
    """Whether an event is of this kind and says all of this."""
    return kind_of(event) == kind and contains(event["data"], data)


def contains(whole: Any, part: Any) -> bool:
    """Whether every field of ``part`` is in ``whole``; lists have to be equal in length."""
    if isinstance(part, Mapping):
        return isinstance(whole, Mapping) and all(key in whole and contains(whole[key], part[key]) for key in part)
    if isinstance(part, list):
        return len(whole) == len(part) and all(contains(*pair) for pair in zip(whole, part, strict=True))
    return bool(whole == part)
