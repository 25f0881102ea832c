"""All messages of a log together, in the order in which they came."""

import base64
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache

from tests.contract import form as f
from tests.contract.capture import Message
from tests.contract.checkpoint import complaints_about, size_of
from tests.contract.content import RAW
from tests.contract.envelope import complaints_of, decoded, kind_of, rest_of
from tests.contract.form import Form
from tests.contract.rounds import Round, amended, complaints_in_round


@dataclass(frozen=True, slots=True)
class Shown:
    """The cards in a state, and when it was made."""

    about: str
    round_id: str
    time: str
    cards: frozenset[str]


@dataclass(slots=True)
class Witness:
    """A log as it was seen so far."""

    log: str = ""
    last: int = 0
    seen: dict[str, bytes] = field(default_factory=dict[str, bytes])
    rounds: dict[str, Round] = field(default_factory=dict[str, Round])
    faults: set[tuple[int, str]] = field(default_factory=set[tuple[int, str]])
    payloads: list[bytes] = field(default_factory=list[bytes])
    origin: str = ""
    public: bytes | None = None
    checkpoint: int = 0
    shown: list[Shown] = field(default_factory=list[Shown])

    @property
    def open_rounds(self) -> list[str]:
        return [name for name, round_ in self.rounds.items() if not round_.ended]


def complaints(messages: Sequence[Message], *, resent: bool = False) -> list[str]:
    """Everything that is wrong with a log's messages, its first one included.

    Args:
        resent: whether a connection broke, so that events may come again.
    """
    witness, found = Witness(), list[str]()
    for number, message in enumerate(messages, 1):
        about = f"message {number} on {message.topic}"
        alone = _alone(message)
        # A message that is malformed by itself is not asked what it means beside the others.
        wrong = alone or list(_together(witness, message, about, resent=resent))
        found += [f"{about}: {text}" for text in wrong]
    found += (text for shown in witness.shown for text in _hidden(witness, shown))
    return found + [f"round {name} never ends" for name in witness.open_rounds]


@cache  # many captures differ in one message only
def _alone(message: Message) -> Sequence[str]:
    return tuple(complaints_of(message))


def _together(witness: Witness, message: Message, about: str, *, resent: bool) -> Iterator[str]:
    if rest_of(message) in RAW:
        yield from _raw(witness, message)
        return
    if rest_of(message).startswith("replay/"):
        yield from _replayed(witness, message)
    if rest_of(message).startswith(("req/", "answer/", "replay/")):
        return
    form, rest = decoded(message), rest_of(message)
    again = form["id"] in witness.seen
    if witness.seen.setdefault(form["id"], message.payload) != message.payload:
        yield "one id, and other bytes"
    if again and not resent:
        yield "it comes twice though no connection broke"
    if again:
        return
    witness.origin = form["source"].removeprefix("/")
    if rest.startswith("event/"):
        witness.payloads.append(message.payload)
        yield from _event(witness, form)
    else:
        yield from _state(witness, rest, form, about)


def _event(witness: Witness, event: Form) -> Iterator[str]:
    kind, data, sequence = kind_of(event), event["data"], int(event["sequence"])
    if sequence != witness.last + 1:
        yield f"sequence {sequence} follows {witness.last}"
    witness.last = max(witness.last, sequence)
    log = event["id"].rpartition("-")[0]
    witness.log = witness.log or log
    if log != witness.log or (kind == "audit.log_began") != (sequence == 1) or data.get("log", log) != log:
        yield "a log begins once, with its first event"
    yield from _fault(witness, kind, data)
    yield from _round(witness, kind, event)


def _raw(witness: Witness, message: Message) -> Iterator[str]:
    if rest_of(message) != "checkpoint":
        return
    note = message.payload.decode(errors="replace")
    yield from complaints_about(note, witness.origin, witness.payloads, witness.public)
    if size_of(note) < witness.checkpoint:
        yield "the checkpoint goes back"
    witness.checkpoint = max(witness.checkpoint, size_of(note))


def _replayed(witness: Witness, message: Message) -> Iterator[str]:
    form = decoded(message)
    if "sequence" in form and witness.seen.get(form["id"]) != message.payload:
        yield "a replay has other bytes than the event"
    if "sequence" not in form and (form.get("complete") is not True or int(form["last"]) > witness.last):
        yield "a replay's last message says that it is complete, and up to where"


def _round(witness: Witness, kind: str, event: Form) -> Iterator[str]:
    name = event["data"].get("round_id")
    if kind == "round.opened":
        if witness.open_rounds or name in witness.rounds:
            yield "a round is opened while another is open, or twice"
        witness.rounds[name] = Round(event, event["data"]["places"])
    elif name is None:
        if witness.open_rounds or f.cards_named(event["data"]):
            yield "an event without a round, while one is open or with a card"
    elif name not in witness.rounds:
        yield f"round {name} was never opened"
    elif kind == "round.amended":
        witness.rounds[name], wrong = amended(witness.rounds[name], event["data"])
        yield from wrong
    elif "subject" in event:
        yield from complaints_in_round(witness.rounds[name], kind, event)
    elif f.cards_named(event["data"]) - witness.rounds[name].public.keys():
        yield "names cards that nobody has seen"


def _fault(witness: Witness, kind: str, data: Form) -> Iterator[str]:
    if not kind.startswith("fault."):
        return
    fault = data["code"], data["device"]
    if kind != "fault.raised" and fault not in witness.faults:
        yield "a fault that was never raised"
    if kind == "fault.raised":
        witness.faults.add(fault)
    if kind == "fault.cleared":
        witness.faults.discard(fault)


def _state(witness: Witness, rest: str, state: Form, about: str) -> Iterator[str]:
    data = state["data"]
    round_id = str(data.get("round_id")) if rest == "round/state" else ""
    if cards := f.cards_named(data):
        witness.shown.append(Shown(about, round_id, state["recordedtime"], frozenset(cards)))
    if rest == "meta/info":
        witness.public = base64.b64decode(data["public_key"])
    if rest == "status" and data["session"] != state["session"]:
        yield "the status isn't of the session that sends it"


def _hidden(witness: Witness, shown: Shown) -> Iterator[str]:
    """A state shows no card but those that events of its round had named when it was made.

    It may come before them: a state says how things are now, and events wait for their turn.
    """
    round_ = witness.rounds.get(shown.round_id)
    public = round_.public if round_ else {}
    hidden = [card for card in sorted(shown.cards) if not public.get(card, "later") <= shown.time]
    if hidden:
        yield f"{shown.about}: shows cards that nobody has seen: {hidden}"
