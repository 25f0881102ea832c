"""Topics below a table's prefix: kind, quality of service, retention, messages."""

from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Any, Final

from tablectl.core.events import KINDS
from tablectl.lazy_dataclass import dataclass
from tablectl.mqtt.schema.models import Form
from tablectl.mqtt.schema.requests import ERROR, REPLAY_END, VERBS, answer_names, request_name

PREFIX: Final = "tablectl/v1/{site}/{table}"
QOS: Final = 1
BINDING: Final = "0.2.0"
"""The version of the MQTT bindings' own specification."""

_LEVEL: Final = "^[a-z0-9-]+$"
_NAME: Final = "^[A-Za-z0-9._-]+$"

PARAMETERS: Final[Mapping[str, tuple[str, str, str]]] = {
    "site": ("The house.", _LEVEL, "macau-1"),
    "table": ("The table, unique inside its house.", _LEVEL, "qp-07"),
    "device": ("A device, as the table's configuration names it.", _LEVEL, "shoe"),
    "user": ("The subscriber, as the broker knows them: its ACL binds this level to them.", _NAME, "recorder"),
    "transaction": ("The asker's name for their request.", "^[A-Za-z0-9._-]{1,64}$", "x1"),
}
"""The levels of a topic that vary: what they are, their pattern, an example."""


class Kind(StrEnum):
    """What a topic carries."""

    STATE = "state"
    EVENT = "event"
    RAW = "raw"
    REQUEST = "request"
    ANSWER = "answer"


RETAINED: Final = frozenset({Kind.STATE, Kind.RAW})


@dataclass(frozen=True, slots=True)
class Channel:
    """A topic.

    Args:
        name: in the document.
        topic: below the table's prefix, its parameters in braces.
        messages: the names of the messages that come there.
        answers: the names of the messages that answer it; they come on ``answer``, or without one on ``replay``.
    """

    name: str
    topic: str
    kind: Kind
    about: str
    messages: tuple[str, ...]
    answers: tuple[str, ...] = ()

    @property
    def parameters(self) -> Sequence[str]:
        """The levels that vary."""
        return tuple(name for name in PARAMETERS if f"{{{name}}}" in self.address)

    @property
    def address(self) -> str:
        """The whole topic."""
        return f"{PREFIX}/{self.topic}"


_FAMILIES: Final[Mapping[str, str]] = {
    "round": "Rounds: opened, played, settled or void.",
    "bet": "Stakes that are put down, taken back or refused.",
    "card": "Cards as they come, without identity while they lie face down.",
    "draw": "Draws of the draw system.",
    "wheel": "Spins of the wheel.",
    "dice": "Throws of the dice.",
    "fault": "Faults of the catalogue as they come and go.",
    "fairness": "Evidence that a stream of outcomes isn't fair, at each tenfold and at the alarm.",
    "audit": "What persons did to the controller, and what was done to its log.",
}


def channels() -> tuple[Channel, ...]:
    """All topics of a table."""
    return (*_states(), *_events(), *_raw(), *_requests(), *_answers())


def channel_form(channel: Channel) -> Form:
    """The topic as the document has it."""
    return {
        "address": channel.address,
        "title": channel.topic,
        "description": channel.about,
        "messages": {name: {"$ref": f"#/components/messages/{name}"} for name in channel.messages},
        "parameters": {name: {"$ref": f"#/components/parameters/{name}"} for name in channel.parameters},
        "tags": [{"name": channel.kind.value}],
        "x-kind": channel.kind.value,
    }


def operation_form(channel: Channel) -> Form:
    """The AsyncAPI operation of a topic, with the bindings for the broker."""
    asked = channel.kind is Kind.REQUEST
    form: Form = {
        "action": "receive" if asked else "send",
        "channel": {"$ref": f"#/channels/{channel.name}"},
        "summary": channel.about,
        "messages": _messages(channel.name, channel.messages),
        "bindings": {"mqtt": {"qos": QOS, "retain": channel.kind in RETAINED, "bindingVersion": BINDING}},
    }
    return {**form, "reply": _reply(channel.answers)} if asked else form


def parameter_forms() -> dict[str, Form]:
    """The levels that vary, as the document has them."""
    return {
        name: {"description": about, "examples": [example], "x-pattern": pattern}
        for name, (about, pattern, example) in PARAMETERS.items()
    }


def _reply(answers: Sequence[str]) -> Form:
    name = "answer" if answers else "replay"
    come = answers or next(channel.messages for channel in _answers() if channel.name == name)
    return {"channel": {"$ref": f"#/channels/{name}"}, "messages": _messages(name, come)}


def _messages(channel: str, names: Sequence[str]) -> list[dict[str, Any]]:
    return [{"$ref": f"#/channels/{channel}/messages/{name}"} for name in names]


def _states() -> tuple[Channel, ...]:
    state = Kind.STATE
    return (
        Channel("status", "status", state, "The table in one word; the broker says lost for it.", ("status.v1",)),
        Channel("metaInfo", "meta/info", state, "Version, game, devices, log and key.", ("meta.info.v1",)),
        Channel("health", "health", state, "Figures of the daemon, every 30 s.", ("health.v1",)),
        Channel("deviceStatus", "device/{device}/status", state, "A device's link and faults.", ("device.status.v1",)),
        Channel("roundState", "round/state", state, "The round in being, as far as it is public.", ("round.state.v1",)),
        Channel("roundPhase", "round/phase", state, "The phase, without cards or bets.", ("round.phase.v1",)),
        Channel("board", "board", state, "The last results, and counts beside expected counts.", ("board.v1",)),
        Channel("fairness", "fairness", state, "The evidence of every stream of outcomes.", ("fairness.v1",)),
    )


def _events() -> tuple[Channel, ...]:
    by_family = {family: tuple(kind for of, kind in KINDS.values() if of == family) for family in _FAMILIES}
    restricted = "Face-down cards, for who may know them: off unless configured, its own sequence, not in the log."
    return (
        *(
            Channel(f"event{family.capitalize()}", f"event/{family}", Kind.EVENT, about, by_family[family])
            for family, about in _FAMILIES.items()
        ),
        Channel("restrictedCard", "restricted/card", Kind.EVENT, restricted, ("card.read.v1",)),
    )


def _raw() -> tuple[Channel, ...]:
    return (
        Channel("metaAsyncapi", "meta/asyncapi", Kind.RAW, "This document.", ("asyncapi",)),
        Channel("checkpoint", "checkpoint", Kind.RAW, "The signed head of the log.", ("checkpoint",)),
    )


def _requests() -> tuple[Channel, ...]:
    return tuple(
        Channel(
            f"request{verb.capitalize()}",
            f"req/{{user}}/{verb}",
            Kind.REQUEST,
            form.about,
            (request_name(verb),),
            answers=(form.answer, ERROR) if form.answer else (),
        )
        for verb, form in VERBS.items()
    )


def _answers() -> tuple[Channel, ...]:
    stored = tuple(kind for _, kind in KINDS.values())
    replay = "Stored events again, with their first bytes, only to who asked and as far as they may read them."
    answer = "Answers, where the request named no response topic, and always over MQTT 3.1.1."
    return (
        Channel("replay", "replay/{user}/{transaction}", Kind.ANSWER, replay, (*stored, REPLAY_END)),
        Channel("answer", "answer/{user}/{transaction}", Kind.ANSWER, answer, answer_names()),
    )
