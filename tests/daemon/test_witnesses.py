"""A table and its witness as processes of their own: what it signs is published, and a stranger checks it."""

import asyncio
import json
import subprocess
import sys
from collections.abc import Generator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, cast

import aiomqtt
import pytest
from click.testing import CliRunner

from tablectl.cli import main
from tablectl.config.models import WitnessSection
from tablectl.core.actions.subscriber_requests import CompactRange
from tablectl.daemon.host.log import configure
from tablectl.daemon.signing.witnesses import Witnesses
from tablectl.journal.live_journal import LiveJournal
from tablectl.proof.checkpoint import Checkpoint, sign_checkpoint
from tablectl.proof.cosignature import cosign, witness_key
from tablectl.proof.note import read_note
from tests.floor.house import people
from tests.outside.table import free_port
from tests.pages.support import PINS
from tests.proof.keys import signer
from tests.support.broker import Broker, private_broker
from tests.support.daemon import Daemon, fork_server
from tests.support.patience import PATIENCE_S

TABLE = """
[table]
site = "demo"
name = "d-demo"
game = "q_poker"
[paths]
state = "{folder}/state"
runtime = "{folder}/run"
[mqtt]
url = "{url}"
[q_poker]
dealing = "by_hand"
stakes = {{least = "50", most = "5000", step = "50"}}
[witnesses.one]
url = "http://127.0.0.1:{port}"
key = "{key}"
"""
WITNESS = """
name = "witness.example/one"
state = "{folder}/witness"
listen = "127.0.0.1:{port}"
logs = ["{log}"]
"""
TOPIC = "tablectl/v1/demo/d-demo/checkpoint"


@pytest.fixture(name="broker")
def _broker(mosquitto: Path, tmp_path: Path) -> Any:
    (tmp_path / "broker").mkdir()
    with private_broker(mosquitto, tmp_path / "broker") as broker:
        broker.start()
        yield broker


def run(*words: str, code: int = 0) -> str:
    result = CliRunner().invoke(main, [*words, "--lang", "en"])
    assert result.exit_code == code, result.output
    return result.output.strip()


@contextmanager
def witness(config: Path) -> Generator[None]:
    """A witness at work."""
    words = [sys.executable, "-m", "tablectl", "witness", "serve", "--config", str(config), "--lang", "en"]
    with subprocess.Popen(words, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        try:
            assert "witness.example/one is at" in process.stderr.readline()
            yield
        finally:
            process.terminate()


async def checkpoint(broker: Broker, signatures: int, longer_than: int = 0) -> str:
    """The first checkpoint with so many signatures, and more events than that."""
    async with aiomqtt.Client("127.0.0.1", broker.port) as client, asyncio.timeout(PATIENCE_S):
        await client.subscribe(TOPIC, 1)
        async for message in client.messages:
            note = bytes(message.payload).decode()
            if len(read_note(note).signatures) == signatures and int(note.split("\n")[1]) > longer_than:
                return note
    raise AssertionError


def table(folder: Path, broker: Broker, port: int, key: str) -> Daemon:
    (folder / "t.toml").write_text(TABLE.format(folder=folder, url=broker.url, port=port, key=key) + people())
    return Daemon(fork_server(), folder / "t.toml", folder, {})


def log_key(folder: Path) -> str:
    """The log's verifier key."""
    verifier: str = json.loads(run("key", "show", "--config", str(folder / "t.toml"), "--json"))["verifier"]
    return verifier


def play(daemon: Daemon) -> None:
    """A round that is opened and made void."""
    second = {"person": "rui", "pin": PINS["rui"]}
    daemon.sign_on("ana", PINS["ana"])
    for verb, more in (
        ("confirm_pack", {}),
        ("open_round", {}),
        ("void_round", {"reason": "the fire alarm rang", "second": second}),
    ):
        now = daemon.state()
        daemon.ask(verb, verb, round_id=now["round_id"], seen=now["seen"], **more)


def size_of(note: str) -> int:
    return int(note.split("\n")[1])


def test_a_table_is_cosigned_and_a_stranger_checks_it(broker: Broker, tmp_path: Path) -> None:
    port, config = free_port(), tmp_path / "w.toml"
    config.write_text(WITNESS.format(folder=tmp_path, port=port, log="").replace('""', ""))
    key = run("witness", "key", "--config", str(config))
    daemon = table(tmp_path, broker, port, key)
    daemon.start()
    first = asyncio.run(checkpoint(broker, 1))  # nobody is there to cosign it, and it is published all the same
    daemon.stop()
    config.write_text(WITNESS.format(folder=tmp_path, port=port, log=log_key(tmp_path)))
    with witness(config):
        daemon.start()
        early = asyncio.run(checkpoint(broker, 2, size_of(first)))
        play(daemon)
        late = asyncio.run(checkpoint(broker, 2, size_of(early)))
        daemon.stop()
    for name, text in (("policy", f"witness one {key}\nquorum one\n"), ("early", early), ("late", late)):
        (tmp_path / name).write_text(text)
    here, proof = str(tmp_path / "t.toml"), str(tmp_path / "proof.json")
    words = ("verify", proof, "--key", log_key(tmp_path), "--policy", f"{tmp_path}/policy")
    for kept, code, said in (("late", 0, "cosigned by one at 20"), ("early", 1, "they cosigned")):
        run("prove", "1", "--config", here, "--checkpoint", f"{tmp_path}/{kept}", "--to", proof)
        assert said in run(*words, "--checkpoint", f"{tmp_path}/{kept}", code=code)
        assert "not enough" in run(*words, code=1)
        Path(proof).unlink()


LOG, OURS, STRANGER = signer(), signer(), signer()
NOTE = sign_checkpoint(Checkpoint("tablectl/demo/d/0a", 3, bytes(32)), LOG)


class Short:
    """A log of which every proof is empty."""

    async def compact_range(self, old: int, size: int) -> CompactRange:
        assert 0 <= old <= size
        return CompactRange(size, (), old, ())


RUDE: Mapping[str, bytes] = {
    "hangs up": b"",
    "no http": b"\0\1\2",
    "nothing": b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
    "another's": b"HTTP/1.1 200 OK\r\n\r\n" + cosign(NOTE.partition("\n\n")[0] + "\n", "w", STRANGER, 1).encode(),
    "endless": b"HTTP/1.1 200 OK\r\n\r\n",
    "ahead": b"HTTP/1.1 409 Conflict\r\n\r\n" + b"9" * 4000,
    "no size": b"HTTP/1.1 409 Conflict\r\n\r\n-1\n",
    "elsewhere": b"HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\n\r\n",
}


@pytest.mark.parametrize("answer", RUDE)
async def test_no_witness_ends_a_table_or_has_it_show_anything(answer: str, capsys: pytest.CaptureFixture[str]) -> None:
    async def rude(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(RUDE[answer])
        with suppress(ConnectionError):
            while answer == "endless" and not writer.is_closing():
                writer.write(b"x" * 10_000)
                await writer.drain()
        writer.close()

    configure("info", "json")
    shown: list[str] = []
    async with await asyncio.start_server(rude, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        section = WitnessSection(url=f"http://127.0.0.1:{port}", key=witness_key("w", OURS.public))
        asking = Witnesses({"one": section}, cast("LiveJournal", Short()), shown.append)
        running = asyncio.create_task(asking.run())
        asking.ask(NOTE)
        said = ""
        while "a witness doesn't cosign" not in said:
            assert not running.done()
            await asyncio.sleep(0.01)
            said += capsys.readouterr().err
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
    configure("error", "text")
    assert shown == []
