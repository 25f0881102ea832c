"""The files that a configuration names: certificates, keys, revocation lists, and the state folder's disk."""

from pathlib import Path

import pytest

from tablectl.config import load
from tablectl.config.remarks import remarks
from tests.support.authority import Authority
from tests.support.config import complaint, remarked

URL = "mqtts://broker.floor"


@pytest.fixture(name="authority")
def _authority(tmp_path: Path) -> Authority:
    return Authority(tmp_path)


def warned(file: Path, **files: str) -> list[str]:
    return remarked(load(file, {"mqtt.url": URL, **{f"mqtt.{key}": name for key, name in files.items()}}), file)


def test_files_that_fit_are_taken(file: Path, authority: Authority) -> None:
    own = authority.sign("q1")
    keys = {"mqtt.url": URL, "mqtt.ca_file": authority.file, "mqtt.cert_file": own.cert, "mqtt.key_file": own.key}
    assert load(file, keys).mqtt.ca_file == authority.file


def test_a_key_of_another_certificate_is_named(file: Path, authority: Authority) -> None:
    one, other = authority.sign("q1"), authority.sign("q2")
    said = complaint(file, mqtt__url=URL, mqtt__cert_file=one.cert, mqtt__key_file=other.key)
    assert "mqtt.cert_file" in said
    assert "the key is of another certificate" in said


@pytest.mark.parametrize("key", ["ca_file", "cert_file"])
def test_a_file_without_a_certificate_is_named(file: Path, authority: Authority, tmp_path: Path, key: str) -> None:
    nonsense = tmp_path / "nonsense.pem"
    nonsense.write_text("no certificate", encoding="utf-8")
    other = {"mqtt__key_file": authority.sign("q1").key} if key == "cert_file" else {}
    said = complaint(file, mqtt__url=URL, **{f"mqtt__{key}": str(nonsense)}, **other)
    assert f"mqtt.{key}" in said
    assert "can't be used" in said


def test_an_expired_certificate_is_a_warning(file: Path, authority: Authority) -> None:
    own = authority.sign("q1", expired=True)
    found = warned(file, cert_file=own.cert, key_file=own.key)
    assert any(line.startswith("warning: mqtt.cert_file: the certificate expired on ") for line in found)


def test_a_certificate_that_expires_soon_is_a_warning(file: Path, authority: Authority) -> None:
    found = warned(file, ca_file=authority.file)
    assert any(line.startswith("warning: mqtt.ca_file: the certificate expires on ") for line in found)


@pytest.mark.parametrize(
    ("url", "text"),
    [("mqtt://127.0.0.1:8883", "is usually for TLS"), ("mqtts://127.0.0.1:1883", "is usually without TLS")],
)
def test_a_port_of_the_other_scheme_is_a_warning(file: Path, url: str, text: str) -> None:
    assert any(text in line for line in remarked(load(file, {"mqtt.url": url}), file))


@pytest.mark.parametrize("url", ["mqtt://127.0.0.1:1883", "mqtts://127.0.0.1:8883", "mqtts://127.0.0.1:9999"])
def test_a_port_of_its_scheme_is_not_remarked(file: Path, url: str) -> None:
    assert not any("usually" in line for line in remarked(load(file, {"mqtt.url": url}), file))


def test_a_state_folder_in_memory_is_a_warning(file: Path) -> None:
    found = {each.key: each.text for each in remarks(load(file, {"paths.state": "/dev/shm/q1"}), file)}
    assert "is in memory (tmpfs)" in found["paths.state"]


def test_a_state_folder_that_nobody_can_write_is_a_warning(file: Path) -> None:
    found = {each.key: each.text for each in remarks(load(file, {"paths.state": "/sys/q1"}), file)}
    assert ("read-only" in found.get("paths.state", "")) is _is_read_only("/sys")


def _is_read_only(point: str) -> bool:
    lines = Path("/proc/mounts").read_text("utf-8").splitlines()
    return any(line.split(" ")[1] == point and "ro" in line.split(" ")[3].split(",") for line in lines)


def test_second_copy_on_same_medium_or_nowhere_is_remarked(file: Path, tmp_path: Path) -> None:
    (tmp_path / "state").mkdir()
    paths = {"paths.state": str(tmp_path / "state"), "paths.copy_to": str(tmp_path / "copy")}
    said = [each.text for each in remarks(load(file, paths), file) if each.key == "paths.copy_to"]
    assert "no second copy is kept until" in said[0]
    (tmp_path / "copy").mkdir()
    said = [each.text for each in remarks(load(file, paths), file) if each.key == "paths.copy_to"]
    assert "a second copy helps only on another one" in said[0]
