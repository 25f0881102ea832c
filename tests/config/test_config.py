"""What a configuration means, what is set over it, and its folders, ports and hash."""

from pathlib import Path
from typing import Any

import pytest

from tablectl.config import config_hash, console_address, limits_of, load
from tablectl.config.checks import device_of, is_simulated, port_address, runtime_dir, state_dir
from tablectl.config.values import split_broker
from tablectl.core.bets.stakes import Limits
from tests.support.config import SHOE, complaint, hash_of


@pytest.mark.parametrize(
    ("key", "text", "value"),
    [
        ("mqtt.url", "mqtt://127.0.0.1:1899", "mqtt://127.0.0.1:1899"),
        ("mqtt.keepalive_s", "30", 30),
        ("mqtt.url", '"mqtts://broker"', "mqtts://broker"),
        ("console.listen", "127.0.0.1:0", "127.0.0.1:0"),
        ("devices.shoe.simulated", "true", True),
        ("q_poker.stakes.least", '"100"', 100_00),
        ("q_poker.stakes.least", "100", 100_00),
        ("mqtt.username", "", ""),
    ],
)
def test_override_is_toml_or_a_text(file: Path, key: str, text: str, value: object) -> None:
    found: Any = load(file, {key: text})
    for name in key.split("."):
        found = found[name] if isinstance(found, dict) else getattr(found, name)
    assert found == value


def test_override_can_bring_no_second_key(file: Path) -> None:
    assert load(file, {"mqtt.username": 'x\nurl = "mqtts://elsewhere"'}).mqtt.url == "mqtt://127.0.0.1:1883"


def test_wrong_override_is_named_in_place_of_a_line(file: Path) -> None:
    assert complaint(file, console__listen="0.0.0.0:80").startswith('--set: console.listen = "0.0.0.0:80"\n')
    assert complaint(file, console__listn="x").startswith('--set: console.listn = "x"\n')


def test_override_below_a_value_is_refused(file: Path) -> None:
    assert complaint(file, table__name__x="1") == "--set: table.name.x\n  `name` has a value; it isn't a table"


def test_smallest_configuration_has_the_documented_defaults(file: Path) -> None:
    config = load(file)
    assert (config.table.language, config.mqtt.url, config.console.listen) == (
        "en",
        "mqtt://127.0.0.1:1883",
        "127.0.0.1:8080",
    )
    assert (config.devices["shoe"].baudrate, config.storage.low_water_mib, config.log.level) == (
        4800,
        64,
        "info",
    )
    assert (config.game, limits_of(config)) == (config.section("q_poker"), Limits(50_00, 5000_00, 50_00))
    assert (config.section("q_poker").places, config.section("q_poker").dealing) == (7, "shoe")
    assert (device_of(config, "shoe"), device_of(config, "shuffler")) == ("shoe", "")


def test_game_uses_only_device_of_each_kind_or_chosen_one(file: Path) -> None:
    more = "".join(
        f'\n[devices.{name}]\nkind = "shuffler"\nprotocol = "link"\nport = "serial:/dev/{name}"\n'
        for name in ("left", "right")
    )
    file.write_text(SHOE + more, encoding="utf-8")
    config = load(file, {"q_poker.shuffler": "right", "q_poker.dealing": "shuffler"})
    assert (device_of(config, "shoe"), device_of(config, "shuffler")) == ("shoe", "right")


def test_configuration_cannot_be_changed(file: Path) -> None:
    with pytest.raises(ValueError, match="frozen"):
        load(file).table.name = "q2"


@pytest.mark.parametrize(
    ("url", "broker"),
    [
        ("mqtt://broker", (False, "broker", 1883)),
        ("mqtts://broker", (True, "broker", 8883)),
        ("mqtts://[::1]:1884", (True, "::1", 1884)),
        ("mqtt://broker:99999", None),
        ("mqtt://", None),
        ("http://broker", None),
    ],
)
def test_broker_address_splits(url: str, broker: tuple[bool, str, int] | None) -> None:
    assert split_broker(url) == broker


@pytest.mark.parametrize(
    ("listen", "address"),
    [("127.0.0.1:0", ("127.0.0.1", 0)), ("[::1]:81", ("::1", 81)), ("localhost:8", ("localhost", 8))],
)
def test_console_listens_on_this_machine(file: Path, listen: str, address: tuple[str, int]) -> None:
    assert console_address(load(file, {"console.listen": listen})) == address


@pytest.mark.parametrize("listen", ["192.0.2.1:80", "[::]:80", "console.example:80", ":80", "127.0.0.1:65536"])
def test_console_listens_nowhere_else(file: Path, listen: str) -> None:
    assert "console.listen" in complaint(file, console__listen=listen)


def test_folders_are_the_configured_ones_then_systemds_then_the_usual(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert (state_dir(load(file)), runtime_dir(load(file))) == (
        Path("/var/lib/tablectl/q1"),
        Path("/run/tablectl"),
    )
    monkeypatch.setenv("STATE_DIRECTORY", "/var/lib/a:/var/lib/b")
    monkeypatch.setenv("RUNTIME_DIRECTORY", "/run/a")
    assert (state_dir(load(file)), runtime_dir(load(file))) == (Path("/var/lib/a"), Path("/run/a"))
    chosen = load(file, {"paths.state": "/srv/q1", "paths.runtime": "/srv/run"})
    assert (state_dir(chosen), runtime_dir(chosen)) == (Path("/srv/q1"), Path("/srv/run"))


def test_relative_port_lies_in_the_runtime_folder(file: Path) -> None:
    config = load(
        file,
        {"paths.runtime": "/srv/run", "devices.shoe.port": "serial:shoe", "devices.shoe.simulated": "true"},
    )
    assert port_address(config, "shoe") == "serial:/srv/run/shoe"
    assert port_address(load(file), "shoe") == "serial:/dev/null"
    assert port_address(load(file, {"devices.shoe.port": "tcp://moxa:4001"}), "shoe") == "tcp://moxa:4001"


def test_one_simulated_device_or_person_makes_the_table_simulated(file: Path) -> None:
    assert not is_simulated(load(file))
    assert is_simulated(load(file, {"devices.shoe.simulated": "true"}))
    person = {"people.ana.role": "dealer", "people.ana.pin_hash": hash_of(64, 1, 1)}
    assert not is_simulated(load(file, person))
    assert is_simulated(load(file, {**person, "people.ana.simulated": "true"}))


def test_hash_changes_with_setting_and_not_with_pin_or_spelling(file: Path) -> None:
    person = {"people.ana.role": "dealer", "people.ana.pin_hash": hash_of(64, 1, 1)}
    first = config_hash(load(file, person))
    assert len(first) == 64
    assert config_hash(load(file, {**person, "people.ana.pin_hash": hash_of(64, 1, 1)})) == first
    assert config_hash(load(file, {**person, "q_poker.stakes.least": '"50.0"'})) == first
    assert config_hash(load(file, {**person, "q_poker.places": "8"})) != first
    assert config_hash(load(file, {**person, "people.ana.role": "supervisor"})) != first
