"""`tablectl init`: a table that runs, from a few answers or from flags; nothing is written over."""

import json
import os
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import apsw
import pexpect
import pytest
from click.testing import CliRunner, Result

from tablectl.cli import main
from tablectl.config import load
from tablectl.config.remarks import NO_PIN
from tablectl.console.auth.pins import hash_pin
from tablectl.daemon.signing.keys import public_key, signing_key
from tablectl.features.common.language import spoken
from tablectl.features.setup.questions import NewPerson, NewTable, configuration, usual_port
from tablectl.features.setup.write import ThereAlreadyError, make_table
from tablectl.rule_tables import GAMES, game_record
from tests.proof.journals import played, sign
from tests.support.daemon import Daemon, fork_server
from tests.support.patience import PATIENCE_S

COMMAND = [sys.executable, "-m", "tablectl", "init"]
ENGLISH = {**os.environ, "LC_ALL": "en_GB.UTF-8", "TERM": "dumb"}


def init(folder: Path, *words: str) -> Result:
    places = ("--config", str(folder / "q1.toml"), "--state", str(folder / "state"))
    return CliRunner().invoke(main, ["init", *places, *words])


def quiet(folder: Path, game: str = "q_poker", *words: str) -> Result:
    return init(folder, "--yes", "--site", "macau", "--table", "q1", "--game", game, "--lang", "en", *words)


def new(game: str, devices: dict[str, str], people: tuple[NewPerson, ...] = ()) -> NewTable:
    return NewTable("macau", "q1", game, "en", "mqtt://127.0.0.1:1883", "", devices, people, "/var/lib/tablectl/q1")


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("which", ["usual", "all"])
def test_every_game_gets_a_configuration_that_runs(tmp_path: Path, game: str, which: str) -> None:
    kinds = game_record(game).devices if which == "all" else game_record(game).usual
    devices = {kind: usual_port(kind, number) for number, kind in enumerate(kinds, 1)}
    (tmp_path / "t.toml").write_text(configuration(new(game, devices, (NewPerson("ana", "dealer"),))), "utf-8")
    config = load(tmp_path / "t.toml", {})
    assert (config.table.game, set(config.devices)) == (game, set(kinds))
    assert config.people["ana"].role == "dealer"


def test_flags_alone_make_table_with_key_of_its_own(tmp_path: Path) -> None:
    made = quiet(tmp_path)
    assert made.exit_code == 0, made.output
    state = tmp_path / "state"
    config = load(tmp_path / "q1.toml", {})
    assert (config.table.site, config.table.name, config.paths.state) == ("macau", "q1", str(state))
    assert set(config.people) == {"dealer-1", "supervisor-1"}
    assert all(person.pin_hash == NO_PIN for person in config.people.values())
    assert signing_key(state).public == public_key(state).raw
    assert public_key(state).fingerprint in made.output
    assert "PINs of dealer-1, supervisor-1" in made.output
    assert f"tablectl check-config {tmp_path / 'q1.toml'}" in made.output
    assert state.stat().st_mode & 0o777 == 0o700
    assert {path.name: path.stat().st_mode & 0o777 for path in state.iterdir()} == {
        "log.id": 0o600,
        "log.key": 0o600,
        "log.pub": 0o644,
    }
    assert (tmp_path / "q1.toml").stat().st_mode & 0o007 == 0


def test_what_it_wrote_passes_the_check(tmp_path: Path) -> None:
    assert quiet(tmp_path, "football_poker").exit_code == 0
    checked = CliRunner().invoke(main, ["check-config", str(tmp_path / "q1.toml")])
    assert checked.exit_code == 0, checked.output
    assert "q1.toml: ok" in checked.output
    for person in ("dealer-1", "supervisor-1"):
        assert f"warning: people.{person}.pin_hash: this hash fits no PIN, so they can't sign on" in checked.output


@pytest.mark.parametrize("there", ["q1.toml", "state/journal.db", "state/log.pub", "state/log.key"])
def test_nothing_that_is_there_is_written_over(tmp_path: Path, there: str) -> None:
    (tmp_path / "state").mkdir()
    (tmp_path / there).write_text("mine")
    before = sorted(path.name for path in tmp_path.rglob("*"))
    refused = quiet(tmp_path)
    assert (refused.exit_code, "is there already: nothing was written" in refused.output) == (1, True)
    assert (tmp_path / there).read_text() == "mine"
    assert sorted(path.name for path in tmp_path.rglob("*")) == before


def test_a_table_that_could_not_run_is_not_written(tmp_path: Path) -> None:
    refused = quiet(tmp_path, "football_poker", "--no-devices")
    assert refused.exit_code == 78
    assert "nothing was written" in refused.output
    assert "football_poker.draw" in refused.output
    assert f"{tmp_path / 'q1.toml'}:" in refused.output
    assert "tablectl-init-" not in refused.output
    assert list(tmp_path.iterdir()) == []


@pytest.mark.article("q_poker", "reading 24")
def test_card_table_without_a_reader_is_dealt_by_hand(tmp_path: Path) -> None:
    made = quiet(tmp_path, "q_poker", "--no-devices")
    assert made.exit_code == 0, made.output
    config = load(tmp_path / "q1.toml", {})
    assert (config.section("q_poker").dealing, config.devices) == ("by_hand", {})


def test_football_poker_by_hand_keeps_its_draw_system(tmp_path: Path) -> None:
    made = quiet(tmp_path, "football_poker", "--device", "draw")
    assert made.exit_code == 0, made.output
    config = load(tmp_path / "q1.toml", {})
    assert (config.section("football_poker").dealing, set(config.devices)) == ("by_hand", {"draw"})


def test_configuration_that_can_not_be_written_leaves_no_key_behind(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    elsewhere = ("--config", str(tmp_path / "file" / "q1.toml"))
    refused = quiet(tmp_path, "q_poker", *elsewhere)
    assert refused.exit_code == 73, refused.output
    assert not (tmp_path / "state").exists()
    assert quiet(tmp_path).exit_code == 0


def test_a_table_without_a_game_to_play_is_not_guessed(tmp_path: Path) -> None:
    refused = init(tmp_path, "--yes", "--site", "macau", "--lang", "en")
    assert (refused.exit_code, "--table, --game" in refused.output) == (2, True)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--device", "wheel"), "wheel is no device of this game"),
        (("--person", "ana=cook"), "a role is one of dealer"),
    ],
)
def test_what_nobody_knows_is_named(tmp_path: Path, words: tuple[str, ...], said: str) -> None:
    refused = quiet(tmp_path, "q_poker", *words)
    assert refused.exit_code == 2
    assert said in refused.output


def test_devices_and_people_are_as_they_were_given(tmp_path: Path) -> None:
    port = "serial:/dev/serial/by-path/one"
    made = quiet(tmp_path, "q_poker", "--device", f"shuffler={port}", "--person", "rui=supervisor", "--person", "ana")
    assert made.exit_code == 0, made.output
    config = load(tmp_path / "q1.toml", {})
    assert {name: device.port for name, device in config.devices.items()} == {"shuffler": port}
    assert config.section("q_poker").dealing == "shuffler"
    assert {name: person.role for name, person in config.people.items()} == {"rui": "supervisor", "ana": "dealer"}


def test_texts_with_quotes_stay_texts(tmp_path: Path) -> None:
    table = NewTable("macau", "q1", "chinese_dice", "pt", "mqtt://127.0.0.1:1883", 'o "q1" \\ é', {}, (), "/x")
    (tmp_path / "t.toml").write_text(configuration(table), "utf-8")
    assert load(tmp_path / "t.toml", {}).mqtt.username == 'o "q1" \\ é'


# --- the log that begins with it


def test_log_begins_with_id_and_predecessor_that_it_was_given(tmp_path: Path) -> None:
    old = tmp_path / "old"
    played(old, 2)
    (tmp_path / "last.txt").write_text(sign(old), "utf-8")
    made = quiet(tmp_path, "chinese_dice", "--after", str(tmp_path / "last.txt"))
    assert made.exit_code == 0, made.output
    given = (tmp_path / "state" / "log.id").read_text().strip()
    first = begun(tmp_path)
    assert first["type"] == "mo.tablectl.audit.log_began.v1"
    assert first["data"]["log"] == given
    assert first["data"]["predecessor"] == " ".join((tmp_path / "last.txt").read_text().split("\n")[:3])
    assert first["data"]["public_key"] == public_key(tmp_path / "state").text
    assert first["data"]["log"] in made.output


def test_lost_journal_is_not_restarted_under_its_name(tmp_path: Path) -> None:
    played(tmp_path / "old", 2)
    (tmp_path / "last.txt").write_text(sign(tmp_path / "old"), "utf-8")
    assert quiet(tmp_path, "chinese_dice", "--after", str(tmp_path / "last.txt")).exit_code == 0
    first = begun(tmp_path)
    for path in (tmp_path / "state").glob("journal.db*"):
        path.unlink()
    second = begun(tmp_path)
    assert second["data"]["log"] != first["data"]["log"]
    assert (first["data"]["predecessor"] is None, second["data"]["predecessor"]) == (False, None)


def begun(folder: Path) -> dict[str, Any]:
    """The log's first event, after one session of the table."""
    daemon = Daemon(fork_server(), folder / "q1.toml", folder, {})
    daemon.start()
    assert daemon.stop() == 0
    with closing(apsw.Connection(str(folder / "state" / "journal.db"))) as connection:
        event: dict[str, Any] = json.loads(next(connection.execute("SELECT payload FROM event WHERE sequence = 1"))[0])
    return event


def test_a_predecessor_that_is_no_checkpoint_is_refused(tmp_path: Path) -> None:
    (tmp_path / "last.txt").write_text("nothing of the kind\n")
    refused = quiet(tmp_path, "chinese_dice", "--after", str(tmp_path / "last.txt"))
    assert (refused.exit_code, "not a signed note" in refused.output) == (78, True)
    assert not (tmp_path / "state").exists()


def test_a_second_table_in_one_folder_is_refused(tmp_path: Path) -> None:
    table = NewTable("macau", "q1", "chinese_dice", "en", "mqtt://h:1", "", {}, (), str(tmp_path / "state"))
    make_table(table, tmp_path / "a.toml")
    with pytest.raises(ThereAlreadyError, match=r"log\.pub"):
        make_table(table, tmp_path / "b.toml")


# --- with somebody at the terminal


def terminal(folder: Path, *words: str, **environment: str) -> "pexpect.spawn[str]":
    places = ["--config", str(folder / "q1.toml"), "--state", str(folder / "state")]
    arguments = [*COMMAND[1:], *places, *words]
    environment = {**ENGLISH, "XDG_STATE_HOME": str(folder / "kept"), **environment}
    return pexpect.spawn(COMMAND[0], arguments, encoding="utf-8", timeout=PATIENCE_S, env=environment)


def answer(terminal: "pexpect.spawn[str]", question: str, text: str) -> None:
    terminal.expect_exact(question)
    terminal.sendline(text)


Steps = tuple[tuple[str, str | None], ...]
MISTAKES: Steps = (
    ("Site, as in topics", "Macau 1"),
    ("a name has 1 to 32 lower-case letters", None),
    ("Site, as in topics", "macau"),
    ("Table, as in topics", "q1"),
    ("Game", "football"),
    ("did you mean `football_poker`?", None),
    ("Game", "football-poker"),
    ("Devices that are there", "shoe, disply"),
    ("did you mean `display`?", None),
    ("Devices that are there", "shoe"),
    ("the numbers are drawn by a draw system", None),
    ("Devices that are there", "draw"),
    ("Looking for devices", None),
    ("Port of the draw", "COM3"),
    ("serial:", None),
    ("Port of the draw", "serial:/dev/ttyUSB0"),
    ("Broker", "broker.example"),
    ("mqtt://", None),
    ("Broker", "mqtt://broker.example"),
    ("User name at the broker", ""),
    ("Name of a person", "Ana Maria"),
    ("a name has 1 to 32 lower-case letters", None),
    ("Name of a person", "ana"),
    ("Role", "deeler"),
    ("did you mean `dealer`?", None),
    ("Role", "dealer"),
    ("PIN of ana", "4711"),
    ("The same again", "4711"),
    ("Name of a person", ""),
)
BROKEN_OFF: Steps = (
    ("Site, as in topics", "macau"),
    ("Table, as in topics", "q7"),
    ("Game", "chinese_dice"),
    ("Devices that are there", "-"),
    ("Broker", "mqtt://10.0.0.9"),
    ("User name at the broker", ""),
    ("Name of a person", "ana"),
    ("Role", "supervisor"),
    ("PIN of ana", "4711"),
    ("The same again", None),
)
OFFERED: Steps = (
    ("The answers of last time are offered again", None),
    ("[macau]", ""),
    ("[q7]", "q8"),
    ("[chinese_dice]", ""),
    ("[-]", ""),
    ("[mqtt://10.0.0.9]", ""),
    ("User name at the broker", ""),
    ("Name of a person", "ana"),
    ("Role", "supervisor"),
    ("PIN of ana", "4711"),
    ("The same again", "4711"),
    ("Name of a person", ""),
)


def follow(asked: "pexpect.spawn[str]", steps: Steps) -> None:
    for question, text in steps:
        asked.expect_exact(question)
        if text is not None:
            asked.sendline(text)


def test_each_answer_is_checked_when_it_is_given(tmp_path: Path) -> None:
    with terminal(tmp_path) as asked:
        follow(asked, MISTAKES)
        asked.expect(pexpect.EOF)
    assert asked.exitstatus == 0
    config = load(tmp_path / "q1.toml", {})
    assert (config.people["ana"].role, config.devices["draw"].port) == ("dealer", "serial:/dev/ttyUSB0")


def test_answers_outlive_ctrl_c_without_the_pin(tmp_path: Path) -> None:
    with terminal(tmp_path) as asked:
        follow(asked, BROKEN_OFF)
        asked.sendintr()
        asked.expect(pexpect.EOF)
    kept = tmp_path / "kept" / "tablectl" / "init.json"
    assert asked.exitstatus == 1
    assert kept.stat().st_mode & 0o777 == 0o600
    assert "4711" not in kept.read_text()
    with terminal(tmp_path) as asked:
        follow(asked, OFFERED)
        asked.expect(pexpect.EOF)
    assert asked.exitstatus == 0
    assert not kept.exists()
    config = load(tmp_path / "q1.toml", {})
    assert (config.table.name, config.mqtt.url) == ("q8", "mqtt://10.0.0.9")


def test_a_person_answers_a_few_questions_and_has_a_table(tmp_path: Path) -> None:
    with terminal(tmp_path) as asked:
        answer(asked, "Site, as in topics", "macau")
        answer(asked, "Table, as in topics", "q1")
        answer(asked, "Game", "q_poker")
        answer(asked, "Devices that are there", "shoe, shuffler")
        answer(asked, "Port of the shoe", "")
        answer(asked, "Port of the shuffler", "serial:/dev/serial/by-path/two")
        answer(asked, "Broker", "mqtts://broker.example:8883")
        answer(asked, "User name at the broker", "q1")
        answer(asked, "Name of a person", "ana")
        answer(asked, "Role", "dealer")
        answer(asked, "PIN of ana", "4711")
        answer(asked, "The same again", "4711")
        answer(asked, "Name of a person", "")
        asked.expect_exact("sha256:")
        asked.expect_exact("tablectl doctor --config")
        asked.expect(pexpect.EOF)
    assert asked.exitstatus == 0
    config = load(tmp_path / "q1.toml", {})
    assert {name: device.port for name, device in config.devices.items()} == {
        "shoe": usual_port("shoe", 1),
        "shuffler": "serial:/dev/serial/by-path/two",
    }
    assert (config.mqtt.url, config.mqtt.username) == ("mqtts://broker.example:8883", "q1")
    assert config.people["ana"].pin_hash not in {NO_PIN, hash_pin("4711")}
    assert "4711" not in (tmp_path / "q1.toml").read_text()


def test_the_questions_come_in_the_terminals_language(tmp_path: Path) -> None:
    with terminal(tmp_path, LC_ALL="pt_PT.UTF-8") as asked:
        answer(asked, "Casa, como nos tópicos", "macau")
        answer(asked, "Mesa, como nos tópicos", "d1")
        answer(asked, "Jogo", "chinese_dice")
        answer(asked, "Aparelhos que existem", "-")
        answer(asked, "Servidor de mensagens", "")
        answer(asked, "Nome de utilizador", "")
        answer(asked, "Nome de quem pode entrar", "")
        asked.expect_exact("A seguir:")
        asked.expect(pexpect.EOF)
    assert asked.exitstatus == 0
    assert load(tmp_path / "q1.toml", {}).table.language == "pt"


@pytest.mark.parametrize(
    ("environment", "language"),
    [
        ({}, "en"),
        ({"LANG": "pt_PT.UTF-8"}, "pt"),
        ({"LANG": "pt_PT.UTF-8", "LC_ALL": "C"}, "en"),
        ({"LC_MESSAGES": "zh_HK.UTF-8", "LANG": "pt_PT.UTF-8"}, "zh-Hant"),
        ({"LANG": "zh_MO"}, "zh-Hant"),
        ({"LANG": "zh_CN.UTF-8"}, "en"),
    ],
)
def test_the_language_is_the_locales(environment: dict[str, str], language: str) -> None:
    assert spoken(environment) == language


def test_without_a_terminal_nothing_is_asked(tmp_path: Path) -> None:
    ended = subprocess.run([*COMMAND, "--site", "m"], stdin=subprocess.DEVNULL, capture_output=True, check=False)
    assert ended.returncode == 2
    assert b"--table" in ended.stderr


@pytest.mark.parametrize("game", GAMES)
def test_a_simulated_table_has_every_device_simulated(tmp_path: Path, game: str) -> None:
    made = quiet(tmp_path, game, "--simulated")
    assert made.exit_code == 0, made.output
    assert f"tablectl sim run --config {tmp_path / 'q1.toml'}" in made.output
    config = load(tmp_path / "q1.toml", {})
    assert set(config.devices) == set(game_record(game).devices)
    assert all(device.simulated for device in config.devices.values())


def test_no_devices_can_not_be_simulated(tmp_path: Path) -> None:
    refused = quiet(tmp_path, "q_poker", "--simulated", "--no-devices")
    assert (refused.exit_code, "don't go together" in refused.output) == (2, True)
    assert list(tmp_path.iterdir()) == []


def test_what_simulates_the_devices_takes_that_configuration(tmp_path: Path) -> None:
    assert quiet(tmp_path, "thirteen_cards", "--simulated").exit_code == 0
    words = [sys.executable, "-m", "tablectl", "sim", "run", "--config", str(tmp_path / "q1.toml")]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as running:
        assert running.stdout is not None
        said = running.stdout.readline()
        running.terminate()
    kinds = sorted(game_record("thirteen_cards").devices)
    assert said == f"simulated in {tmp_path}/state/run: {', '.join(kinds)}\n"
