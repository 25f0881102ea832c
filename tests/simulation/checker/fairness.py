"""Whether a table weighs every outcome once, whatever happened to it."""

from collections import Counter
from collections.abc import Iterator, Sequence, Set

from tests.simulation.checker.case import Case, Lines, kind_of
from tests.simulation.history import Form

SEEN = frozenset({"sections", "direction", "speed", "draws", "faces", "sums"})
"""The streams of what devices did, each of which has all that they did."""


def evidence_follows(case: Case) -> Lines:
    """Every published state of the evidence has counted the outcomes that stand up to its event, each once.

    Evidence and alarms are announced once for each tenfold of a stream.
    """
    for message, form in case.said:
        if not message.topic.endswith("/fairness") or "/event/" in message.topic or not form:
            continue
        last, shown = form["data"]["sequence"], Counter[str]()
        for stream in form["data"]["streams"]:
            shown[stream["stream"]] += stream["observed"]
        due = Counter(_outcomes([each for each in case.events if int(each["sequence"]) <= last]))
        for name in SEEN:
            if shown[name] != due[name]:
                yield f"{shown[name]} {name} are weighed up to event {last}, and {due[name]} came"
    told = Counter(
        (kind_of(form), form["data"]["stream"], form["data"]["subject"], int(float(form["data"]["log10_e"])))
        for _, form in case.kinds("fairness.evidence", "fairness.alarm")
    )
    yield from (f"{key} is announced {times} times" for key, times in told.items() if times > 1)


def _outcomes(events: Sequence[Form]) -> Iterator[str]:
    """The stream of each outcome that stands after these events."""
    standing: dict[str, Form] = {}
    for event in events:
        for name in event["data"].get("amends", ()):
            standing.pop(name, None)
        standing[event["id"]] = event
    thrown: dict[str, list[Form]] = {}
    released = set[str]()
    for event in standing.values():
        data = event["data"]
        match kind_of(event):
            case "wheel.started" if data["round_id"]:
                (released.add if data.get("release_rpm") else released.discard)(str(data["round_id"]))
            case "wheel.stopped" if data["section"] is not None and not data["on_peg"]:
                yield from _spun(data, released)
            case "draw.committed":
                yield "draws"
            case "dice.thrown":
                throws = thrown.setdefault(str(data.get("round_id")), [])
                if not data.get("called_invalid"):
                    throws.append(data)
                elif throws:
                    throws.pop()
            case _:
                pass
    for data in (each for throws in thrown.values() for each in throws):
        if data["valid"]:
            yield "sums"
            yield from ("faces" for _ in data["dice"])


def _spun(data: Form, released: Set[str]) -> Iterator[str]:
    """The streams that a valid spin counts in, whoever dealt."""
    yield "sections"
    if data["direction"]:
        yield "direction"
    if str(data["round_id"]) in released:
        yield "speed"
