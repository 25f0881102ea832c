"""Witnesses that cosign the log's checkpoints (C2SP `tlog-witness`).

Nothing waits for them. Each is asked about the newest checkpoint that was shown; what they sign is published beside
the log's own signature.
"""

import asyncio
import ssl
from collections.abc import AsyncGenerator, Callable, Mapping
from dataclasses import field
from typing import TYPE_CHECKING, Final

from tablectl import network
from tablectl.config.models import WitnessSection
from tablectl.core.protocols import TableStoppedError
from tablectl.daemon.host.log import logger
from tablectl.journal.live_journal import LiveJournal
from tablectl.lazy_dataclass import dataclass
from tablectl.proof.checkpoint import unsigned_checkpoint
from tablectl.proof.note import NoteError, base64_lines, read_note

if TYPE_CHECKING:
    import httpx

ANSWER_S: Final = 10.0
AGAIN_S: Final = 15.0
"""How long after a failure a witness is asked again."""

LONGEST: Final = 4096
"""Bytes of an answer that are read; a cosignature has some hundred."""

_NEWER: Final = 409


class NotCosignedError(Exception):
    """A witness didn't cosign: why, in one line."""


@dataclass(slots=True)
class Witnesses:
    """All witnesses of one log.

    Args:
        show: takes a checkpoint with the cosignatures that it has.
    """

    sections: Mapping[str, WitnessSection]
    journal: LiveJournal
    show: Callable[[str], None]
    _note: str = ""
    _lines: dict[str, str] = field(default_factory=dict[str, str])
    _news: dict[str, asyncio.Event] = field(default_factory=dict[str, asyncio.Event])

    def ask(self, note: str) -> None:
        """Has every witness asked about a checkpoint that was shown."""
        self._note, self._lines = note, {}
        for news in self._news.values():
            news.set()

    async def run(self) -> None:
        """Ask until cancelled."""
        async with asyncio.TaskGroup() as group:
            for name, section in self.sections.items():
                self._news[name] = asyncio.Event()
                group.create_task(self._follow(name, section))
            if self._note:
                self.ask(self._note)

    async def _follow(self, name: str, section: WitnessSection) -> None:
        trouble = ""
        while True:
            try:
                async with await asyncio.to_thread(client_of, section) as client:
                    async for line, note in self._signed(name, section, client):
                        if trouble:
                            trouble = ""
                            logger("table").info("a witness cosigns again", witness=name)
                        if note == self._note:
                            self._lines[name] = line
                            self.show(note + "".join(self._lines[each] for each in sorted(self._lines)))
            except (NotCosignedError, OSError) as error:
                if trouble != str(error):
                    trouble = str(error)
                    logger("table").warning("a witness doesn't cosign", witness=name, why=trouble)
            except TableStoppedError:
                return
            self._news[name].set()  # what it didn't sign is asked for again
            await asyncio.sleep(AGAIN_S)

    async def _signed(
        self, name: str, section: WitnessSection, client: "httpx.AsyncClient"
    ) -> AsyncGenerator[tuple[str, str]]:
        """The witness's signature lines, each with its checkpoint, as these come."""
        size = 0
        while True:
            await self._news[name].wait()
            self._news[name].clear()
            if note := self._note:
                yield await self._cosigned(client, section, note, size), note
                size = unsigned_checkpoint(note).size

    async def _cosigned(self, client: "httpx.AsyncClient", section: WitnessSection, note: str, size: int) -> str:
        """The witness's signature line under a checkpoint.

        Raises:
            NotCosignedError: it doesn't answer, or refuses.
            TableStoppedError: the journal can't be read.
        """
        status, text = await self._asked(client, section, note, size)
        if status == _NEWER and text.strip().isdecimal():  # what it has signed before, as after our restart
            known, newest = int(text.strip()), unsigned_checkpoint(note).size
            if known > newest:
                raise NotCosignedError(f"it has signed a checkpoint of {known} events, and this log has {newest}")
            if known != size:
                status, text = await self._asked(client, section, note, known)
        if status != 200:
            raise NotCosignedError(f"it answers {status}: {text.strip()[:200]}")
        return _checked(note, text, section.key)

    async def _asked(
        self, client: "httpx.AsyncClient", section: WitnessSection, note: str, old: int
    ) -> tuple[int, str]:
        import httpx  # only tables with witnesses need it

        proof = (await self.journal.compact_range(old, unsigned_checkpoint(note).size)).proof
        body = f"old {old}\n{base64_lines(proof)}\n{note}".encode()
        try:
            async with client.stream("POST", f"{section.url.rstrip('/')}/add-checkpoint", content=body) as answer:
                return answer.status_code, await _text(answer)
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise NotCosignedError(f"it doesn't answer ({str(error) or type(error).__name__})") from None


async def _text(answer: "httpx.Response") -> str:
    """The text of an answer.

    Raises:
        NotCosignedError: it is too long.
    """
    text = await network.read_all(answer.aiter_bytes(), LONGEST)
    if text is None:
        raise NotCosignedError("its answer is too long")
    return text.decode("utf-8", "replace")


def client_of(section: WitnessSection) -> "httpx.AsyncClient":
    """A connection to a witness, without the environment's proxies. Reads files.

    Raises:
        OSError: they can't be read.
    """
    import httpx  # only tables with witnesses need it

    trusts = ssl.create_default_context(cafile=section.ca_file) if section.url.startswith("https:") else False
    return httpx.AsyncClient(timeout=ANSWER_S, trust_env=False, verify=trusts)


def _checked(note: str, answer: str, key: str) -> str:
    """The witness's line in its answer.

    Raises:
        NotCosignedError: it isn't there, or wrong.
    """
    from tablectl.proof.cosignature import cosigned_at, read_witness_key

    name, public = read_witness_key(key)
    for line in answer.splitlines(keepends=True):
        try:
            if cosigned_at(read_note(note + line), name, public) is not None:
                return line
        except NoteError as error:
            raise NotCosignedError(str(error)) from None
    raise NotCosignedError("its answer has no cosignature of its key")
