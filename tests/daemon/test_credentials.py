"""Secrets that systemd hands over: taken by name, missed with a plain word, never told."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from tablectl.cli import main
from tablectl.config import load
from tablectl.config.errors import ConfigError
from tablectl.daemon.room_settings import StartError, broker_of
from tablectl.daemon.run import run
from tests.support.authority import Authority
from tests.support.broker import Broker, private_broker
from tests.support.daemon import Daemon, fork_server
from tests.support.feed import Feed

SECRET = "correct-horse-battery"
TABLE = """
[table]
site = "demo"
name = "d-demo"
game = "chinese_dice"
[paths]
state = "{folder}/state"
runtime = "{folder}/run"
[mqtt]
url = "{url}"
username = "q1"
password_file = "{password}"
"""


@pytest.fixture(name="broker")
def _broker(mosquitto: Path, tmp_path: Path) -> Iterator[Broker]:
    (tmp_path / "broker").mkdir()
    with private_broker(mosquitto, tmp_path / "broker", anonymous=False) as broker:
        broker.admit("q1", SECRET)
        broker.start()
        yield broker


def configured(folder: Path, url: str, password: str = "credential:mqtt.password") -> Path:
    path = folder / "table.toml"
    path.write_text(TABLE.format(folder=folder, url=url, password=password), "utf-8")
    return path


def test_brokers_password_comes_from_a_credential_and_is_told_nowhere(broker: Broker, tmp_path: Path) -> None:
    (tmp_path / "handed").mkdir()
    (tmp_path / "handed" / "mqtt.password").write_text(f"{SECRET}\n")
    daemon = Daemon(fork_server(), configured(tmp_path, broker.url), tmp_path, {})
    daemon.environment = {"CREDENTIALS_DIRECTORY": str(tmp_path / "handed")}
    daemon.start()
    Feed.until(lambda: "d-demo" in broker.log())
    assert daemon.stop() == 0
    assert SECRET not in (tmp_path / "daemon.log").read_text()
    assert all(SECRET.encode() not in path.read_bytes() for path in (tmp_path / "state").rglob("*") if path.is_file())


def test_a_credential_that_nobody_handed_over_ends_the_start(tmp_path: Path) -> None:
    with pytest.raises(StartError, match="systemd has handed no credentials over") as told:
        run(configured(tmp_path, "mqtt://127.0.0.1:1"), {})
    assert told.value.exit_code == os.EX_NOPERM


def test_credential_that_is_not_among_those_handed_over_ends_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CREDENTIALS_DIRECTORY", str(tmp_path))
    (tmp_path / "mqtt.password").write_text(SECRET)  # the check finds it, then it goes
    config = load(configured(tmp_path, "mqtt://127.0.0.1:1"), {})
    (tmp_path / "mqtt.password").unlink()
    with pytest.raises(StartError, match=r"password_file .* can't be read"):
        broker_of(config)


def test_a_configuration_with_credentials_is_checked_outside_of_the_service(tmp_path: Path) -> None:
    checked = CliRunner().invoke(main, ["check-config", str(configured(tmp_path, "mqtt://127.0.0.1:1"))])
    assert checked.exit_code == 0, checked.output


@pytest.mark.parametrize("name", ["credential:", "credential:../log.key", "credential:a/b", "relative"])
def test_what_is_neither_a_path_nor_a_credential_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(ConfigError):
        load(configured(tmp_path, "mqtt://127.0.0.1:1", name), {})


def test_the_key_of_the_tls_certificate_comes_from_a_credential(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pair = Authority(tmp_path).sign("q1")
    (tmp_path / "mqtt.key").write_bytes(Path(pair.key).read_bytes())
    (tmp_path / "mqtt.password").write_text(SECRET)
    monkeypatch.setenv("CREDENTIALS_DIRECTORY", str(tmp_path))
    path = configured(tmp_path, "mqtts://127.0.0.1:1")
    more = f'cert_file = "{pair.cert}"\nkey_file = "credential:mqtt.key"\n'
    path.write_text(path.read_text() + more)
    tls = broker_of(load(path, {})).tls
    assert tls is not None
    assert tls.key == str(tmp_path / "mqtt.key")
