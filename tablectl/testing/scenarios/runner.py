"""Runner: plays a scenario step by step on a rig.

A rig is a table with its surroundings, each kind in its own way.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from tablectl.core.effects import Refuse
from tablectl.core.faults import Code
from tablectl.testing.scenarios.amending import Amended, Amending, amending
from tablectl.testing.scenarios.scenario import Form, NotSoError, Scenario, Step, listed, mapped, nets
from tablectl.testing.timeline import Lane, Timeline


class Holds(Protocol):
    """A condition."""

    def __call__(self) -> bool:
        """Return True if the condition holds now."""
        ...


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

    @property
    def waiting(self) -> str:
        """Text that says what the table waits for."""
        ...

    def public(self) -> Mapping[str, Any]:
        """Return the public view of the round."""
        ...

    def standing(self) -> set[int]:
        """The numbers of the faults on the list."""
        ...

    async def ask(self, verb: str, fields: Form, by: str) -> str:
        """A person asks; article and code of the refusal, empty where it isn't one."""
        ...

    async def records(self, round_id: str) -> Sequence[Form]:
        """A round's facts as the console lists them."""
        ...

    async def amend(self, asked: Amending) -> Amended:
        """Persons put recorded facts right, or only want to know what would follow."""
        ...

    async def act(self, device: str, act: str, rest: Form) -> None:
        """Have a device, or somebody with it, do something.

        It is over when the table has taken it in.
        """
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

    async def restart(self, after_s: int) -> None:
        """The controller is killed, and comes up again so many seconds later."""
        ...

    async def caught_up(self) -> None:
        """Waits until everything that the table has published is here."""
        ...

    async def look_back(self) -> None:
        """Puts onto the timeline what is known only afterwards."""
        ...

    async def until(self, what: str, holds: Holds) -> None:
        """Waits until it holds.

        Raises:
            AssertionError: it doesn't, and won't.
        """
        ...


async def play(scenario: Scenario, rig: Rig, timeline: Timeline | None = None) -> None:
    """Play every step; the first one that fails raises an error.

    Raises:
        NotSoError: something else happened: where it stands, what was expected, and what came instead.
    """
    timeline = timeline or Timeline()
    seen = 0
    for number, step in enumerate(scenario.steps, 1):
        where = f"{scenario.where(step)}: " if scenario.path else ""
        seen = await take(step, rig, seen, timeline, f"{where}{scenario.name}, step {number}: {step}")
    await rig.look_back()


async def take(step: Step, rig: Rig, seen: int, timeline: Timeline, begin: str) -> int:
    """Takes one step; returns up to where the events have been looked at.

    Args:
        begin: names the step, for whoever reads why it failed.

    Raises:
        NotSoError: it doesn't go as written.
    """
    timeline.note(Lane.STEP, step.rest.get("by", ""), str(step))
    try:
        return await do(step, rig, seen)
    except AssertionError as error:
        await rig.look_back()
        raise NotSoError(f"{begin}\n{error}\n{situation(rig, seen)}\n{timeline.summary()}") from None


def situation(rig: Rig, seen: int = 0) -> str:
    """How things are at the table, for whoever reads why something failed.

    Args:
        seen: up to where the events have been looked at.
    """
    kinds = ", ".join(kind_of(event) for event in rig.published[seen:]) or "nothing"
    faults = ", ".join(map(str, sorted(rig.standing()))) or "none"
    return f"phase {rig.phase}; the table waits for: {rig.waiting}\nfaults: {faults}; published since: {kinds}"


async def do(step: Step, rig: Rig, seen: int) -> int:
    """Does one step; returns up to where the events have been looked at.

    Raises:
        AssertionError: it doesn't go as written.
    """
    match step.verb:
        case "ask":
            await _ask(step, rig)
        case "amend":
            await _amend(step, rig)
        case "see":
            return await _see(step, rig, seen)
        case "never":
            await rig.caught_up()
            found = [event["data"] for event in rig.published if fits(event, step.what, step.rest)]
            if found:
                raise NotSoError(f"should never be published, and was: {step.what} {found}")
        case "phase":
            await rig.until(f"phase {step.what}", lambda: rig.phase == step.what)
        case "state":
            await rig.until(f"state {step.what}", lambda: contains(rig.public(), step.what))
        case "money":
            await _look_at_the_money(step, rig)
        case "faults":
            await rig.until(f"faults {step.what}", lambda: rig.standing() == set(step.what))
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
        case "restart":
            await rig.restart(step.rest.get("after", 0))
        case device:
            await rig.act(device, step.what, step.rest)


async def _ask(step: Step, rig: Rig) -> None:
    fields = dict(step.rest)
    by, wanted = fields.pop("by", "dealer"), fields.pop("refused", "")
    said = await rig.ask(step.what, fields, by)
    if said != wanted:
        raise NotSoError(f"expected: {answered(wanted)}\nanswer: {answered(said)}")


async def _amend(step: Step, rig: Rig) -> None:
    await rig.caught_up()
    round_id = _round_of(step, rig)
    answer = await rig.amend(amending(step, round_id, await rig.records(round_id)))
    wanted, gives = step.rest.get("refused", ""), step.rest.get("gives", {})
    if answer.refused != wanted:
        raise NotSoError(f"expected: {answered(wanted)}\nanswer: {answered(answer.refused)}")
    if not contains(answer.outcome, gives):
        raise NotSoError(f"expected of the amendment: {gives}\nit gives: {answer.outcome}")


async def _look_at_the_money(step: Step, rig: Rig) -> None:
    await rig.caught_up()
    round_id = _round_of(step, rig)
    found = nets([(kind_of(event), event["data"]) for event in rig.published], round_id)
    if found != dict(step.what):
        raise NotSoError(f"expected of the money: {step.what}\nit is: {'not known yet' if found is None else found}")


def _round_of(step: Step, rig: Rig) -> str:
    """Return the round of a step.

    It is the round that was opened last, if the step names none by its number.
    """
    opened = [event["data"]["round_id"] for event in rig.published if kind_of(event) == "round.opened"]
    rounds = list(dict.fromkeys(opened))
    number = step.rest.get("round", len(rounds))
    if not 1 <= number <= len(rounds):
        raise NotSoError(f"no round {number} was opened, only {len(rounds)}")
    return str(rounds[number - 1])


def answered(said: str) -> str:
    """An answer of the table in words: empty text is a yes."""
    return f"refused by {said}" if said else "accepted"


async def _see(step: Step, rig: Rig, seen: int) -> int:
    """Looks for the next event that fits, and goes on behind it."""

    def place() -> int | None:
        later = range(seen, len(rig.published))
        return next((at for at in later if fits(rig.published[at], step.what, step.rest)), None)

    about = f" with {step.rest}" if step.rest else ""
    await rig.until(f"an event {step.what}{about}", lambda: place() is not None)
    found = place()
    assert found is not None
    return found + 1


def refusal(refused: Refuse | None) -> str:
    """A refusal as scenarios write it: article and code."""
    return f"{refused.article} {refused.code}" if refused else ""


def kind_of(event: Form) -> str:
    """Return the kind of an event, as `round.settled`."""
    return str(event["type"]).removeprefix("mo.tablectl.").removesuffix(".v1")


def fits(event: Form, kind: str, data: Form) -> bool:
    """Return True if an event is of this kind and has all these data."""
    return kind_of(event) == kind and contains(event["data"], data)


def contains(whole: object, part: object) -> bool:
    """Return True if every field of `part` is in `whole`.

    Lists have to be equal in length.
    """
    if (fields := mapped(part)) is not None:
        has = mapped(whole)
        return has is not None and all(key in has and contains(has[key], fields[key]) for key in fields)
    if (items := listed(part)) is not None:
        others = listed(whole)
        return others is not None and len(others) == len(items) and all(map(contains, others, items))
    return whole == part
