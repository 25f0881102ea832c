"""`tablectl schema`, and the page for who subscribes."""

import json
import re
import subprocess
import sys
from pathlib import Path

import tablectl
from tablectl.app.schema import description

PAGE = Path(__file__).parents[2] / "docs" / "mqtt.md"
COMMAND = [sys.executable, "-m", "tablectl", "schema"]


def printed(*arguments: str) -> bytes:
    return subprocess.run([*COMMAND, *arguments], capture_output=True, check=True, timeout=60).stdout


def test_it_prints_the_document_of_this_version() -> None:
    assert json.loads(printed()) == description(tablectl.__version__)
    assert json.loads(printed())["asyncapi"] == "3.0.0"


def test_it_is_json_also_when_that_is_asked_for() -> None:
    assert printed("--json") == printed()


def test_it_prints_a_line_for_each_value_and_texts_as_they_are() -> None:
    assert printed().count(b"\n") > 1000
    assert "與設備的連線中斷".encode() in printed()


def test_another_form_is_refused() -> None:
    refused = subprocess.run([*COMMAND, "--yaml"], capture_output=True, check=False, timeout=60)
    assert refused.returncode == 2
    assert b"--yaml" in refused.stderr
    assert refused.stdout == b""


def test_the_page_lists_every_topic_and_no_other() -> None:
    listed = set(re.findall(r"^\| `([a-z/<>]+)` \|", PAGE.read_text("utf-8"), re.MULTILINE))
    addresses = (channel["address"].partition("{table}/")[2] for channel in description("1")["channels"].values())
    assert listed == {re.sub(r"{(\w+)}", r"<\1>", address) for address in addresses}


def test_the_page_lists_every_type_and_no_other() -> None:
    listed = set(re.findall(r"`([a-z_]+\.[a-z_]+\.v1|status\.v1|health\.v1|board\.v1)`", PAGE.read_text("utf-8")))
    assert listed == {name for name in description("1")["components"]["messages"] if name.endswith(".v1")}
