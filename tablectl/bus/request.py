"""A request as it comes off the wire: who asks, what for, and where his answer may go. No socket, no task."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, cast

from tablectl.bus.client import Message

LARGEST: Final = 4096
"""Bytes of a request's payload."""

LONGEST_TOPIC: Final = 256
LONGEST_CORRELATION: Final = 256

_TRANSACTION: Final = re.compile(r"[A-Za-z0-9._-]{1,64}")
_LEVELS: Final = re.compile(r"[A-Za-z0-9._-]+(/[A-Za-z0-9._-]+)*")


@dataclass(frozen=True, slots=True)
class ReplyTo:
    """Where an answer goes.

    Args:
        topic: whole; None where there is no place for it.
        transaction: the asker's name for his request; None where he gave none.
        correlation: goes back to him as it came.
    """

    topic: str | None
    transaction: str | None
    correlation: bytes | None = None


@dataclass(frozen=True, slots=True)
class Request:
    """Somebody's request.

    Args:
        user: the level of the topic, which the broker's ACL binds to its user; never the payload's word.
        body: what the payload says besides the transaction.
        wrong: what is wrong with it: a word for programs and a line for people; None where nothing is.
    """

    user: str
    verb: str
    reply_to: ReplyTo
    body: Mapping[str, Any] = field(default_factory=dict[str, Any])
    wrong: tuple[str, str] | None = None

    @property
    def transaction(self) -> str:
        """The asker's name for his request; empty where he gave none."""
        return self.reply_to.transaction or ""


def read_request(prefix: str, message: Message) -> Request | None:
    """The request in a message; None where the topic isn't that of one.

    Args:
        prefix: of all topics, without a slash at the end.
    """
    rest = message.topic.removeprefix(f"{prefix}/req/")
    user, _, verb = rest.partition("/")
    if rest == message.topic or not user or not verb or "/" in verb:
        return None
    body, wrong = _body(message.payload)
    transaction, misnamed = _transaction(body)
    reply_to, misdirected = _reply_to(prefix, user, message, transaction)
    left = {name: value for name, value in body.items() if name != "transaction"}
    return Request(user, verb, reply_to, left, wrong or misnamed or misdirected)


def _body(payload: bytes) -> tuple[Mapping[str, Any], tuple[str, str] | None]:
    if len(payload) > LARGEST:
        return {}, ("too_large", f"a request has at most {LARGEST} bytes")
    try:
        form = json.loads(payload)
    except (ValueError, RecursionError):
        form = None
    if not isinstance(form, dict):
        return {}, ("malformed", "a request is a JSON object in UTF-8")
    return cast("Mapping[str, Any]", form), None


def _transaction(body: Mapping[str, Any]) -> tuple[str | None, tuple[str, str] | None]:
    given = body.get("transaction")
    if isinstance(given, str) and _TRANSACTION.fullmatch(given):
        return given, None
    return None, ("no_transaction", "transaction is a text of 1 to 64 letters, digits, dots, underscores and hyphens")


def _reply_to(
    prefix: str, user: str, message: Message, transaction: str | None
) -> tuple[ReplyTo, tuple[str, str] | None]:
    """Where the answer goes; a topic of somebody else's, which would let the asker write there, is refused."""
    own = f"{prefix}/answer/{user}/{transaction}" if transaction else None
    wanted, mark = message.response_topic, message.correlation
    if mark is not None and len(mark) > LONGEST_CORRELATION:
        why = f"correlation data have at most {LONGEST_CORRELATION} bytes"
        return ReplyTo(own, transaction), ("malformed", why)
    if wanted is None:
        return ReplyTo(own, transaction, mark), None
    if _is_own(prefix, user, wanted):
        return ReplyTo(wanted, transaction, mark), None
    why = f"answers go below {prefix}/answer/{user}/ or {prefix}/replay/{user}/ only"
    return ReplyTo(own, transaction, mark), ("response_topic", why)


def _is_own(prefix: str, user: str, topic: str) -> bool:
    homes = (f"{prefix}/{kind}/{user}/" for kind in ("answer", "replay"))
    rest = next((topic.removeprefix(home) for home in homes if topic.startswith(home)), "")
    return len(topic) <= LONGEST_TOPIC and _LEVELS.fullmatch(rest) is not None
