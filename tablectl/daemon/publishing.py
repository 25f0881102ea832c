"""The table's publisher: content, faults, and hand-over between two controllers."""

import asyncio
import secrets
import sys
from asyncio.subprocess import DEVNULL, PIPE
from collections.abc import Callable
from functools import partial
from typing import Any, Final

from tablectl.config.models import Config
from tablectl.core.facts import FaultCleared, FaultRaised, FloorHandedOver, HandOver
from tablectl.core.faults import Code
from tablectl.daemon.host.log import logger
from tablectl.daemon.lifecycle import ProgramWatch
from tablectl.daemon.requests.service import request_service
from tablectl.daemon.signing.checkpoints import KeptCheckpoint
from tablectl.daemon.steady import Steady, with_count
from tablectl.daemon.table import LiveTable
from tablectl.daemon.views.state_topics import (
    StateTopics,
)
from tablectl.mqtt.contents import Contents, ReportFault
from tablectl.mqtt.publisher import Publisher
from tablectl.mqtt.settings import BrokerSettings

CLIENT_ID_BYTES: Final = 16


def fault_reporter(table: LiveTable[Any]) -> ReportFault:
    """Make the function that reports the broker's faults to the table.

    A broker is there once it stays, and a flapping connection is reported rarely.
    """
    faults: dict[Code, Steady[str]] = {}

    def tell(code: Code, detail: str | None, swings: int) -> None:
        if detail is not None:
            table.tell(table.note(FaultRaised(code, "", with_count(detail, swings))))
        elif table.standing(code) is not None:
            # The publisher reports at its start that all is well; only what stands is worth a record.
            table.tell(table.note(FaultCleared(code)))

    def report_fault(code: Code, *, present: bool, detail: str) -> None:
        if code not in faults:
            faults[code] = Steady(partial(tell, code))
        faults[code].now(detail if present else None)

    return report_fault


def make_publisher(
    config: Config,
    broker: BrokerSettings,
    table: LiveTable[Any],
    topics: StateTopics[Any],
    session: str,
    holder: str,
    accepted: Callable[[int], None],
    program: ProgramWatch,
) -> Publisher:
    """Make the publisher of a table and session, to be run once the session has begun.

    Args:
        session: the id of this session.
        holder: the session that held the journal's lock before; empty: unknown.
        accepted: takes the last event that the broker has.
        program: verifies the installed program on request.
    """
    report_fault = fault_reporter(table)

    def relieved(successor: str) -> bool:
        """Accept the successor, unless a round is open here.

        Only this log can end that round.
        """
        if table.game.round_id(table.state.game) is not None:
            logger("table").warning("asked to hand over, but a round is open: finish or void it", session=successor)
            return False
        table.tell(table.note(FloorHandedOver(HandOver.GIVEN, session, successor)), publisher.give_way)
        return True

    kept = KeptCheckpoint(table, topics, report_fault)
    contents = Contents(
        table.journal,
        topics.names,
        topics.render,
        topics.will,
        report_fault,
        passive=topics.passive,
        relieving=topics.relieving,
        relieved=relieved,
        service=request_service(config, table, topics, program),
        accepted=accepted,
        past=topics.past,
        judge=kept,
        over=holder,
    )
    publisher = Publisher(broker, client_id(config), table.origin.prefix, contents)
    return publisher


def client_id(config: Config) -> str:
    """An identifier of one of the table's clients, for the broker.

    Nothing that anybody can read has it: whoever knew it could throw the table off the broker again and again.
    """
    return f"tablectl-{config.table.site}-{config.table.name}-{secrets.token_hex(CLIENT_ID_BYTES)}"


def take_over(table: LiveTable[Any], publisher: Publisher, session: str) -> None:
    """Ask the other controller of the table to step down.

    A person at this machine requested it.
    """
    other = publisher.rival()
    if not other:
        logger("table").warning("nothing to take over: no other controller speaks for this table")
        return
    table.tell(table.note(FloorHandedOver(HandOver.ASKED, other, session)), publisher.take_over)


async def asyncapi_document(version: str) -> bytes:
    """Return the AsyncAPI document, made by a child process; empty where that fails."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-P", "-m", "tablectl.daemon.asyncapi", version, stdin=DEVNULL, stdout=PIPE, stderr=DEVNULL
    )
    try:
        document, _ = await process.communicate()
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    if process.returncode:
        logger("table").warning("the AsyncAPI document could not be made", exit_code=process.returncode)
        return b""
    return document
