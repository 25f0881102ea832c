"""What people and subscribers were shown: what is on disk, before a restart and after it, and nothing too early."""

from collections.abc import Callable, Mapping
from itertools import pairwise
from types import MappingProxyType
from typing import Any, Final

from pydantic_core import from_json

from tests.simulation.checker.case import Case, Lines
from tests.simulation.history import Form

READY_AFTER_NS: Final = 3_000_000_000
"""How long a session waits for its devices before it is ready without some."""

QUIET: Final = frozenset(
    {
        "session_began",
        "session_ended",
        "device_attached",
        "device_lost",
        "device_noted",
        "person_signed_on",
        "fault_cleared",
        "fault_acknowledged",
        "bookmarked",
        "recalled",
    }
)
"""Facts that move no round on."""

ALSO_QUIET: Final[Mapping[str, frozenset[str]]] = MappingProxyType(
    {
        "football_poker": frozenset({"draw_shown"}),  # The display is told again what it has to show.
        "wheel_of_fortune": frozenset({"fault_raised"}),  # A sensor that was away asks to be calibrated.
    }
)
"""What every restart brings at a game, and what moves its rounds on no more; a wheel that spins is left out."""

UNFIT: Final = ("pack", "ready", "needed")
"""What a shuffler that lost its power leaves of a pack: nobody can say any more that it was shuffled."""

LAWFUL: Final[Mapping[str, Callable[[Any, Any], bool]]] = MappingProxyType(
    {
        # Cards or a throw may have gone unseen: whoever is at the table has to say; and only they end the doubt.
        "count_due": lambda was, now: now and not was,
        "doubt": lambda was, now: now == "away",
        # A shuffle was cut short.
        "pack": lambda was, now: (was, now) == ("shuffling", "needed"),
        # A display that was away shows nothing.
        "draw": lambda was, now: bool(was and now) and now == {**was, "shown": False},
        # A sensor that was away has lost sight of a wheel that nobody had called.
        "wheel": lambda was, now: was["turning"] and now == {**was, "turning": False},
    }
)
"""How a round may change with devices that go and come back, and with nothing else."""


def shown_is_what_happened(case: Case) -> Lines:
    """Whoever sees so many records sees the same table, before a restart and after it; and never fewer than before."""
    known: dict[int, Form] = {}
    texts: dict[int, str] = {}
    for word in case.history.shown:
        seen = int(word.state["seen"])
        if texts.setdefault(seen, word.text) == word.text and seen in known:
            continue
        form = {key: value for key, value in word.state.items() if key not in {"waiting", "result"}}
        if known.setdefault(seen, form) != form:
            names = [key for key in form if form[key] != known[seen].get(key)]
            yield f"record {seen} was shown in two ways at {word.at_s:.3f} s: {names}"
            return
        if seen > len(case.final.rows):
            yield f"record {seen} was shown at {word.at_s:.3f} s and is lost"
            return
    for image in case.history.images:
        before = max((int(word.state["seen"]) for word in case.history.shown if word.at_s <= image.at_s), default=0)
        if before > len(image.rows):
            yield f"life {image.life} began without record {before}, which had been shown"


def a_restart_changes_nothing(case: Case) -> Lines:
    """Where nothing was asked for and nothing dealt in between, a table that comes back is where it was."""
    began_anew = _began_anew(case)
    taken = began_anew & {row.record for row, _ in case.kinds("round.void")}
    for before, after in pairwise(case.history.shown):
        between = case.facts[int(before.state["seen"]) : int(after.state["seen"])]
        since = range(int(before.state["seen"]) + 1, int(after.state["seen"]) + 1)
        draw = before.state["round"].get("draw")
        waits_for_it = bool(draw) and not draw["shown"]  # The numbers were made, and aren't shown, or no longer.
        quiet = QUIET if waits_for_it else QUIET | ALSO_QUIET.get(before.state["game"], frozenset())
        moved = any(fact["fact"] not in quiet for fact in between)
        moved = moved or not taken.isdisjoint(since)
        if before.life == after.life or moved or before.state["phase"] == "spinning":
            continue
        was, now = _round(before.state), _round(after.state)
        if changed := [
            f"{name}: {was[name]} → {now.get(name)}"
            for name in was
            if not _may_be(name, was[name], now.get(name))
            and ((name, was[name], now.get(name)) != UNFIT or began_anew.isdisjoint(since))
        ]:
            yield f"life {after.life} came back with another table than life {before.life} had: {', '.join(changed)}"
            return


def _began_anew(case: Case) -> set[int]:
    """The records with which a device came back that had lost its power; the law voids a round that it was dealing."""
    boots: dict[str, str] = {}
    anew: set[int] = set()
    for number, fact in enumerate(case.facts, 1):
        if fact["fact"] == "device_attached":
            device, boot = fact["body"]["device"], fact["body"]["boot"]
            if boot != boots.get(device, boot):
                anew.add(number)
            boots[device] = boot
    return anew


def _round(state: Form) -> Form:
    return {"id": state["round_id"], "phase": state["phase"], **state["round"]}


def _may_be(name: str, was: Any, now: Any) -> bool:
    return bool(was == now or (name in LAWFUL and LAWFUL[name](was, now)))


def nothing_is_said_too_early(case: Case) -> Lines:
    """Nothing goes out before what it follows from is on disk, and nothing of a session before it has begun."""
    for image in case.history.images:
        sessions = {f["body"]["session"] for f in case.facts[: len(image.rows)] if f["fact"] == "session_began"}
        for message, form in case.said:
            if message.at_s > image.at_s:
                break
            if not form:
                continue
            if "sequence" in form:  # An event; that the log began is on record before the session that begins it.
                if int(form["sequence"]) > len(image.events):
                    yield f"life {image.life} began without event {form['sequence']}, out since {message.at_s:.3f} s"
                    return
            elif form.get("session") and form["session"] not in sessions:
                yield f"a message of session {form['session']} went out before the session was on record"
                return
    yield from _ready_too_early(case)


def _ready_too_early(case: Case) -> Lines:
    """A session is ready once all its devices are there, or have had their time."""
    began = {f["body"]["session"]: nth for nth, f in enumerate(case.facts) if f["fact"] == "session_began"}
    devices = _devices(case)
    for message, form in case.said:
        if not message.topic.endswith("/status") or "/device/" in message.topic:
            continue
        start = began.get(form["data"]["session"])
        if form["data"]["state"] != "ready" or start is None:
            continue
        waited_ns = int(form["monotonicns"]) - case.facts[start]["at"]["monotonic_ns"]
        if waited_ns < READY_AFTER_NS and not devices <= _attached_by(case, start, int(form["monotonicns"])):
            yield f"session {form['data']['session']} was ready before its devices were"


def _devices(case: Case) -> set[str]:
    infos = [message.payload for message in case.history.published if message.topic.endswith("/meta/info")]
    return set(from_json(infos[0])["data"]["devices"]) if infos else set()


def _attached_by(case: Case, start: int, monotonic_ns: int) -> set[str]:
    """The devices of a session that were there by then."""
    there: set[str] = set()
    for fact in case.facts[start + 1 :]:
        if fact["fact"] == "session_began":
            break
        if fact["fact"] == "device_attached" and fact["at"]["monotonic_ns"] <= monotonic_ns:
            there.add(fact["body"]["device"])
    return there
