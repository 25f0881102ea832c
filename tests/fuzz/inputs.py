"""What people and programs send: configurations, requests, bodies of the console, lines to settle, messages."""

import atexit
import json
import re
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import cache
from pathlib import Path
from typing import Any, cast, get_args, get_origin, get_type_hints
from unicodedata import normalize

from pydantic import BaseModel

from drivers.diagnostics.explain import DecodeError, explainer
from tablectl.config import config_hash, load
from tablectl.config.errors import ConfigError
from tablectl.config.remarks import remarks
from tablectl.console.auth.routes import SignOn
from tablectl.console.errors import ApiError
from tablectl.console.openapi import example_of
from tablectl.console.requests.body import parse_form
from tablectl.console.requests.table import VERBS
from tablectl.console.requests.verb import asked
from tablectl.console.websocket import Hello
from tablectl.core.actions import names
from tablectl.core.actions.names import skeleton, unfit
from tablectl.core.bets.settle import settle_line
from tablectl.core.cards import PACK, Card
from tablectl.core.facts import Body, Fact, Stamp
from tablectl.features.tail.follower import Follower
from tablectl.history.captures import CaptureError, Replay
from tablectl.journal.encoding import WireError, plain, read_fact, write_fact
from tablectl.mqtt.message import Message
from tablectl.mqtt.requests import LARGEST, LONGEST_CORRELATION, read_request
from tablectl.rule_tables import settlers, shipped
from tablectl.words import LANGUAGES
from tests.fuzz.documents import NOTE, PAYLOADS
from tests.fuzz.target import Bytes, Target, edited, hold, obeyed, reformed


@cache
def _file() -> Path:
    folder = tempfile.TemporaryDirectory(prefix="tablectl-fuzz-")
    atexit.register(folder.cleanup)
    return Path(folder.name) / "input"


# --- the configuration

_CONFIGS = tuple(
    shipped(f"tables/{name}.demo.toml").read_bytes() for name in ("q-poker", "wheel-of-fortune", "chinese-dice")
)


def _config(data: bytes) -> None:
    given = Bytes(data)
    which = given.number(len(_CONFIGS) + 1)
    text = edited(_CONFIGS[which], given.left) if which < len(_CONFIGS) else given.left
    _file().write_bytes(text)
    try:
        config = load(_file())
    except ConfigError as told:
        hold(told.problems, "nothing is said")
        hold("argon2id$v" not in str(told), "a secret is shown", str(told))
        return
    hold(len(config_hash(config)) == 64, "no hash", config)
    hold(all(str(remark) for remark in remarks(config, _file())), "an empty remark")


# --- MQTT

_PREFIX = "tablectl/v1/macau/q1"
_TOPICS = (f"{_PREFIX}/answer/cctv/a", f"{_PREFIX}/replay/cctv/b/c", f"{_PREFIX}/answer/pit/a", "$SYS/x", "")


_ASKED = b'{"transaction":"x1","from":"1","to":2,"rounds":["r1"]}'


def _mqtt_request(data: bytes) -> None:
    given = Bytes(data)
    verb = ("replay", "status", given.take(3).decode(errors="replace"))[given.number(3)]
    wanted = (None, *_TOPICS, given.take(20).decode(errors="replace"))[given.number(len(_TOPICS) + 2)]
    correlation = (None, bytes(given.number(65536)))[given.number(2)]
    body = reformed(_ASKED, given.left) if given.number(2) else given.left
    message = Message(f"{_PREFIX}/req/cctv/{verb}", body, response_topic=wanted, correlation=correlation)
    request = read_request(_PREFIX, message)
    if request is None:
        hold(not verb or "/" in verb, "a request isn't taken for one", message)
        return
    topic, mark = request.reply_to.topic, request.reply_to.correlation
    own = (f"{_PREFIX}/answer/cctv/", f"{_PREFIX}/replay/cctv/")
    hold(topic is None or (topic.startswith(own) and not set("+#\0 ") & set(topic)), "an answer elsewhere", topic)
    hold(mark is None or (mark == correlation and len(mark) <= LONGEST_CORRELATION), "another mark", mark)
    hold(len(body) <= LARGEST or request.wrong, "too large, and taken", len(body))
    hold("transaction" not in request.body, "the name is left in the body", request.body)


def _requests() -> Iterator[bytes]:
    for verb, topic in ((0, 2), (1, 1), (2, 6)):
        head = b"abc" + bytes((verb,)) + b"tablectl/v1/macau/q1" + bytes((topic, 0, 9, 1))
        yield head + b"\0" + _ASKED
        yield head + b"\1\1\3\0"


# --- the console

_FORMS: tuple[tuple[str, type], ...] = (
    *((name, verb.form) for name, verb in VERBS.items()),
    ("sign_on", SignOn),
    ("hello", Hello),
)
_AT = Stamp(1_700_000_000_000_000, 1, "boot")


def _body(data: bytes) -> None:
    given = Bytes(data)
    name, form = _FORMS[given.number(len(_FORMS))]
    document = reformed(_EXAMPLES[name], given.left) if given.number(2) else given.left
    try:
        checked: object = parse_form(document, form)
    except ApiError as told:
        hold(told.status == 422 and told.message and told.where, "another error than a form's", told)
        hold(all(problem.message for problem in told.problems), "a problem without words", told.problems)
        return
    if name in VERBS and isinstance(checked, BaseModel):
        came = asked(checked, VERBS[name].asks)
        fact = Fact(came.body, _AT, "console", "ana", came.request_id, came.round_id, came.seen)
        hold(read_fact(write_fact(fact)) == fact, "what was asked changes in the journal", fact)


def _example_body(name: str) -> bytes:
    every = {"request_id": "a", "round_id": None, "seen": 1}
    return json.dumps({**every, **example_of(VERBS[name])} if name in VERBS else {"person": "ana", "pin": "1"}).encode()


_EXAMPLES = {name: _example_body(name) for name, _ in _FORMS}


def _bodies() -> Iterator[bytes]:
    for number, (name, _) in enumerate(_FORMS):
        yield bytes((number, 0)) + _EXAMPLES[name]
        yield bytes((number, 1, 1, 3, 0))
    yield b'\1\0{"place":1,"place":1}'
    yield b"\1\0" + b"[" * 3000


# --- the journal's facts


def _fact(data: bytes) -> None:
    given = Bytes(data)
    which = given.number(len(_FACTS) + 1)
    try:
        fact = read_fact(reformed(_FACTS[which], given.left) if which < len(_FACTS) else given.left)
    except WireError:
        return
    written = write_fact(fact)
    again = read_fact(written)
    # Half a surrogate pair has no UTF-8 form, and is written as a mark.
    same = again == fact or (_HALF.search(str(plain(fact))) and write_fact(again) == written)
    hold(same, "a fact changes when it is written", fact)


_HALF = re.compile(r"\\ud[89a-f]")


def _example(kind: Any) -> Any:
    """A value of a fact's field."""
    if kind in _PLAIN:
        return _PLAIN[kind]
    if isinstance(kind, type) and issubclass(kind, Enum):
        return next(iter(kind))
    if is_dataclass(kind):
        make, types = cast("Callable[..., Any]", kind), get_type_hints(kind)
        return make(**{field.name: _example(types[field.name]) for field in fields(kind)})
    first = _example(get_args(kind)[0])
    return (first,) if get_origin(kind) is tuple else first


_PLAIN: dict[Any, Any] = {int: 1, str: "a", bool: True, Card: PACK[0]}
_FACTS = tuple(
    write_fact(Fact(_example(kind), _AT, "console", "ana", "x1", "r1", 1, delivery="1:2", second="rui"))
    for kind in get_args(Body)
)


def _facts() -> Iterator[bytes]:
    for nth, fact in enumerate(_FACTS):
        yield bytes((nth, 1, 3, 0))
        if nth % 8 == 0:
            yield bytes((len(_FACTS),)) + fact


# --- rounds to settle

_GAMES = settlers()
ROUNDS = (
    b'{"game":"q_poker","round":{"dealer":["Qs","7h","2c"],"places":[{"place":1,"cards":["As","Ks","Qd"],"bets":['
    b'{"bettor":"a","bet":"pair_or_better","stake":"100"},'
    b'{"bettor":"a","bet":"versus_dealer","stake":"200","decision":"play"}]}]}}',
    b'{"game":"football_poker","rules":{"decks":1},"round":{"draw":{"series":"upper","combination":3},"places":['
    b'{"place":1,"cards":["As","8d","Kc"],"bets":[{"bettor":"a","bet":"post","stake":"10"}]},'
    b'{"place":"common","cards":["2s","3d"],"bets":[]}]}}',
    b'{"game":"wheel_of_fortune","round":{"spin":{"turns":4.25,"symbol":3,"on_peg":false,"interfered":false},'
    b'"bets":[{"bettor":"a","bet":"symbol_3","stake":"50"}]}}',
    b'{"game":"chinese_dice","round":{"banker":{"place":1,"bettor":"b","capital":"1000","throws":[[1,2,4],[6,6,2]]},'
    b'"casino_share":"0","partners":[{"bettor":"p","stake":"200"}],"places":['
    b'{"place":2,"bets":[{"bettor":"a","stake":"100"}],"throws":[null,[5,5,3]]}]}}',
    b'{"game":"thirteen_cards","round":{"banker":{"rows":['
    b'["Qs","8h","3d"],["9s","9h","Jd","6c","2s"],["Ks","Kh","4d","4c","7s"]]},"places":[{"place":2,"rows":['
    b'["Ah","8s","3c"],["Ts","Th","Jc","6d","2h"],["Ac","Ad","5s","5h","7d"]],'
    b'"bets":[{"bettor":"a","stake":"300"}]}]}}',
)
"""One of each game, as the contract has it."""


def _settled(data: bytes) -> None:
    given = Bytes(data)
    which = given.number(len(ROUNDS) + 1)
    line = reformed(ROUNDS[which], given.left) if which < len(ROUNDS) else given.left
    answer = settle_line(line, 1, _GAMES)
    form = json.loads(answer.text)
    hold(form["line"] == 1 and ("error" in form) != answer.settled, "an answer that is none", answer)


def _lines() -> Iterator[bytes]:
    for nth, line in enumerate(ROUNDS):
        yield bytes((nth, 3, 0, 3))
        yield bytes((len(ROUNDS),)) + line


# --- what a subscriber hears

_TOPIC_KINDS = ("status", "event/round", "checkpoint", "event/audit", "device/shoe/status")


def _followed(data: bytes) -> None:
    given = Bytes(data)
    language = LANGUAGES[given.number(len(LANGUAGES))]
    follower = Follower(language)
    while given.left:
        kind = _TOPIC_KINDS[given.number(len(_TOPIC_KINDS))]
        size = given.number(65536)
        payload = given.take(size) if size < 4096 else edited(PAYLOADS[size % len(PAYLOADS)], given.take(8))
        for line in follower.tell(Message(f"{_PREFIX}/{kind}", payload)):
            hold(not obeyed(line), "a line that a terminal would obey", line)
        hold(not obeyed(follower.completeness()), "an account that a terminal would obey", follower.completeness())


def _heard() -> Iterator[bytes]:
    for nth, payload in enumerate((*PAYLOADS, NOTE.encode(), *_MORE)):
        kind = 2 if payload == NOTE.encode() else 1
        yield bytes((nth % 3, kind)) + len(payload).to_bytes(2, "big") + payload
        yield bytes((nth % 3, 1)) + (4096 + nth).to_bytes(2, "big") + b"\0\x20\1\7"


_MORE = tuple(
    json.dumps({**json.loads(PAYLOADS[1]), "type": f"mo.tablectl.{kind}.v1", "data": data}).encode()
    for kind, data in (
        ("audit.bookmark", {"by": "sam", "note": "a\u001b[2Jb"}),
        ("bet.placed", {"place": 1, "bettor": "A", "bet": "pair", "stake": "1"}),
        ("round.void", {"round_id": "r1", "reason": "x", "article": "1", "by": "a"}),
    )
)


# --- names of bettors


def _name(data: bytes) -> None:
    """What is taken as a name shows what it is, and looks like itself in every form."""
    name, _, other = data.decode(errors="replace").partition("\0")
    if (no := unfit(name)) is not None:
        hold(no.key in _NAME_REFUSALS, "a refusal without a reason of its own", no)
        return
    hold(not obeyed(name), "a name that a terminal would obey", name)
    hold(normalize("NFC", name) == name and " ".join(name.split()) == name, "a name in another form is taken", name)
    hold(skeleton(normalize("NFD", name)) == skeleton(name), "a name looks otherwise when it is taken apart", name)
    pairs = ((name, {other}), (other, {name})) if name and other else ()
    kept_out = {names._alike(*pair) is not None for pair in pairs}  # pyright: ignore[reportPrivateUsage]
    hold(len(kept_out) < 2, "one keeps the other out, and not the other way round", name, other)


_NAME_REFUSALS = frozenset({"refuse.name_unseen", "refuse.name_blank", "refuse.name_form", "refuse.name_mark"})
_NAMES = (
    "ann",
    "Ann B",
    "\u0410nn",
    "a\u0301",
    "\u00e1",
    "a\u200bb",
    " a",
    "\u9673\u5927\u6587",
    "\u202ea",
    "I1l\0l1I",
)


# --- a capture


def _captured(data: bytes) -> None:
    about = {"shoe": {"protocol": "angel_eye", "kind": "shoe"}, "dice": {"protocol": "link", "kind": "dice"}}
    head = json.dumps({"capture": 1, "devices": about}).encode() + b"\n"
    given = Bytes(data)
    _file().write_bytes(head + given.left if given.number(2) else given.left)
    replay = Replay(explainer)
    try:
        for line in replay.lines([_file()]):
            hold(not obeyed(line.text), "a line that a terminal would obey", line)
    except (CaptureError, DecodeError):
        return


def _captures() -> Iterator[bytes]:
    yield b'\1{"utc_us":1,"mono_ns":1,"device":"shoe","way":"in","hex":"0530530353"}\n{"lost":5}\n'
    yield b'\1{"utc_us":1,"mono_ns":1,"device":"dice","way":"out","hex":"00010200"}\n'
    yield b'\0{"capture":1,"devices":{}}\n'


TARGETS = {
    "config": Target(_config, lambda: [*(bytes((nth, 0, 50, 0, 3)) for nth in range(3)), b'\3[table]\nsite = "a"\n']),
    "mqtt_request": Target(_mqtt_request, _requests, 256),
    "console_body": Target(_body, _bodies, 4096),
    "fact": Target(_fact, _facts, 1024),
    "settle": Target(_settled, _lines, 1024),
    "feed": Target(_followed, _heard, 1024),
    "capture": Target(_captured, _captures),
    "name": Target(_name, lambda: [name.encode() for name in _NAMES], 128),
}
