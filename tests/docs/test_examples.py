"""The programs in `examples/` do what their page says: read a table's rounds, and verify its proofs."""

import base64
import hashlib
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any, Final

import pytest
import yaml

from tablectl.mqtt.schema.channels import channels
from tests.support.broker import private_broker
from tests.support.demo import PLAIN, evening
from tests.support.patience import LONG_PATIENCE_S
from tests.support.warm import tablectl_path

EXAMPLES: Final = Path(__file__).parents[2] / "examples"
ROUNDS: Final = 2
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module", name="proof")
def _proof(tmp_path_factory: pytest.TempPathFactory, run_folder: Path, mosquitto: Path) -> Path:
    """The proof of a demonstration's first round."""
    path = tmp_path_factory.mktemp("proved") / "round-1.json"
    words = ("prove", "1", "--journal", str(evening(run_folder, PLAIN).folder / "state"), "--to", str(path))
    subprocess.run([tablectl_path(), *words], check=True, capture_output=True)
    return path


def verified(path: Path, fingerprint: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(EXAMPLES / "verify_proof.py"), str(path), fingerprint]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def fingerprint_of(proof: Path) -> str:
    key = base64.b64decode(json.loads(proof.read_text("utf-8"))["public_key"])
    return f"sha256:{hashlib.sha256(key).hexdigest()}"


def test_a_proof_is_verified_without_tablectl(proof: Path) -> None:
    done = verified(proof, fingerprint_of(proof))
    assert (done.returncode, done.stderr) == (0, "")
    assert re.fullmatch(
        r"round \S+-000001: \d+ events are in the log \S+ of \d+; it ended with round\.paid\.v1\n", done.stdout
    )


@pytest.mark.parametrize("damage", ["event", "left out", "checkpoint", "key"])
def test_a_damaged_proof_is_refused(proof: Path, tmp_path: Path, damage: str) -> None:
    form: dict[str, Any] = json.loads(proof.read_text("utf-8"))
    fingerprint = fingerprint_of(proof)
    match damage:
        case "event":
            form["events"][1]["payload"] = form["events"][1]["payload"].replace("simulated", "Simulated", 1)
        case "left out":
            del form["events"][1]
        case "checkpoint":
            form["checkpoint"] = form["checkpoint"].replace("\n", "\n1", 1)
        case _:
            fingerprint = f"sha256:{'0' * 64}"
    changed = tmp_path / "changed.json"
    changed.write_text(json.dumps(form), "utf-8")
    done = verified(changed, fingerprint)
    assert (done.returncode, done.stdout) == (1, "")
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("name", ["consumer_paho.py", "consumer_aiomqtt.py"])
def test_a_consumer_prints_how_each_round_ended(name: str, mosquitto: Path, tmp_path: Path) -> None:
    with private_broker(mosquitto, tmp_path) as broker:
        broker.start()
        command = [sys.executable, str(EXAMPLES / name), "127.0.0.1", str(broker.port), "demo/+"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as consumer:
            assert consumer.stdout is not None
            assert consumer.stderr is not None
            try:
                assert consumer.stderr.readline() == "listening\n"
                words = ("--rounds", str(ROUNDS), "--speed", "0", "--seed", "7", "--irregular", "0")
                demo = [tablectl_path(), "demo", *words, "--broker", broker.url]
                subprocess.run(demo, capture_output=True, check=True, timeout=LONG_PATIENCE_S)
                lines = [consumer.stdout.readline() for _ in range(ROUNDS)]
            finally:
                consumer.kill()
    assert [re.fullmatch(r"\d{16} round\.settled \S+-(\d{6})\n", line)[1] for line in lines] == ["000001", "000002"]  # type: ignore[index]


def test_the_example_for_node_is_sound() -> None:
    """Only its syntax: the package `mqtt` isn't installed here."""
    node = shutil.which("node")
    assert node, "nodejs is missing: `make test` installs it"
    subprocess.run([node, "--check", str(EXAMPLES / "consumer.mjs")], check=True, capture_output=True)


def topics(form: object) -> set[str]:
    """Every topic of a table in a configuration."""
    return set(re.findall(r"tablectl/v1/macau/q1/([\w/]+)", json.dumps(form)))


def test_topics_of_the_examples_are_a_tables() -> None:
    known = {channel.topic for channel in channels()}
    home: Any = yaml.safe_load((EXAMPLES / "home_assistant.yaml").read_text("utf-8"))
    flow: Any = json.loads((EXAMPLES / "node_red.json").read_text("utf-8"))
    assert len(home["mqtt"]["sensor"]) == len({each["unique_id"] for each in home["mqtt"]["sensor"]})
    assert topics(home) == {"status", "round/phase", "event/fault"}
    assert topics(flow) == {"event/round"}
    assert topics(home) | topics(flow) <= known
    ids = {node["id"] for node in flow}
    assert {target for node in flow for wires in node.get("wires", ()) for target in wires} <= ids


def test_each_example_is_named_on_its_page() -> None:
    page = (EXAMPLES / "README.md").read_text("utf-8")
    files = {path.name for path in EXAMPLES.iterdir() if path.is_file()} - {"README.md"}
    assert set(re.findall(r"^\| `(\S+)`", page, re.MULTILINE)) == files
