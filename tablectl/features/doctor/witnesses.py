"""The witnesses of the table's checkpoints: whether each answers as one does."""

import asyncio
from typing import Final

import httpx

from tablectl.config.models import Config, WitnessSection
from tablectl.daemon.signing.witnesses import client_of
from tablectl.features.doctor.report import Finding, Level

ANSWER_WITHIN_S: Final = 3.0
BAD_REQUEST: Final = 400
"""A witness's answer to a request that is none (C2SP `tlog-witness`)."""


async def look_at_witnesses(config: Config) -> list[Finding]:
    """Ask every witness to sign nothing, which changes nothing there."""
    async with asyncio.TaskGroup() as group:
        looks = [group.create_task(_look(name, section)) for name, section in config.witnesses.items()]
    return [look.result() for look in looks]


async def _look(name: str, section: WitnessSection) -> Finding:
    values: dict[str, object] = {"name": name, "url": section.url}
    url = f"{section.url.rstrip('/')}/add-checkpoint"
    try:
        async with (
            asyncio.timeout(ANSWER_WITHIN_S),
            await asyncio.to_thread(client_of, section) as http,
            http.stream("POST", url, content=b"") as answer,
        ):
            status = answer.status_code
    except (httpx.HTTPError, httpx.InvalidURL, OSError) as error:
        return Finding("witness", Level.NOTE, "witness_away", {**values, "why": str(error) or type(error).__name__})
    if status != BAD_REQUEST:
        return Finding("witness", Level.NOTE, "witness_stranger", {**values, "status": status})
    return Finding("witness", Level.OK, "witness", values)
