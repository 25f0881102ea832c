"""What the recorder says of its own certificates and of the disk under its store."""

import asyncio
import os
import shutil
import signal
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from click.testing import CliRunner

from tablectl.cli import main
from tablectl.config.mounts import mount_remark
from tablectl.features.recorder.run import load_record_config, recorded, store_of, watch_certificates
from tablectl.features.recorder.settings import RecordConfig
from tablectl.features.recorder.status import report_lines
from tablectl.features.recorder.stores.records import Heartbeat
from tests.reader.record_process import Process
from tests.support.authority import Authority
from tests.support.patience import PATIENCE_S


@pytest.fixture
def in_memory() -> Iterator[Path]:
    if not mount_remark(Path("/dev/shm")):
        pytest.skip("nothing is mounted in memory here")
    folder = Path("/dev/shm") / f"tablectl-record-{os.getpid()}"
    folder.mkdir()
    yield folder
    shutil.rmtree(folder)


def configured(store: Path, **broker: str) -> RecordConfig:
    named = {f"broker.{key}": f'"{value}"' for key, value in broker.items()}
    return load_record_config(Path(os.devnull), {"store.url": f'"sqlite:{store}"', **named})


async def begun(config: RecordConfig) -> None:
    """A recorder was at work."""
    store = store_of(config.store.url)
    await store.open()
    await store.beat(Heartbeat("2026-01-01T00:00:00Z", "session", connected=True))
    await store.close()


async def test_each_expiring_certificate_is_reported_once(tmp_path: Path) -> None:
    authority = await asyncio.to_thread(Authority, tmp_path)
    pair, said = await asyncio.to_thread(authority.sign, "recorder"), asyncio.Queue[str]()
    named = {"url": "mqtts://b", "cert_file": pair.cert, "key_file": pair.key}
    config = await asyncio.to_thread(lambda: configured(tmp_path / "r.db", **named))
    watching = asyncio.create_task(watch_certificates(config, said.put_nowait, every_s=0))
    async with asyncio.timeout(PATIENCE_S):
        assert (await said.get()).startswith("certificate broker.cert_file: the certificate expires on ")
        await asyncio.to_thread(authority.sign, "recorder", expired=True)
        assert (await said.get()).startswith("certificate broker.cert_file: the certificate expired on ")
        await asyncio.to_thread(authority.sign, "recorder")
        assert (await said.get()).startswith("certificate broker.cert_file: the certificate expires on ")
    watching.cancel()
    with suppress(asyncio.CancelledError):
        await watching
    assert said.empty()


def test_status_names_certificates_that_end_and_a_disk_in_memory(in_memory: Path, tmp_path: Path) -> None:
    pair = Authority(tmp_path).sign("recorder", expired=True)
    config = configured(in_memory / "r.db", url="mqtts://b", cert_file=pair.cert, key_file=pair.key)
    asyncio.run(begun(config))
    words = ["record", "--store", config.store.url, "--broker", "mqtts://b", "--set", f"broker.cert_file={pair.cert}"]
    said = CliRunner().invoke(main, [*words, "--set", f"broker.key_file={pair.key}", "--lang", "pt", "status"]).stdout
    assert f"{in_memory} está em memória (tmpfs)" in said
    assert "certificado broker.cert_file: o certificado caducou em " in said
    _, disk, certificate, *_ = report_lines(recorded(config))
    assert disk.startswith(f"{in_memory} is in memory (tmpfs)")
    assert "have store.url on a disk" in disk
    assert certificate.startswith("certificate broker.cert_file: the certificate expired on ")


def test_recorder_on_disk_in_memory_says_so_at_its_start(in_memory: Path, tmp_path: Path) -> None:
    config = tmp_path / "record.toml"
    config.write_text(f'[broker]\nurl = "mqtt://127.0.0.1:1"\n[store]\nurl = "sqlite:{in_memory}/room.db"\n')
    recorder = Process(config, tmp_path / "record.log")
    try:
        recorder.start()
        recorder.says("is in memory (tmpfs)")
    finally:
        recorder.end(signal.SIGTERM)
