"""What is worth knowing of a configuration that can be used."""

from pathlib import Path

import pytest

from tablectl.config import load
from tablectl.config.models import PersonSection
from tablectl.config.remarks import NO_PIN, can_sign_on
from tablectl.rule_tables import shipped
from tests.support.config import SHOE, complaint, hash_of, remarked

DEVICE = """
[devices.{kind}]
kind = "{kind}"
protocol = "link"
port = "serial:/dev/null{port}"
"""
FOOTBALL = SHOE.replace("q_poker", "football_poker") + DEVICE.format(kind="draw", port=1)


@pytest.mark.article("q_poker", "2.1")
def test_fewer_than_seven_places_are_refused(file: Path) -> None:
    text = "a table has at least 7 places for bettors (89/2004 art. 2)"
    assert text in complaint(file, q_poker__places="6")
    assert load(file, {"q_poker.places": "7"}).section("q_poker").places == 7


@pytest.mark.article("football_poker", "5.1")
@pytest.mark.parametrize("places", [1, 9])
def test_other_than_ten_seated_places_are_refused(file: Path, places: int) -> None:
    file.write_text(FOOTBALL, encoding="utf-8")
    assert "a table has 10 seated places (41/2003 art. 5)" in complaint(file, football_poker__places=str(places))
    assert load(file, {"football_poker.places": "10"}).section("football_poker").places == 10


@pytest.mark.parametrize(
    ("game", "start"),
    [("q_poker", "warning: q_poker.places: a table has at"), ("football_poker", "warning: football_poker.places: a")],
)
def test_a_simulated_table_may_have_fewer_places_and_is_remarked(file: Path, game: str, start: str) -> None:
    file.write_text(SHOE if game == "q_poker" else FOOTBALL, encoding="utf-8")
    config = load(file, {f"{game}.places": "3", "devices.shoe.simulated": "true"})
    assert any(line.startswith(start) for line in remarked(config, file))


@pytest.mark.article("football_poker", "2.3")
@pytest.mark.article("football_poker", "6.1")
def test_a_draw_system_without_a_display_is_remarked(file: Path) -> None:
    text = "notice: devices: there is no display: show the draw to the bettors"
    file.write_text(FOOTBALL, encoding="utf-8")
    assert any(line.startswith(text) for line in remarked(load(file), file))
    file.write_text(f"{FOOTBALL}{DEVICE.format(kind='display', port=2)}", encoding="utf-8")
    assert not any(line.startswith(text) for line in remarked(load(file), file))


@pytest.mark.parametrize(("certificate", "able"), [("", False), ("ana", True)])
def test_unfit_hash_is_remarked_unless_a_certificate_signs_on(certificate: str, *, able: bool) -> None:
    person = PersonSection(role="dealer", pin_hash=NO_PIN, certificate=certificate)
    assert can_sign_on(person) is able


@pytest.mark.parametrize(
    "example", sorted(path.name for path in shipped("tables").glob("*.example.toml")), ids=lambda name: name[:-13]
)
def test_of_examples_nobody_can_sign_on_before_he_has_pin(example: str) -> None:
    file = shipped(f"tables/{example}")
    lines = remarked(load(file), file)
    for person in ("dealer-1", "supervisor-1", "technician-1"):
        assert any(line.startswith(f"warning: people.{person}.pin_hash: this hash fits no PIN") for line in lines)


@pytest.mark.parametrize(
    ("overrides", "start"),
    [
        ({}, "warning: people: there is no dealer"),
        ({}, "warning: people: there is no supervisor"),
        (
            {"subscribers.cctv1.may": '["status"]', "subscribers.cctvl.may": '["status"]'},
            "warning: subscribers.cctvl: cctvl looks like cctv1",
        ),
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
