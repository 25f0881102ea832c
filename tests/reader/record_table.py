"""A publisher in the contract's form: numbers, bytes, signed checkpoints, replays, and what a test has it do wrong."""

import asyncio
import base64
import json
from collections.abc import AsyncGenerator, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import aiomqtt

from tablectl.core.events.audit import LogKeyChanged
from tablectl.core.events.round import CutReached
from tablectl.journal.encoding import Origin
from tablectl.proof.checkpoint import Checkpoint, sign_checkpoint
from tablectl.proof.key_line import sign_change
from tablectl.proof.note import Signer, fingerprint
from tablectl.proof.tree import Frontier, consistency_proof, leaf_hash, root_of
from tests.proof.keys import signer
from tests.reader.messages import came, status
from tests.support.patience import PATIENCE_S


@dataclass
class Table:
    """One table's log, and how it answers.

    Args:
        keep_from: the first number that it can still replay.
        bridges: whether it gives the hashes of those before it.
        deaf: whether it answers no request.
        refuses: the error's code with which it answers all.
        withheld: numbers that it doesn't give to the recorder.
        most: events after which each replay is cut off.
    """

    port: int
    name: str = "q1"
    log_id: str = "log7"
    key: Signer = field(default_factory=signer)
    payloads: list[bytes] = field(default_factory=list[bytes])
    keep_from: int = 1
    bridges: bool = True
    deaf: bool = False
    refuses: str = ""
    withheld: frozenset[int] = frozenset()
    most: int = 1_000_000
    asked: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])
    protocol: aiomqtt.ProtocolVersion = aiomqtt.ProtocolVersion.V5
    login: tuple[str | None, str | None] = (None, None)
    _client: aiomqtt.Client | None = None

    @property
    def origin(self) -> Origin:
        return Origin("macau", self.name, self.log_id, "5e5510")

    @property
    def source(self) -> str:
        return f"/tablectl/macau/{self.name}/{self.log_id}"

    @property
    def fingerprint(self) -> str:
        return fingerprint(self.key.public)

    # --- what happens at it

    def happen(self, count: int = 1) -> list[int]:
        """So many more events, unpublished; their numbers."""
        first = len(self.payloads) + 1
        numbers = list(range(first, first + count))
        self.payloads += [came(CutReached(f"r{n // 10}"), n, origin=self.origin).payload for n in numbers]
        return numbers

    def change_key(self) -> None:
        """Another key from now on, announced in one more event."""
        old, new = self.key, signer()
        first, second = (base64.b64encode(key.public).decode() for key in (old, new))
        note = sign_change(self.source[1:], old, new).note
        changed = LogKeyChanged("table", first, second, fingerprint(old.public), fingerprint(new.public), note)
        self.payloads.append(came(changed, len(self.payloads) + 1, origin=self.origin).payload)
        self.key = new

    def checkpoint(self, size: int | None = None, *, key: Signer | None = None, leaves: Iterable[bytes] = ()) -> str:
        """The signed head, or a forged one."""
        size = len(self.payloads) if size is None else size
        root = root_of([leaf_hash(payload) for payload in (list(leaves) or self.payloads)[:size]])
        return sign_checkpoint(Checkpoint(self.source[1:], size, root), key or self.key)

    def tree(self, old: int, size: int) -> dict[str, Any]:
        """The hashes in place of the first events, made the slow way."""
        leaves = [leaf_hash(payload) for payload in self.payloads[:size]]
        nodes = Frontier().grown(leaves).peaks, consistency_proof(old, size, lambda a, b: root_of(leaves[a:b]))
        peaks, proof = ([base64.b64encode(each).decode() for each in hashes] for hashes in nodes)
        return {"size": f"{size:016d}", "peaks": peaks, "old": f"{old:016d}", "proof": proof if old else []}

    # --- what it publishes

    async def say(self, topic: str, payload: bytes | str, *, retain: bool = False) -> None:
        assert self._client is not None
        await self._client.publish(f"tablectl/v1/macau/{self.name}/{topic}", payload, qos=1, retain=retain)

    async def tell(self, numbers: Iterable[int]) -> None:
        for number in numbers:
            await self.say("event/card", self.payloads[number - 1])

    async def sign(self, size: int | None = None) -> None:
        await self.say("checkpoint", self.checkpoint(size), retain=True)

    async def live(self, count: int = 1) -> None:
        """Events as they should be, and the checkpoint over them."""
        await self.tell(self.happen(count))
        await self.sign()

    def info(self) -> bytes:
        """The state that names its key."""
        info = json.loads(status("ready", self.origin).payload)
        info["data"] = {"public_key": base64.b64encode(self.key.public).decode(), "log": self.log_id}
        return json.dumps(info).encode()

    async def introduce(self) -> None:
        """Its retained states."""
        await self.say("meta/info", self.info(), retain=True)
        await self.say("status", status("ready", self.origin).payload, retain=True)

    @asynccontextmanager
    async def online(self) -> AsyncGenerator["Table"]:
        """Connected, and answering requests."""
        user, password = self.login
        async with aiomqtt.Client(
            "127.0.0.1", self.port, username=user, password=password, protocol=self.protocol, timeout=PATIENCE_S
        ) as client:
            self._client = client
            await client.subscribe(f"tablectl/v1/macau/{self.name}/req/+/+", qos=1)
            await self.introduce()
            answering = asyncio.get_running_loop().create_task(self._answer(client))
            try:
                yield self
            finally:
                self._client = None
                while not answering.done():  # Python 3.11's `wait_for`, in aiomqtt's publish, may lose a cancellation
                    answering.cancel()
                    await asyncio.wait([answering], timeout=0.1)
                await asyncio.gather(answering, return_exceptions=True)

    async def _answer(self, client: aiomqtt.Client) -> None:
        async for message in client.messages:
            user, verb = message.topic.value.split("/")[-2:]
            body = json.loads(bytes(message.payload))
            if verb == "replay":
                self.asked.append((int(body["from"]), int(body["to"])))
            if self.refuses:
                error = {"transaction": body["transaction"], "error": {"code": self.refuses, "message": "no"}}
                await self.say(f"answer/{user}/{body['transaction']}", json.dumps(error))
            elif verb == "replay" and not self.deaf:
                await self._replay(user, body)

    async def _replay(self, user: str, body: dict[str, Any]) -> None:
        low, high = int(body["from"]), min(int(body["to"]), len(self.payloads))
        topic = f"replay/{user}/{body['transaction']}"
        numbers = [
            number for number in range(low, high + 1) if number >= self.keep_from and number not in self.withheld
        ]
        for number in numbers[: self.most]:
            await self.say(topic, self.payloads[number - 1])
        if len(numbers) > self.most:
            return  # cut off
        end: dict[str, Any] = {"complete": True, "last": f"{high:016d}", "transaction": body["transaction"]}
        if low < self.keep_from:
            pruned = min(self.keep_from - 1, high)
            end |= {"pruned": f"{pruned:016d}", **({"tree": self.tree(low - 1, pruned)} if self.bridges else {})}
        await self.say(topic, json.dumps(end, separators=(",", ":")))
