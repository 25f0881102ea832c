"""Proofs of rounds that subscribers asked for, judged by RFC 6962 and C2SP's signed notes as these are written."""

import base64
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from itertools import count, takewhile
from typing import Final

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from tests.simulation.checker.case import Case, Lines, kind_of, leaf, node, roots
from tests.simulation.history import Form, Published, Wanted

ENDS: Final = frozenset({"round.settled", "round.void"})
OPENED_AGAIN: Final = "round.reopened"
LATER: Final = frozenset({"busy", "too_often"})
"""Errors that say nothing of the proof: it may be asked for again."""

ED25519: Final = b"\1"
KEY_ID: Final = 4


@dataclass(slots=True)
class Log:
    """The log as the broker was given it.

    Args:
        name: as its notes have it.
        events: bytes by number.
        rounds: the numbers of each round's events.
        turns: the numbers of the events that ended each round, or opened it again, and whether they ended it.
        roots: over the first 0, 1, 2, … events.
    """

    name: str = ""
    events: dict[int, bytes] = field(default_factory=dict[int, bytes])
    rounds: dict[str, list[int]] = field(default_factory=lambda: defaultdict(list))
    turns: dict[str, list[tuple[int, bool]]] = field(default_factory=lambda: defaultdict(list))
    roots: Sequence[bytes] = ()


def proofs_hold(case: Case) -> Lines:
    """A proof shows the whole round that was asked for, as the broker has it, under a root that the log signed."""
    log = _log(case)
    for message, form, asked in _answers(case):
        if "data" not in form:
            continue
        try:
            wrong = _wrong(case, log, asked, form["data"])
        except (KeyError, TypeError, ValueError) as error:
            wrong = f"it can't be read: {error!r}"
        if wrong is not None:
            yield f"the proof {asked.transaction}, given at {message.at_s:.3f} s, doesn't hold: {wrong}"


def proofs_are_given(case: Case) -> Lines:
    """Who may have a proof gets it where a checkpoint was out that covers the round; nobody else gets one."""
    log = _log(case)
    for message, form, asked in _answers(case):
        code = form["error"]["code"] if "error" in form else None
        if "prove" not in case.history.may[asked.by]:
            if code is None:
                yield f"{asked.by} was given a proof at {message.at_s:.3f} s, and may have none"
        elif code is not None and _is_due(case, log, asked, code):
            yield f"{asked.transaction} asked for {asked.fields['round_id']}, which a checkpoint covered: {code}"


def _log(case: Case) -> Log:
    log = Log()
    for message, form in case.said:
        if "/event/" not in message.topic or (number := int(form["sequence"])) in log.events:
            continue
        name = form.get("correlationid", "")
        log.name = form["source"].removeprefix("/")
        log.events[number] = message.payload
        log.rounds[name].append(number)
        if (kind := kind_of(form)) in ENDS or kind == OPENED_AGAIN:
            log.turns[name].append((number, kind in ENDS))
    log.roots = roots([leaf(log.events[number]) for number in takewhile(log.events.__contains__, count(1))])
    return log


def _answers(case: Case) -> Iterator[tuple[Published, Form, Wanted]]:
    asked = {(word.by, word.transaction): word for word in case.history.wanted if word.verb == "prove"}
    for message, form in case.said:
        if "/answer/" in message.topic:
            *_, user, transaction = message.topic.split("/")
            if (user, transaction) in asked:
                yield message, form, asked[user, transaction]


def _is_due(case: Case, log: Log, asked: Wanted, code: str) -> bool:
    """Whether all that ever came of the round lay under a checkpoint that was out before they asked for it."""
    if 0 < case.history.calm_s <= asked.at_s:
        return True  # In peace they ask for nothing else.
    own = log.rounds.get(asked.fields["round_id"])
    return own is not None and code not in LATER and max(own) <= _covered(case, asked.at_s)


def _covered(case: Case, at_s: float) -> int:
    notes = [each for each, _ in case.said if each.topic.endswith("/checkpoint") and each.at_s < at_s]
    return max((int(each.payload.split(b"\n")[1]) for each in notes if each.payload), default=0)


# --- one proof


def _wrong(case: Case, log: Log, asked: Wanted, proof: Form) -> str | None:
    """Why a proof doesn't hold; None where it does."""
    key = case.history.public_key
    if proof["round"] != asked.fields["round_id"] or base64.b64decode(proof["public_key"]) != key:
        return "it is of another round or log"
    head = signed_head(proof["checkpoint"], log.name, key)
    if head is None:
        return "the log didn't sign its checkpoint"
    size, root = head
    if size >= len(log.roots) or log.roots[size] != root:
        return f"the root over {size} events isn't that of the broker's"
    numbers, due = [event["sequence"] for event in proof["events"]], _whole(log, proof["round"], size)
    if not due or numbers != due:
        return f"it has events {numbers} and not {due}"
    return next((wrong for event in proof["events"] if (wrong := _apart(log, event, size, root))), None)


def _apart(log: Log, event: Form, size: int, root: bytes) -> str:
    """Why an event isn't under a root; empty where it is."""
    number, payload = event["sequence"], event["payload"].encode()
    if payload != log.events[number]:
        return f"event {number} has other bytes"
    path = [base64.b64decode(each) for each in event["inclusion"]]
    return "" if root_over(leaf(payload), number - 1, size, path) == root else f"event {number} isn't under the root"


def _whole(log: Log, name: str, size: int) -> list[int]:
    """A round's events under a checkpoint: all from its first to its end, what came between too, and corrections."""
    own = [number for number in sorted(log.rounds.get(name, ())) if number <= size]
    turns = [(number, ends) for number, ends in log.turns.get(name, ()) if number <= size]
    end = turns[-1][0] if turns and turns[-1][1] else size
    return [*range(own[0], end + 1), *(number for number in own if number > end)] if own else []


def signed_head(note: str, name: str, key: bytes) -> tuple[int, bytes] | None:
    """Size and root in a log's checkpoint (C2SP `signed-note`, `tlog-checkpoint`); None where it didn't sign it.

    Raises:
        ValueError: it isn't a checkpoint.
    """
    text, _, lines = note.rpartition("\n\n")
    text += "\n"
    origin, size, root, *_ = text.split("\n")
    mark, identity = f"— {name} ", sha256(name.encode() + b"\n" + ED25519 + key).digest()[:KEY_ID]
    coded = [base64.b64decode(line.removeprefix(mark)) for line in lines.splitlines() if line.startswith(mark)]
    ours = [each[KEY_ID:] for each in coded if each[:KEY_ID] == identity]
    if origin != name or not ours or not all(_signed(key, each, text.encode()) for each in ours):
        return None
    return int(size), base64.b64decode(root)


def _signed(key: bytes, signature: bytes, text: bytes) -> bool:
    try:
        Ed25519PublicKey.from_public_bytes(key).verify(signature, text)
    except InvalidSignature:
        return False
    return True


def root_over(leaf_hash: bytes, nth: int, size: int, path: Sequence[bytes]) -> bytes | None:
    """The root to which a path leads from a leaf, by the definition of PATH in RFC 6962, section 2.1.1.

    Args:
        nth: the leaf's place, from 0.

    Returns:
        None where the path hasn't the length of the way.
    """
    if size == 1 or not path:
        return leaf_hash if size == 1 and not path else None
    *rest, beside = path
    half = 1 << (size - 1).bit_length() - 1
    if nth < half:
        below = root_over(leaf_hash, nth, half, rest)
        return node(below, beside) if below is not None else None
    below = root_over(leaf_hash, nth - half, size - half, rest)
    return node(beside, below) if below is not None else None
