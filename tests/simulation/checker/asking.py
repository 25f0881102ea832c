"""What subscribers asked for over MQTT, and what they were given."""

from collections import Counter, defaultdict
from collections.abc import Mapping

from tests.simulation.checker.case import Case, Lines
from tests.simulation.history import Form, Published, Wanted


def replays_are_whole(case: Case) -> Lines:
    """A replay that is said to be complete has every event that was asked for, with the bytes of the journal."""
    wanted = _wanted(case)
    sent: dict[str, list[int]] = defaultdict(list)
    for message, form in case.said:
        user, transaction = _addressee(message)
        if "/replay/" not in message.topic:
            continue
        if "sequence" in form:
            number = int(form["sequence"])
            if number > len(case.final.events) or case.final.events[number - 1].payload != message.payload:
                yield f"event {number} was sent to {user} again with other bytes"
                return
            sent[message.topic].append(number)
        elif form.get("complete") and wanted[user, transaction].verb == "replay":
            yield from _gaps(case, wanted[user, transaction], int(form["last"]), sent[message.topic])


def _gaps(case: Case, asked: Wanted, last: int, sent: list[int]) -> Lines:
    first, to = int(asked.fields["from"]), asked.fields["to"]
    readable = case.history.reads[asked.by]
    due = [event.sequence for event in case.final.events[first - 1 : last] if event.topic in readable]
    if due and sent[-len(due) :] != due:
        yield f"{asked.transaction} asked for events {first} to {last} and wasn't given {sorted(set(due) - set(sent))}"
    known = max((_number(form) for message, form in case.said if message.at_s <= asked.at_s), default=0)
    if last < min(known, int(to) if to else known):
        yield f"{asked.transaction} was told that event {last} is the last one, and {known} was out"


def _number(form: Form) -> int:
    return int(form.get("sequence", 0))


def _published(round_: Form) -> Form:
    """A round as MQTT has it: without a `round_id` where there is none."""
    return {name: value for name, value in round_.items() if (name, value) != ("round_id", None)}


def answers_are_true(case: Case) -> Lines:
    """A status that is given on request is the table as others saw it, and nothing that isn't on disk."""
    shown = {int(word.state["seen"]): word.state for word in case.history.shown}
    for message, form in case.said:
        if "/answer/" not in message.topic or "health" not in form.get("data", {}):
            continue
        record, told = form["data"]["health"]["journal"]["record"], form["data"]["round"]
        if record > len(case.final.rows):
            yield f"record {record} was told at {message.at_s:.3f} s and is lost"
        elif (state := shown.get(record)) is not None and told["round"] != _published(state["round"]):
            yield f"at record {record} another round was told than shown"
    for image in case.history.images:
        given = max((_number(form) for message, form in _replayed(case) if message.at_s <= image.at_s), default=0)
        if given > len(image.events):
            yield f"life {image.life} began without event {given}, which had been sent again"


def _replayed(case: Case) -> list[tuple[Published, Form]]:
    return [(message, form) for message, form in case.said if "/replay/" in message.topic]


def nobody_gets_more(case: Case) -> Lines:
    """Nobody is given an event that isn't for them, or has done what they may not ask for."""
    wanted = _wanted(case)
    for message, form in case.said:
        user, transaction = _addressee(message)
        if "/replay/" in message.topic and "sequence" in form:
            topic = case.final.events[int(form["sequence"]) - 1].topic
            if topic not in case.history.reads[user]:
                yield f"{user} was given {topic} {form['sequence']}"
                return
        elif "/answer/" in message.topic and "data" in form and wanted[user, transaction].verb not in _may(case, user):
            yield f"{user} was answered {transaction}, which they may not ask for"
    may = {(word.by, f"mqtt:{word.transaction}") for word in case.history.wanted if word.verb in _may(case, word.by)}
    recalls = Counter(word.by for word in case.history.wanted if word.verb == "recall")
    for number, fact in enumerate(case.facts, 1):
        name, by = fact.get("request_id") or "", fact.get("by", "")
        if name.startswith("mqtt:") and (by, name) not in may:
            yield f"record {number}: {by} may not ask for {fact['fact']}"
        if fact["fact"] == "recalled" and not recalls[by]:
            yield f"record {number}: {by} never asked for a recall"


def who_asks_is_answered(case: Case) -> Lines:
    """Who asks when all is well gets an answer."""
    for user in case.history.unanswered:
        yield f"{user} asked in peace and heard nothing"


def _wanted(case: Case) -> Mapping[tuple[str, str], Wanted]:
    return {(word.by, word.transaction): word for word in case.history.wanted}


def _may(case: Case, user: str) -> frozenset[str]:
    return case.history.may[user]


def _addressee(message: Published) -> tuple[str, str]:
    """The user and the name of their request, where a message answers one."""
    *_, user, transaction = message.topic.split("/")
    return user, transaction
