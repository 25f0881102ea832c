"""`tablectl dev schema`, and the page for who subscribes."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

import tablectl
from tablectl.daemon.asyncapi import description
from tests.support.asyncapi import validator
from tests.support.demo import PLAIN, Keeper, evening
from tests.support.patience import PATIENCE_S
from tests.support.warm import tablectl_path

PAGE = Path(__file__).parents[2] / "docs" / "mqtt.md"


@pytest.fixture(name="collected")
def _collected(run_folder: Path, mosquitto: Path) -> Keeper:
    return evening(run_folder, PLAIN).keeper


def checkpoint_of(collected: Keeper) -> bytes:
    """The last checkpoint."""
    return [payload for topic, payload in collected.messages if topic.endswith("/checkpoint")][-1]


def run_script(name: str, folder: Path, *arguments: str, given: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    """Runs a script as it stands on the page."""
    scripts = re.findall(r"```python\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
    (text,) = [script for script in scripts if script.startswith(f"# {name}:")]
    (folder / name).write_text(text, "utf-8")
    command = [sys.executable, name, *arguments]
    return subprocess.run(command, input=given, cwd=folder, capture_output=True, check=False, timeout=PATIENCE_S)


def complete(folder: Path, events: list[bytes], checkpoint: bytes) -> subprocess.CompletedProcess[bytes]:
    (folder / "events.jsonl").write_bytes(b"".join(event + b"\n" for event in events))
    (folder / "checkpoint.txt").write_bytes(checkpoint)
    return run_script("complete.py", folder, "events.jsonl", "checkpoint.txt")


def printed(*arguments: str) -> bytes:
    return subprocess.run(
        [tablectl_path(), "schema", *arguments], capture_output=True, check=True, timeout=PATIENCE_S
    ).stdout


def test_it_prints_the_document_of_this_version() -> None:
    assert json.loads(printed()) == description(tablectl.__version__)
    assert json.loads(printed())["asyncapi"] == "3.0.0"


def test_it_is_json_also_when_that_is_asked_for() -> None:
    assert printed("--json") == printed()


def test_values_are_printed_line_by_line_and_texts_unchanged() -> None:
    assert printed().count(b"\n") > 1000
    assert "與設備的連線中斷".encode() in printed()


def test_another_form_is_refused() -> None:
    refused = subprocess.run(
        [tablectl_path(), "schema", "--yaml"], capture_output=True, check=False, timeout=PATIENCE_S
    )
    assert refused.returncode == 2
    assert b"--yaml" in refused.stderr
    assert refused.stdout == b""


def test_the_page_lists_every_topic_and_no_other() -> None:
    _, _, after = PAGE.read_text("utf-8").partition("## Topics")
    listed = set(re.findall(r"^\| `([a-z/<>]+)` \|", after.partition("## ")[0], re.MULTILINE))
    addresses = (channel["address"].partition("{table}/")[2] for channel in description("1")["channels"].values())
    assert listed == {re.sub(r"{(\w+)}", r"<\1>", address) for address in addresses}


def test_the_page_lists_every_type_and_no_other() -> None:
    listed = set(
        re.findall(r"`([a-z_]+\.[a-z_]+\.v1|status\.v1|health\.v1|board\.v1|fairness\.v1)`", PAGE.read_text("utf-8"))
    )
    assert listed == {name for name in description("1")["components"]["messages"] if name.endswith(".v1")}


def test_the_page_s_example_is_a_message_of_the_contract() -> None:
    (example,) = re.findall(r"```json\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
    assert [error.message for error in validator("bet.placed.v1").iter_errors(json.loads(example))] == []


@pytest.mark.slow
def test_the_page_s_script_finds_a_feed_complete(collected: Keeper, tmp_path: Path) -> None:
    done = complete(tmp_path, collected.payloads, checkpoint_of(collected))
    size = checkpoint_of(collected).split(b"\n")[1]
    assert done.stdout == b"complete from 1 to %s; the checkpoint agrees\n" % size, done.stderr
    assert done.returncode == 0


@pytest.mark.slow
def test_the_page_s_script_finds_what_is_missing_or_changed(collected: Keeper, tmp_path: Path) -> None:
    events = collected.payloads
    lacking = complete(tmp_path, [*events[:4], *events[5:]], checkpoint_of(collected))
    assert (lacking.returncode, lacking.stderr) == (1, b"missing: 0000000000000005\n")
    first = events[0].replace(b'"simulated":true', b'"simulated":false')
    changed = complete(tmp_path, [first, *events[1:]], checkpoint_of(collected))
    assert (changed.returncode, changed.stderr) == (1, b"the events aren't those of the checkpoint\n")


@pytest.mark.slow
def test_the_page_s_script_validates_a_feed(collected: Keeper, tmp_path: Path) -> None:
    (tmp_path / "asyncapi.json").write_bytes(printed())
    events = collected.payloads
    assert run_script("validate.py", tmp_path, given=b"\n".join(events)).stdout == b""
    wrong = events[0].replace(b'"sequence":"0', b'"sequence":"x')
    assert b"$.sequence" in run_script("validate.py", tmp_path, given=wrong).stdout
