"""What is wrong with a configuration, told with line and key."""

from pathlib import Path

import pytest

from tablectl.config import load
from tablectl.config.errors import ConfigError
from tablectl.console.auth.pins import check_pin_hash
from tests.support.config import GOLDEN, SHOE, complaint, hash_of


@pytest.mark.parametrize("name", sorted(file.stem for file in GOLDEN.glob("*.toml")))
def test_broken_configuration_is_explained_to_the_letter(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(GOLDEN)
    with pytest.raises(ConfigError) as caught:
        load(Path(f"{name}.toml"))
    assert f"{caught.value}\n" == Path(f"{name}.txt").read_text(encoding="utf-8")


def test_every_broken_configuration_has_its_message_and_none_is_unused() -> None:
    broken, explained = ({file.stem for file in GOLDEN.glob(f"*.{kind}")} for kind in ("toml", "txt"))
    assert broken == explained
    assert len(broken) >= 25


def test_problem_carries_its_parts(file: Path) -> None:
    file.write_text(SHOE + "bard = 9600\nbaudrat = 9600\n", encoding="utf-8")
    with pytest.raises(ConfigError) as caught:
        load(file)
    first, second = caught.value.problems
    assert (first.origin, first.at, first.key, first.value) == (
        str(file),
        (11, 1),
        "devices.shoe.bard",
        "9600",
    )
    assert (second.at, second.nearest) == ((12, 1), "baudrate")


def test_pin_hash_and_password_are_in_no_message(file: Path) -> None:
    said = complaint(file, people__ana__pin_hash="$argon2i$secret", mqtt__url="mqtt://q1:secret@broker")
    assert "pin_hash" in said
    assert "mqtt.url" in said
    assert "secret" not in said


@pytest.mark.parametrize("line", ['pin_hash = "hunter2', 'url = "mqtt://q1:hunter2@broker'])
def test_secret_on_line_that_is_not_toml_is_not_shown(file: Path, line: str) -> None:
    file.write_text(line, encoding="utf-8")
    assert "hunter2" not in complaint(file)


def test_file_that_is_not_utf8_is_told_where(file: Path) -> None:
    file.write_bytes(b'[table]\nsite = "\xe9"\n')
    assert complaint(file) == f"{file}:2:9\n  this isn't UTF-8\n  hint: save the file as UTF-8"


def test_unclosed_text_at_end_is_placed_on_last_line(file: Path) -> None:
    file.write_text('[table]\nsite = """macau', encoding="utf-8")
    assert complaint(file).startswith(f"{file}:2:16: site = ")


@pytest.mark.parametrize(
    ("value", "why"),
    [
        ("[" * 5000, "Nested too deeply"),
        ("9" * 5000, "A number has too many digits"),
        ("0x" + "f" * 4000, "A number has too many digits"),
    ],
)
def test_toml_too_deep_or_too_long_to_read_is_named(file: Path, value: str, why: str) -> None:
    file.write_text(f"[table]\nsite = {value}", encoding="utf-8")
    assert f"this isn't TOML: {why}" in complaint(file)


def test_windows_line_ends_and_byte_order_mark_are_no_errors(file: Path) -> None:
    file.write_bytes(b"\xef\xbb\xbf" + SHOE.replace("\n", "\r\n").encode())
    assert load(file).table.name == "q1"


def test_two_paths_to_one_port_are_one_port(file: Path, tmp_path: Path) -> None:
    (tmp_path / "alias").symlink_to("/dev/null")
    shuffler = f'kind = "shuffler"\nprotocol = "link"\nport = "serial:{tmp_path}/alias"\n'
    file.write_text(f"{SHOE}\n[devices.shuffler]\n{shuffler}", encoding="utf-8")
    assert "this is the port of devices.shoe already: /dev/null" in complaint(file)


def test_link_to_a_pseudo_terminal_is_a_simulator(file: Path, tmp_path: Path) -> None:
    (tmp_path / "shoe").symlink_to("/dev/pts/7")
    said = complaint(file, devices__shoe__port=f"serial:{tmp_path}/shoe")
    assert "this is a pseudo-terminal, so only a simulator can be there" in said


def test_password_file_that_cannot_be_read_is_a_problem(file: Path, tmp_path: Path) -> None:
    said = complaint(file, mqtt__username="q1", mqtt__password_file=str(tmp_path))
    assert "the file can't be read: Is a directory" in said


@pytest.mark.parametrize("cost", [{"memory_cost": 65_537}, {"time_cost": 11}, {"parallelism": 5}])
def test_pin_hash_too_dear_for_console_is_refused_here_too(file: Path, cost: dict[str, int]) -> None:
    parameters = {"memory_cost": 65_536, "time_cost": 10, "parallelism": 4}
    dear, bearable = (hash_of(**{**parameters, **more}) for more in (cost, {}))
    with pytest.raises(ValueError, match="costs too much"):
        check_pin_hash(dear)
    assert "costs too much" in complaint(file, people__ana__role="dealer", people__ana__pin_hash=dear)
    check_pin_hash(bearable)
    load(file, {"people.ana.role": "dealer", "people.ana.pin_hash": bearable})


@pytest.mark.article("q_poker", "1.1")
def test_more_or_fewer_packs_than_one_are_refused(file: Path) -> None:
    assert load(file, {"q_poker.packs": "1"}).section("q_poker").packs == 1
    for packs in ("0", "2", "8"):
        assert "exactly one pack (89/2004 art. 1)" in complaint(file, q_poker__packs=packs)


@pytest.mark.article("thirteen_cards", "11")
@pytest.mark.article("thirteen_cards", "reading 24")
def test_unit_that_admits_no_bet_is_an_error(file: Path) -> None:
    file.write_text('[table]\nsite = "macau"\nname = "t1"\ngame = "thirteen_cards"\n', encoding="utf-8")
    section = load(file).section("thirteen_cards")
    assert (section.unit, section.stakes.least, section.stakes.most) == (100_00, 100_00, 300_00)
    assert "no bet could be made" in complaint(file, thirteen_cards__unit="70")
