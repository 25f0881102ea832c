"""Answers to requests over MQTT.

The sender's rights are settled before; the content of the request is checked here.
"""

import asyncio
import json
import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any, Final, Generic, TypeVar

from tablectl import words
from tablectl.config.checks import state_dir
from tablectl.config.models import Config
from tablectl.console.auth.people import Role, may_clear
from tablectl.console.requests.fields import LINE
from tablectl.core.actions.subscriber_requests import Answer, Asked, Denied, Stretch, Subscriber
from tablectl.core.events import FAMILIES
from tablectl.core.facts import Body, Bookmarked, Recalled
from tablectl.core.facts.table_requests import FaultAcknowledged
from tablectl.core.money import utc_instant, utc_text
from tablectl.core.protocols import StoredEvent
from tablectl.daemon.lifecycle import ProgramWatch
from tablectl.daemon.table import LiveTable
from tablectl.daemon.views.state_topics import StateTopics
from tablectl.history.journal_scan import EndedRound, envelope_field, last_rounds
from tablectl.journal.reading.reader import open_reader
from tablectl.journal.reading.rows import UnreadableError
from tablectl.lazy_dataclass import dataclass, replace
from tablectl.mqtt.requests import RequestService

S = TypeVar("S")

MOST_RECALLED: Final = 50
RECALLED: Final = 10
"""The rounds of a recall that names no number."""

LONGEST_NOTE: Final = 500

_NOTE: Final = re.compile(rf"(?!.*[\ud800-\udfff]){LINE}")
_SEQUENCE: Final = re.compile(r"[0-9]{1,16}")
_ROUND: Final = re.compile(r"[A-Za-z0-9._-]{1,64}")
_SEED: Final = re.compile(r"(?:(?:[0-9a-f]{2}){16,64})?")
_DEVICE: Final = re.compile(r"[a-z0-9-]{0,32}")


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """Functions of packages that this one may not import.

    Args:
        now: the whole table, for `status`.
        may_clear: returns whether a role's acknowledgement of a fault counts.
        prove: the proof of a round.
        verify: the program's verification with a challenge's seed, in a person's name.
    """

    now: Callable[[], Mapping[str, Any]]
    may_clear: Callable[[str, int], bool]
    prove: Callable[[str], Awaitable[Answer | Denied]]
    verify: Callable[[bytes, str], Awaitable[Answer]]


@dataclass(frozen=True, slots=True)
class Answers(Generic[S]):
    """Answers from the table as it is on disk.

    An act of a person through them is a fact like any other.
    """

    table: LiveTable[S]
    elsewhere: Elsewhere

    async def answer(self, asked: Asked) -> Answer | Denied:
        """The answer to a request whose verb the asker may use.

        Raises:
            TableStoppedError: the journal can't be used.
        """
        match asked.verb:
            case "replay":
                return self._replay(asked)
            case "recall":
                return await self._recall(asked)
            case "status":
                return Answer(self.elsewhere.now())
            case "bookmark":
                return await self._bookmark(asked)
            case "acknowledge":
                return await self._acknowledge(asked)
            case "prove":
                return await self._prove(asked)
            case "verify":
                return await self._verify(asked)
            case _:
                return Denied("unknown_verb", f"there is no {asked.verb}")

    # --- events again

    def _replay(self, asked: Asked) -> Answer | Denied:
        newest = self.table.journal.last_sequence()
        first, last = _sequence(asked.body.get("from"), 1), _sequence(asked.body.get("to"), newest)
        if first is None or last is None or first < 1:
            field = "to" if last is None else "from"
            return _malformed(field, 'the number of an event as text, such as "0000000000001234"; to may be null')
        through = min(last, newest)
        after = min(first - 1, through)
        compact = partial(self.table.journal.compact_range, after) if asked.by.reads >= FAMILIES else None
        return Answer(events=Stretch(after, through, _readable(asked.by), compact))

    async def _recall(self, asked: Asked) -> Answer | Denied:
        count = asked.body.get("rounds", RECALLED)
        if type(count) is not int or not 1 <= count <= MOST_RECALLED:
            return _malformed("rounds", f"a whole number from 1 to {MOST_RECALLED}")
        rounds = await last_rounds(self.table.journal, count)
        names = tuple(each.round_id for each in rounds)
        await self.table.ask(replace(self.table.note(Recalled(names)), by=asked.by.user))
        data = {"rounds": [_round_form(each) for each in rounds]}
        if not rounds:
            return Answer(data, Stretch(0, 0, lambda _: False))
        newest = self.table.journal.last_sequence()  # what was corrected later is a part of them
        return Answer(data, Stretch(rounds[0].first - 1, newest, _of_rounds(asked.by, frozenset(names))))

    # --- what they do

    async def _bookmark(self, asked: Asked) -> Answer | Denied:
        note, given, at = (asked.body.get(name) for name in ("note", "sequence", "at"))
        if not isinstance(note, str) or len(note) > LONGEST_NOTE or not _NOTE.fullmatch(note):
            return _malformed("note", f"a text in one line, of 1 to {LONGEST_NOTE} characters")
        if at is not None:
            marked = await self._event_at(at) if given is None else _malformed("at", "give sequence or at, not both")
            return marked if isinstance(marked, Denied) else await self._do(asked, Bookmarked(note, marked))
        sequence = _sequence(given, 0)
        if sequence is None or (given is not None and not 1 <= sequence <= self.table.journal.last_sequence()):
            return _malformed("sequence", "the number of an event of this log, as text")
        return await self._do(asked, Bookmarked(note, sequence or None))

    async def _event_at(self, at: object) -> int | Denied:
        """The last event that was stored by a time."""
        at_us = utc_instant(at)
        if at_us is None:
            return _malformed("at", "a time in UTC, such as 2026-11-20T04:05:06Z")
        now_us = self.table.note(Bookmarked("")).at.utc_us
        if at_us > now_us:
            return _malformed("at", f"this time is still to come: it is {utc_text(now_us)} now")
        sequence = await self.table.journal.last_event_by(at_us, now_us)
        return sequence or _malformed("at", "this log has no event as early as that")

    async def _acknowledge(self, asked: Asked) -> Answer | Denied:
        code, device = asked.body.get("code"), asked.body.get("device", "")
        if type(code) is not int or not 1 <= code <= 999:
            return _malformed("code", "the number of a fault")
        if not isinstance(device, str) or not _DEVICE.fullmatch(device):
            return _malformed("device", "the name of a device, or empty for the table's own faults")
        if not self.elsewhere.may_clear(asked.by.role, code):
            return Denied("role", f"a {asked.by.role or 'subscriber without role'} may not acknowledge fault {code}")
        return await self._do(asked, FaultAcknowledged(code, device))

    async def _do(self, asked: Asked, body: Body) -> Answer | Denied:
        """Have a fact stored in the requester's name.

        Requested twice under one transaction, it is stored once.
        """
        fact = replace(self.table.note(body), by=asked.by.user, request_id=f"mqtt:{asked.transaction}")
        reply = await self.table.ask(fact)
        if reply.refused is not None:
            return Denied(reply.refused.code, words.say(reply.refused.text)["en"])
        return Answer({"record": reply.record})

    async def _prove(self, asked: Asked) -> Answer | Denied:
        round_id = asked.body.get("round_id")
        if not isinstance(round_id, str) or not _ROUND.fullmatch(round_id):
            return _malformed("round_id", "the id of a round")
        return await self.elsewhere.prove(round_id)

    async def _verify(self, asked: Asked) -> Answer | Denied:
        text = asked.body.get("seed", "")
        if not isinstance(text, str) or not _SEED.fullmatch(text):
            return _malformed("seed", "16 to 64 bytes in hexadecimal digits, or absent")
        return await self.elsewhere.verify(bytes.fromhex(text), asked.by.user)


def _malformed(field: str, expected: str) -> Denied:
    return Denied("malformed", f"{field}: {expected}", field)


def _sequence(given: object, absent: int) -> int | None:
    """The number in a text; None where it isn't one."""
    if given is None:
        return absent
    return int(given) if isinstance(given, str) and _SEQUENCE.fullmatch(given) else None


def _readable(by: Subscriber) -> Callable[[StoredEvent], bool]:
    topics = frozenset(f"event/{family}" for family in by.reads)
    return lambda event: event.topic in topics


def _of_rounds(by: Subscriber, rounds: frozenset[str]) -> Callable[[StoredEvent], bool]:
    readable = _readable(by)
    return lambda event: readable(event) and envelope_field(event, "correlationid") in rounds


def _round_form(ended: EndedRound) -> dict[str, Any]:
    return {
        "round_id": ended.round_id,
        "end": ended.end,
        "from": f"{ended.first:016d}",
        "to": f"{ended.last:016d}",
    }


LARGEST_PROOF: Final = 4 << 20
"""Bytes of a proof that is sent over MQTT; a larger one is made at the table itself."""


def request_service(
    config: Config, table: LiveTable[Any], topics: StateTopics[Any], program: ProgramWatch
) -> RequestService | None:
    """Request service of a table; None where no subscriber may make requests."""
    if not config.subscribers:
        return None
    folder = state_dir(config)

    async def prove(round_id: str) -> Answer | Denied:
        return await asyncio.to_thread(proof_of, folder, round_id)

    async def verify(seed: bytes, user: str) -> Answer:
        return Answer(asdict(await program.check("request", seed=seed, by=user)))

    answers = Answers(table, Elsewhere(topics.now, may_acknowledge, prove, verify))
    return RequestService(subscribers_of(config), answers.answer)


def subscribers_of(config: Config) -> Mapping[str, Subscriber]:
    """The users of the broker who may ask, as the configuration names them."""
    return {
        name: Subscriber(name, frozenset(section.may), frozenset(section.reads), section.role or "")
        for name, section in config.subscribers.items()
    }


def may_acknowledge(role: str, code: int) -> bool:
    """Return True if a role may acknowledge a fault, by the rule of the console."""
    return role in set(Role) and Role(role) in may_clear(code)


def proof_of(folder: Path, round_id: str) -> Answer | Denied:
    """The proof of a round of the journal in this folder, as an answer. Blocks.

    The journal's own last checkpoint has to cover the round: nothing is signed for whoever asks.
    """
    from tablectl.history.prove import UncoveredError, UnprovableError, make_proof
    from tablectl.proof.document import write_proof

    try:
        reader = open_reader(folder)
        try:
            document = write_proof(make_proof(reader, round_id, None, only_ended=True))
        finally:
            reader.close()
    except UncoveredError:
        return Denied("unprovable", f"no signed checkpoint covers round {round_id} yet: ask again after the next one")
    except UnprovableError as error:
        return Denied(error.code, str(error))
    except UnreadableError as error:
        return Denied("unreadable", str(error))
    if len(document) > LARGEST_PROOF:
        return Denied("too_large", f"the proof is larger than {LARGEST_PROOF >> 20} MiB: use `tablectl prove`")
    return Answer(json.loads(document))
