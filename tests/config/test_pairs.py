"""A certificate and its key: one check wherever there is a pair, and nobody is ever asked for a pass phrase."""

import socket
from dataclasses import dataclass
from pathlib import Path

import pytest
from click.testing import CliRunner

from tablectl.cli import main
from tablectl.config import load
from tablectl.console.http.tls import Tls as ConsoleTls
from tablectl.console.http.tls import context_of
from tablectl.features.common.table_requests import only, trusting
from tablectl.mqtt.client import BrokerAwayError, Connection
from tablectl.mqtt.settings import BrokerSettings, Tls
from tests.support.authority import Authority, under_password
from tests.support.config import complaint

LOCKED = "the key is under a password, and nobody is there to type it: write it without (openssl pkey)"


@dataclass(frozen=True, slots=True)
class Files:
    """A pair whose key is under a password, and one that is none."""

    authority: Authority
    cert: str
    locked: str
    other: str


@pytest.fixture(name="files")
def _files(tmp_path: Path) -> Files:
    authority = Authority(tmp_path)
    own = authority.sign("q1")
    return Files(authority, own.cert, under_password(own.key), authority.sign("q2").key)


@pytest.mark.parametrize("section", ["mqtt", "console"])
def test_key_under_a_password_is_told_before_the_table_starts(file: Path, files: Files, section: str) -> None:
    url = {"mqtt__url": "mqtts://broker.floor"} if section == "mqtt" else {}
    said = complaint(file, **url, **{f"{section}__cert_file": files.cert, f"{section}__key_file": files.locked})
    assert f"{section}.key_file" in said
    assert f"certificate and key can't be used: {LOCKED}" in said


@pytest.mark.parametrize("command", ["run", "doctor"])
def test_a_key_under_a_password_ends_a_command_at_once(file: Path, files: Files, command: str) -> None:
    changes = {"mqtt.url": "mqtts://broker.floor", "mqtt.cert_file": files.cert, "mqtt.key_file": files.locked}
    words = [word for key, value in changes.items() for word in ("--set", f"{key}={value}")]
    result = CliRunner().invoke(main, [command, "--config", str(file), *words])
    assert (result.exit_code, LOCKED in result.output) == (78, True), result.output


@pytest.mark.parametrize(("key", "said"), [("locked", LOCKED), ("other", "the key is of another certificate")])
def test_tail_and_recorder_check_their_pair_before_they_connect(files: Files, key: str, said: str) -> None:
    pair, broker = {"cert": files.cert, "key": getattr(files, key)}, "mqtts://127.0.0.1:9"
    tail = ["tail", "--broker", broker, "--cert", pair["cert"], "--key", pair["key"]]
    record = ["record", "--broker", broker, "--store", "sqlite:/none"]
    record += [word for name, file in pair.items() for word in ("--set", f"broker.{name}_file={file}")]
    for words, code in ((tail, 2), (record, 77)):
        result = CliRunner().invoke(main, words)
        assert (result.exit_code, result.output.count("\n")) == (code, 1), (result.output, result.exception)
        assert said in result.output


async def test_connection_with_a_key_under_a_password_fails_at_once(files: Files) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        port = silent.getsockname()[1]
        settings = BrokerSettings("127.0.0.1", port, tls=Tls(files.authority.file, files.cert, files.locked))
        with pytest.raises(BrokerAwayError, match="the key is under a password"):
            async with Connection(settings, "c"):
                pass


def test_the_console_names_the_file_that_it_cannot_use(files: Files, tmp_path: Path) -> None:
    marked = tmp_path / "marked.pem"
    marked.write_text(Path(files.cert).read_text("utf-8"), "utf-8-sig")
    for cert, key, named, why in (
        (files.cert, files.locked, files.locked, LOCKED),
        (files.cert, files.other, files.cert, "the key is of another certificate"),
        (str(marked), files.other, str(marked), "it begins with a byte order mark: save the file without"),
    ):
        with pytest.raises(OSError, match=r"\[Errno") as caught:
            context_of(ConsoleTls(cert, key))
        assert (caught.value.filename, caught.value.strerror) == (named, why)


def test_certificate_saved_as_utf_16_is_told_by_its_byte(file: Path, files: Files, tmp_path: Path) -> None:
    wide = tmp_path / "wide.pem"
    wide.write_text(Path(files.authority.file).read_text("utf-8"), "utf-16-le")
    said = complaint(file, mqtt__url="mqtts://broker.floor", mqtt__ca_file=str(wide))
    assert "byte 1, line 1: this is a NUL, as in UTF-16: save the file as UTF-8" in said


def test_what_stands_before_a_certificate_is_no_matter(file: Path, files: Files, tmp_path: Path) -> None:
    noted = tmp_path / "noted.pem"
    noted.write_bytes(b"Subject: Jos\xe9\n" + Path(files.authority.file).read_bytes())
    assert load(file, {"mqtt.url": "mqtts://broker.floor", "mqtt.ca_file": str(noted)}).mqtt.ca_file == str(noted)
    assert len(only(noted).get_ca_certs()) == 1
    trusted = trusting(noted)
    assert not isinstance(trusted, bool)
    assert "authority" in str(trusted.get_ca_certs())
