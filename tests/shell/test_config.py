"""A table's configuration: what it says, what is wrong with it, and what becomes of it."""

import json
import os
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
from argon2 import PasswordHasher, Type
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from tablectl.cli import main
from tablectl.console.pins import check_pin_hash
from tablectl.core.stakes import Limits
from tablectl.shell.config import (
    Config,
    ConfigError,
    config_hash,
    console_address,
    device_of,
    is_simulated,
    limits_of,
    load,
    port_address,
    remarks,
    runtime_dir,
    state_dir,
)
from tablectl.shell.config_games import USES
from tablectl.shell.config_page import page
from tablectl.shell.config_source import positions
from tablectl.shell.config_values import split_broker
from tablectl.shell.rules import shipped

REPOSITORY = Path(__file__).parents[2]
GOLDEN = REPOSITORY / "tests" / "golden" / "config"
DEMO = shipped("tables/q-poker.demo.toml")
DEMOS = sorted(shipped("tables").glob("*.demo.toml"))
EXAMPLES = sorted(shipped("tables").glob("*.example.toml"))

SHOE = """
[table]
site = "macau"
name = "q1"
game = "q_poker"

[devices.shoe]
kind = "shoe"
protocol = "angel_eye"
port = "serial:/dev/null"
"""


@pytest.fixture(autouse=True)
def nothing_from_systemd(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("STATE_DIRECTORY", "RUNTIME_DIRECTORY"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "q1.toml"
    path.write_text(SHOE, encoding="utf-8")
    path.chmod(0o600)
    return path


def remarked(config: Config, file: Path) -> list[str]:
    return [str(remark) for remark in remarks(config, file)]


def complaint(file: Path, **overrides: str) -> str:
    """What `load` says of the file with these keys set over it; `__` stands for a dot."""
    with pytest.raises(ConfigError) as caught:
        load(file, {key.replace("__", "."): value for key, value in overrides.items()})
    return str(caught.value)


# --- what is wrong ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", sorted(file.stem for file in GOLDEN.glob("*.toml")))
def test_broken_configuration_is_explained_to_the_letter(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(GOLDEN)
    with pytest.raises(ConfigError) as caught:
        load(Path(f"{name}.toml"))
    assert f"{caught.value}\n" == Path(f"{name}.txt").read_text(encoding="utf-8")


def test_every_broken_configuration_has_its_message_and_none_is_left_over() -> None:
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
def test_secret_on_a_line_that_is_not_toml_is_not_shown(file: Path, line: str) -> None:
    file.write_text(line, encoding="utf-8")
    assert "hunter2" not in complaint(file)


def test_file_that_is_not_utf8_is_told_where(file: Path) -> None:
    file.write_bytes(b'[table]\nsite = "\xe9"\n')
    assert complaint(file) == f"{file}:2:9\n  this isn't UTF-8\n  hint: save the file as UTF-8"


def test_unclosed_text_at_the_end_is_placed_on_the_last_line(file: Path) -> None:
    file.write_text('[table]\nsite = """macau', encoding="utf-8")
    assert complaint(file).startswith(f"{file}:2:16: site = ")


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
def test_pin_hash_too_dear_for_the_console_is_refused_here_too(file: Path, cost: dict[str, int]) -> None:
    parameters = {"memory_cost": 65_536, "time_cost": 10, "parallelism": 4}
    dear, bearable = (hash_of(**{**parameters, **more}) for more in (cost, {}))
    with pytest.raises(ValueError, match="costs too much"):
        check_pin_hash(dear)
    assert "costs too much" in complaint(file, people__ana__role="dealer", people__ana__pin_hash=dear)
    check_pin_hash(bearable)
    load(file, {"people.ana.role": "dealer", "people.ana.pin_hash": bearable})


def hash_of(memory_cost: int, time_cost: int, parallelism: int) -> str:
    """A hash that claims such a cost, without having cost it."""
    cheap = PasswordHasher(time_cost=1, memory_cost=64, parallelism=1, type=Type.ID).hash("4711")
    return cheap.replace("m=64,t=1,p=1", f"m={memory_cost},t={time_cost},p={parallelism}")


@pytest.mark.article("q_poker", "1.1")
def test_more_or_fewer_packs_than_one_are_refused(file: Path) -> None:
    assert load(file, {"q_poker.packs": "1"}).q_poker.packs == 1
    for packs in ("0", "2", "8"):
        assert "exactly one pack (89/2004 art. 1)" in complaint(file, q_poker__packs=packs)


# --- what is set over the file ------------------------------------------------------------------------------


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


# --- where keys stand ---------------------------------------------------------------------------------------

AWKWARD = """\
# [comment]
top = "a # no comment"
[a.b] # header
"quoted key" = 1
x . y = [1, {inner = 2}, "}]", # comment ]
  {deeper = {deepest = 3}}]
text = '''
z = 1
'''
more = \"\"\"
"w" = \\"\"\" w = 1\"\"\"\"
when = 2004-12-31 10:00:00
table = {since = 2004-12-31 10:00:00, until = 4.5}

[ "c.d" ]
e = -1e3
[[f]]
g = 1
[[f]]
g = 2
"""


def test_every_key_of_awkward_toml_is_found_where_it_stands() -> None:
    assert tomllib.loads(AWKWARD)["a"]["b"]["more"] == '"w" = """ w = 1"'
    assert positions(AWKWARD) == {
        ("top",): (2, 1),
        ("a",): (3, 1),
        ("a", "b"): (3, 1),
        ("a", "b", "quoted key"): (4, 1),
        ("a", "b", "x"): (5, 1),
        ("a", "b", "x", "y"): (5, 1),
        ("a", "b", "x", "y", "inner"): (5, 14),
        ("a", "b", "x", "y", "deeper"): (6, 4),
        ("a", "b", "x", "y", "deeper", "deepest"): (6, 14),
        ("a", "b", "text"): (7, 1),
        ("a", "b", "more"): (10, 1),
        ("a", "b", "when"): (12, 1),
        ("a", "b", "table"): (13, 1),
        ("a", "b", "table", "since"): (13, 10),
        ("a", "b", "table", "until"): (13, 39),
        ("c.d",): (15, 1),
        ("c.d", "e"): (16, 1),
        ("f",): (17, 1),
        ("f", "g"): (18, 1),
    }


KEYS = st.lists(st.text("abcXYZ019_-", min_size=1, max_size=6), min_size=1, unique=True)
TEXTS = st.text(st.characters(exclude_categories=["C", "Zl", "Zp"]))


@given(KEYS, st.data())
def test_key_is_found_whatever_the_values_before_it_hold(keys: list[str], data: st.DataObject) -> None:
    texts = data.draw(st.lists(TEXTS, min_size=len(keys), max_size=len(keys)))
    lines = [f"{key} = {json.dumps(text, ensure_ascii=False)}" for key, text in zip(keys, texts, strict=True)]
    text = "\n".join(lines)
    assert list(tomllib.loads(text)) == keys
    assert positions(text) == {(key,): (line, 1) for line, key in enumerate(keys, 1)}


# --- what it means ------------------------------------------------------------------------------------------


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
    assert (config.game, limits_of(config)) == (config.q_poker, Limits(50_00, 5000_00, 50_00))
    assert (config.q_poker.places, config.q_poker.dealing) == (7, "shoe")
    assert (device_of(config, "shoe"), device_of(config, "shuffler")) == ("shoe", "")


def test_the_game_uses_the_only_device_of_each_kind_or_the_chosen_one(file: Path) -> None:
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


def test_hash_changes_with_a_setting_and_not_with_a_pin_or_the_spelling(file: Path) -> None:
    person = {"people.ana.role": "dealer", "people.ana.pin_hash": hash_of(64, 1, 1)}
    first = config_hash(load(file, person))
    assert len(first) == 64
    assert config_hash(load(file, {**person, "people.ana.pin_hash": hash_of(64, 1, 1)})) == first
    assert config_hash(load(file, {**person, "q_poker.stakes.least": '"50.0"'})) == first
    assert config_hash(load(file, {**person, "q_poker.places": "8"})) != first
    assert config_hash(load(file, {**person, "people.ana.role": "supervisor"})) != first


# --- what is worth knowing ----------------------------------------------------------------------------------


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


# --- what is shipped ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("demo", DEMOS, ids=lambda path: path.name)
def test_demo_is_a_simulated_table_that_needs_no_remark_but_that(demo: Path) -> None:
    config = load(demo)
    assert [line.partition(":")[0] for line in remarked(config, demo)] == ["notice"]
    assert console_address(config) == ("127.0.0.1", 0)
    assert {name: person.role for name, person in config.people.items()} == {
        "ana": "dealer",
        "rui": "supervisor",
        "mei": "surveillance",
    }
    assert all(item.simulated for item in (*config.people.values(), *config.devices.values()))


@pytest.mark.parametrize("game", USES)
def test_every_game_has_a_demo_and_an_example_that_play_it(game: str) -> None:
    assert {load(path).table.game for path in DEMOS} == {load(path).table.game for path in EXAMPLES} == set(USES)
    assert shipped(f"tables/{game.replace('_', '-')}.demo.toml") in DEMOS


@pytest.mark.parametrize(("name", "pin"), [("ana", "1111"), ("rui", "2222"), ("mei", "3333")])
def test_demo_pins_are_those_that_its_comments_say(name: str, pin: str) -> None:
    pin_hash = load(DEMO).people[name].pin_hash
    assert PasswordHasher().verify(pin_hash, pin)
    assert all(f'pin_hash = "{pin_hash}" # PIN {pin}' in demo.read_text(encoding="utf-8") for demo in DEMOS)


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.name)
def test_example_can_be_used_and_shows_the_real_defaults(example: Path, tmp_path: Path) -> None:
    commented = re.sub(r"(?m)^# (\[paths\]|state|runtime|language)", r"\1", example.read_text(encoding="utf-8"))
    shown = tmp_path / "shown.toml"
    shown.write_text(commented, encoding="utf-8")
    config = load(example)
    assert load(shown).table == config.table
    assert (state_dir(load(shown)), runtime_dir(load(shown))) == (state_dir(config), runtime_dir(config))
    assert not is_simulated(config)


def test_page_of_the_documentation_is_up_to_date() -> None:
    written = (REPOSITORY / "docs" / "configuration.md").read_text(encoding="utf-8")
    assert written == page(), "run: python -m tablectl.shell.config_page > docs/configuration.md"


def test_page_explains_every_key() -> None:
    rows = [line.split(" | ") for line in page().splitlines() if line.startswith("| `")]
    assert len(rows) > 30
    assert [row for row in rows if not row[-1].strip(" |")] == []


# --- the command --------------------------------------------------------------------------------------------


def check(*arguments: str) -> tuple[int, str, str]:
    result = CliRunner().invoke(main, ["check-config", *arguments])
    return result.exit_code, result.stdout, result.stderr


def test_check_config_of_a_good_file_says_what_it_comes_to() -> None:
    code, out, err = check(str(DEMO), "--set", "paths.state=/srv/q", "--set", "q_poker.places=8")
    assert (code, err) == (os.EX_OK, "")
    lines = out.splitlines()
    assert lines[0].startswith("notice: table: ")
    assert lines[1:-1] == [
        f"{DEMO}: ok",
        "  table    demo/q-demo, screen in en",
        "  game     q_poker (89/2004), 8 places, dealt from the shoe, stakes 50.00 to 5000.00 in steps of 50.00",
        "  device   shoe: shoe, angel_eye, serial:shoe at 4800, simulated",
        "  device   shuffler: shuffler, link, serial:shuffler at 115200, simulated",
        "  broker   mqtt://127.0.0.1:1883, not encrypted",
        "  console  http://127.0.0.1:0/",
        "  people   ana (dealer), rui (supervisor), mei (surveillance)",
        "  state    /srv/q",
    ]
    assert lines[-1].startswith("  hash     ")


def test_check_config_of_a_broken_file_prints_every_problem_and_ends_with_78() -> None:
    broken = GOLDEN / "many-at-once.toml"
    code, out, err = check(str(broken))
    expected = broken.with_suffix(".txt").read_text(encoding="utf-8").replace("many-at-once.toml", str(broken))
    assert (code, out, err) == (os.EX_CONFIG, "", expected)


def test_check_config_of_a_missing_file_is_one_line_and_ends_with_66(tmp_path: Path) -> None:
    missing = tmp_path / "none.toml"
    assert check(str(missing)) == (os.EX_NOINPUT, "", f"{missing}: No such file or directory\n")


def test_check_config_wants_a_key_and_a_value_to_set() -> None:
    code, _, err = check(str(DEMO), "--set", "places")
    assert code == 2
    assert "'places' isn't KEY=VALUE" in err
