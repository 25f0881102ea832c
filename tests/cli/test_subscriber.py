"""`tablectl subscriber`: the configuration and the broker's access list change together, or not at all."""

import json
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from tablectl.cli import main
from tablectl.config import load
from tablectl.rule_tables import shipped
from tests.support.broker import private_broker
from tests.support.patience import PATIENCE_S

READS = ["round", "bet", "card", "draw", "wheel", "dice", "fault", "fairness", "audit"]


@pytest.fixture(name="config")
def _config(tmp_path: Path) -> Path:
    config = tmp_path / "q1.toml"
    config.write_bytes(shipped("tables/q-poker.demo.toml").read_bytes())
    config.chmod(0o640)
    return config


@pytest.fixture(name="acl")
def _acl(tmp_path: Path) -> Path:
    acl = tmp_path / "acl"
    acl.write_bytes(shipped("mosquitto/acl").read_bytes())
    return acl


def said(config: Path, *words: str) -> Result:
    return CliRunner().invoke(main, ["subscriber", words[0], "--config", str(config), *words[1:]])


def test_removing_leaves_both_files_as_they_were(config: Path, acl: Path) -> None:
    before = config.read_bytes(), acl.read_bytes()
    assert said(config, "add", "cctv", "--may", "replay", "--reads", "round", "--acl", str(acl)).exit_code == 0
    assert said(config, "add", "pit-2", "--may", "status", "--acl", str(acl)).exit_code == 0
    assert said(config, "remove", "cctv", "--acl", str(acl)).exit_code == 0
    assert load(config).subscribers.keys() == {"pit-2"}
    assert said(config, "remove", "pit-2", "--acl", str(acl)).exit_code == 0
    assert (config.read_bytes(), acl.read_bytes()) == before
    assert config.stat().st_mode & 0o777 == 0o640


def test_what_was_added_is_listed_and_in_the_configuration(config: Path) -> None:
    assert said(config, "list").output == "nobody may ask this table\n"
    added = said(
        config, "add", "cctv", "--may", "prove", "--may", "acknowledge", "--reads", "all", "--role", "technician"
    )
    assert "topic read tablectl/v1/demo/q-demo/round/state\n" in added.output
    form = {"may": ["prove", "acknowledge"], "reads": READS, "role": "technician"}
    assert load(config).subscribers["cctv"].model_dump(mode="json") == form
    assert json.loads(said(config, "list", "--json").output) == {"cctv": form}
    assert said(config, "list").output.startswith("cctv may ask for prove, acknowledge; reads round, bet,")


@pytest.mark.parametrize(
    ("words", "code", "why"),
    [
        (("add", "cctv", "--may", "status"), 1, "cctv is there already"),
        (("add", "x", "--may", "acknowledge"), 78, "to acknowledge faults they need a role"),
        (("add", 'Bad "name\n[x]', "--may", "status"), 78, "a name has 1 to 32 lower-case letters"),
        (("add", "x", "--may", "status", "--acl", "nowhere"), 2, "nowhere: No such file"),
        (("add", "x", "--may", "everything"), 2, "'everything' is not one of"),
        (("remove", "x"), 1, "has no subscriber x"),
        (("remove", "cctv", "--acl", "nowhere"), 2, "nowhere: No such file"),
    ],
)
def test_what_is_refused_changes_nothing(config: Path, words: tuple[str, ...], code: int, why: str) -> None:
    assert said(config, "add", "cctv", "--may", "status").exit_code == 0
    before = config.read_bytes()
    refused = said(config, *words)
    assert (refused.exit_code, why in refused.stderr) == (code, True), refused.stderr
    assert config.read_bytes() == before


def test_comment_above_the_next_section_stays_with_it(config: Path) -> None:
    text = config.read_text("utf-8")
    section = '[subscribers.cctv] # ours\nmay = ["status"]\n\n'
    config.write_text(text.replace("[devices.shoe]", f"{section}# the shoe\n[devices.shoe]"), "utf-8")
    assert said(config, "remove", "cctv").exit_code == 0
    assert config.read_text("utf-8") == text.replace("[devices.shoe]", "# the shoe\n[devices.shoe]")


def test_subscriber_without_a_section_is_left_to_a_person(config: Path) -> None:
    config.write_text('subscribers.cctv.may = ["status"]\n' + config.read_text("utf-8"), "utf-8")
    refused = said(config, "remove", "cctv")
    assert (refused.exit_code, "remove them by hand" in refused.stderr) == (78, True)
    assert "cctv" in load(config).subscribers


def test_lines_of_others_in_the_access_list_stay(config: Path, acl: Path) -> None:
    assert said(config, "add", "cctv", "--may", "status").exit_code == 0
    before = acl.read_bytes()
    removed = said(config, "remove", "cctv", "--acl", str(acl))
    assert (removed.exit_code, "has no lines for cctv" in removed.output) == (0, True)
    assert acl.read_bytes() == before


def test_broker_gives_subscribers_what_they_read_only(mosquitto: Path, config: Path, acl: Path, tmp_path: Path) -> None:
    assert said(config, "add", "desk", "--may", "replay", "--reads", "round", "--acl", str(acl)).exit_code == 0
    with private_broker(mosquitto, tmp_path) as broker:
        broker.allow(*acl.read_text("utf-8").split("\n"), "user table", "topic readwrite tablectl/#")
        broker.start()
        at = "tablectl/v1/demo/q-demo"
        topics = [f"{at}/event/card", f"{at}/round/state", f"{at}/event/round", f"{at}/status"]
        publish = f"mosquitto_pub -u table -p {broker.port} -q 1 -m x -t".split()
        for topic in topics:
            subprocess.run([*publish, topic, "-r"], check=True, timeout=PATIENCE_S)
        ask = f"mosquitto_sub -u desk -p {broker.port} -v --retained-only -t tablectl/#".split()
        with subprocess.Popen(ask, stdout=subprocess.PIPE, text=True) as listening:
            while listening.poll() is None:  # the first that isn't retained ends it
                subprocess.run([*publish, topics[-1]], check=True, timeout=PATIENCE_S)
            heard, _ = listening.communicate(timeout=PATIENCE_S)
    assert {line.split()[0] for line in heard.splitlines()} == set(topics[2:])
