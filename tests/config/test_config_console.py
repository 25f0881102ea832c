"""Who may reach the console and how they are known: what a configuration may say of it, and what it is told."""

from pathlib import Path

import pytest
from argon2 import PasswordHasher

from tablectl.config import load
from tablectl.config.errors import ConfigError
from tablectl.config.remarks import remarks
from tablectl.daemon.room_settings import called_as, people_of, tls_of
from tests.support.authority import Authority

TABLE = """
[table]
site = "macau"
name = "q1"
game = "q_poker"

[devices.shoe]
kind = "shoe"
protocol = "angel_eye"
port = "serial:/dev/serial/by-path/one"
"""
PIN_HASH = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1).hash("1111")


@pytest.fixture(name="file")
def _file(tmp_path: Path) -> Path:
    file = tmp_path / "q1.toml"
    file.write_text(TABLE)
    return file


@pytest.fixture(name="tls")
def _tls(tmp_path: Path) -> dict[str, str]:
    """The keys of a console that listens to a network under TLS."""
    authority = Authority(tmp_path)
    own = authority.sign("table-7")
    return {
        "console.listen": "0.0.0.0:8443",
        "console.cert_file": own.cert,
        "console.key_file": own.key,
        "console.client_ca_file": authority.file,
    }


def complaint(file: Path, overrides: dict[str, str]) -> str:
    with pytest.raises(ConfigError) as caught:
        load(file, overrides)
    return str(caught.value)


@pytest.mark.parametrize("listen", ["0.0.0.0:8080", "192.0.2.7:8080", "[::]:8080", "table-7.floor:8080"])
def test_beyond_this_machine_the_console_needs_tls(file: Path, tls: dict[str, str], listen: str) -> None:
    said = complaint(file, {"console.listen": listen})
    assert "beyond this machine the console listens with TLS only" in said
    assert "set console.cert_file and console.key_file, or listen on 127.0.0.1" in said
    assert load(file, {**tls, "console.listen": listen}).console.listen == listen


@pytest.mark.parametrize("listen", ["127.0.0.1:8080", "[::1]:0", "localhost:8080"])
def test_on_this_machine_it_needs_none(file: Path, listen: str) -> None:
    config = load(file, {"console.listen": listen})
    assert tls_of(config) is None


@pytest.mark.parametrize(
    ("without", "said"),
    [
        ("console.key_file", "certificate and key go together: key_file is missing"),
        ("console.cert_file", "certificate and key go together: cert_file is missing"),
    ],
)
def test_certificate_and_key_go_together(file: Path, tls: dict[str, str], without: str, said: str) -> None:
    assert said in complaint(file, {key: value for key, value in tls.items() if key != without})


def test_key_of_another_certificate_is_found_before_the_table_starts(
    file: Path, tls: dict[str, str], tmp_path: Path
) -> None:
    other = Authority(tmp_path, "other").sign("other")
    assert "certificate and key can't be used" in complaint(file, {**tls, "console.key_file": other.key})
    assert "No such file" in complaint(file, {**tls, "console.key_file": str(tmp_path / "gone")})


def test_an_authority_is_a_file_of_certificates_and_needs_tls(file: Path, tls: dict[str, str], tmp_path: Path) -> None:
    nonsense = tmp_path / "nonsense.pem"
    nonsense.write_text("nonsense")
    assert "the file can't be used" in complaint(file, {**tls, "console.client_ca_file": str(nonsense)})
    authority = {"console.client_ca_file": tls["console.client_ca_file"]}
    assert "certificates need TLS, and the console has none" in complaint(file, authority)


def test_person_signs_on_by_pin_by_certificate_or_by_both(file: Path, tls: dict[str, str]) -> None:
    people = {
        **{f"people.{name}.role": "dealer" for name in ("ana", "kim", "lei")},
        "people.ana.pin_hash": PIN_HASH,
        "people.kim.certificate": "Kim",
        "people.lei.certificate": "Lei",
        "people.lei.pin_hash": PIN_HASH,
    }
    known = {person.name: (bool(person.pin_hash), person.certificate) for person in people_of(load(file, tls | people))}
    assert known == {"ana": (True, ""), "kim": (False, "Kim"), "lei": (True, "Lei")}


def test_a_person_without_pin_and_certificate_could_never_sign_on(file: Path) -> None:
    said = complaint(file, {"people.kim.role": "dealer"})
    assert "nobody could sign on as them" in said
    assert "set pin_hash, or certificate" in said


def test_certificate_needs_somebody_who_signs_it_and_is_one_persons(file: Path, tls: dict[str, str]) -> None:
    kim = {"people.kim.role": "dealer", "people.kim.certificate": "Kim"}
    assert "nobody has said who signs such certificates" in complaint(file, kim)
    lei = {"people.lei.role": "dealer", "people.lei.certificate": "Kim"}
    assert "this is the certificate of people.kim already" in complaint(file, {**tls, **kim, **lei})


@pytest.mark.parametrize(
    ("listen", "hosts", "names"),
    [
        ("127.0.0.1:8080", "[]", ("127.0.0.1",)),
        ("0.0.0.0:8443", '["Table-7.floor", "192.0.2.7"]', ("table-7.floor", "192.0.2.7")),
        ("[::]:8443", "[]", ()),
        ("table-7.floor:8443", '["192.0.2.7"]', ("table-7.floor", "192.0.2.7")),
    ],
)
def test_browsers_call_console_by_names_that_house_gives_it(
    file: Path, tls: dict[str, str], listen: str, hosts: str, names: tuple[str, ...]
) -> None:
    config = load(file, {**tls, "console.listen": listen, "console.hosts": hosts})
    assert called_as(config) == names


@pytest.mark.parametrize("host", ["table 7", "table-7:8080", "https://table-7", "", "-table"])
def test_name_of_machine_is_a_host_name_or_an_address(file: Path, host: str) -> None:
    assert "a name of this machine is a host name or an address" in complaint(file, {"console.hosts": f'["{host}"]'})


def test_key_that_everybody_on_the_machine_can_read_is_remarked(file: Path, tls: dict[str, str]) -> None:
    for mode, remarked in ((0o644, True), (0o640, False)):
        Path(tls["console.key_file"]).chmod(mode)
        said = [str(remark) for remark in remarks(load(file, tls), file)]
        assert any(line.startswith("warning: console.key_file: everybody") for line in said) is remarked
