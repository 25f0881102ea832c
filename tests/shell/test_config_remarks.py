"""What is worth knowing of a configuration that can be used."""

from pathlib import Path

import pytest

from tablectl.shell.config import load
from tests.support.config import SHOE, hash_of, remarked


@pytest.mark.article("q_poker", "2.1")
def test_fewer_than_seven_places_are_remarked(file: Path) -> None:
    text = "warning: q_poker.places: a table has at least 7 places for bettors (89/2004 art. 2)"
    assert text in remarked(load(file, {"q_poker.places": "6"}), file)
    assert text not in remarked(load(file), file)


@pytest.mark.parametrize(
    ("overrides", "start"),
    [
        ({}, "warning: people: there is no dealer"),
        ({}, "warning: people: there is no supervisor"),
        (
            {"q_poker.stakes": '{least = "0.25", most = "1", step = "0.25"}'},
            "warning: q_poker.stakes.step: half of",
        ),
        (
            {"mqtt.url": "mqtt://broker"},
            "warning: mqtt.url: messages and password cross the network unencrypted",
        ),
        (
            {"devices.shoe.port": "serial:/dev/ttyUSB7"},
            "warning: devices.shoe.port: /dev/ttyUSB7 can be another",
        ),
        (
            {"devices.shoe.port": "serial:/dev/ttyUSB7"},
            "warning: devices.shoe.port: /dev/ttyUSB7 isn't there",
        ),
        (
            {"devices.shoe.read_only": "false"},
            "notice: devices.shoe.read_only: the shoe may be sent commands",
        ),
        ({"devices.shoe.simulated": "true"}, "notice: table: something is simulated"),
    ],
)
def test_remark_is_made_where_there_is_reason_and_only_there(file: Path, overrides: dict[str, str], start: str) -> None:
    people = {
        f"people.{role}.{key}": text
        for role in ("dealer", "supervisor")
        for key, text in (("role", role), ("pin_hash", hash_of(64, 1, 1)))
    }
    assert any(line.startswith(start) for line in remarked(load(file, overrides), file))
    assert remarked(load(file, people), file) == []


def test_shuffler_without_approved_identity_and_table_without_shoe_are_remarked(file: Path) -> None:
    shuffler = SHOE.replace("shoe", "shuffler").replace("angel_eye", "link")
    file.write_text(shuffler, encoding="utf-8")
    found = remarked(load(file, {"q_poker.dealing": "shuffler"}), file)
    assert "warning: devices.shuffler.expect: no approved identity: whatever shuffler is attached is taken" in found
    assert any(line.startswith("notice: devices: if the shuffler fails") for line in found)
    approved = load(file, {"q_poker.dealing": "shuffler", "devices.shuffler.expect.serial": "S1"})
    assert not any("expect" in line for line in remarked(approved, file))


def test_secrets_that_everybody_can_read_are_remarked(file: Path, tmp_path: Path) -> None:
    password = tmp_path / "password"
    password.write_text("secret", encoding="utf-8")
    overrides = {
        "mqtt.username": "q1",
        "mqtt.password_file": str(password),
        "people.ana.role": "dealer",
        "people.ana.pin_hash": hash_of(64, 1, 1),
    }
    for mode, exposed in ((0o644, True), (0o640, False)):
        password.chmod(mode)
        file.chmod(mode)
        found = remarked(load(file, overrides), file)
        assert any(line.startswith("warning: mqtt.password_file: everybody") for line in found) is exposed
        assert any(line.startswith("warning: people: everybody") for line in found) is exposed
