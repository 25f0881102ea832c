"""Assembly of the request service from packages that don't import each other."""

import asyncio
import json
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

from tablectl.config.checks import state_dir
from tablectl.config.models import Config
from tablectl.console.auth.people import Role, may_clear
from tablectl.core.actions.subscriber_requests import Answer, Denied, Subscriber
from tablectl.daemon.lifecycle import ProgramWatch
from tablectl.daemon.requests.service import Answers, Elsewhere
from tablectl.daemon.table import LiveTable
from tablectl.daemon.views.state_topics import StateTopics
from tablectl.journal.reading.reader import open_reader
from tablectl.journal.reading.rows import UnreadableError
from tablectl.mqtt.requests import RequestService

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
