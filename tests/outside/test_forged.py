"""Forged proofs and cases of a table's log, as somebody makes them who has the genuine ones and no key."""

import base64
import hashlib
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.outside.table import Subscriber, Table, merkle_root, until

Form = dict[str, Any]


def kept(table: Table, seen: Subscriber) -> tuple[str, str]:
    """A table that has played two rounds and stopped: the first round's id, and the key's fingerprint."""
    table.start()
    table.play()
    table.play()
    until(lambda: len(seen.of_type("round.void.v1")) == 2 and seen.is_proved())
    info = next(json.loads(payload) for topic, payload, _ in seen.messages if topic == "meta/info" and payload)
    table.stop()
    return str(seen.of_type("round.void.v1")[0]["data"]["round_id"]), str(info["data"]["fingerprint"])


def rewritten(form: Form, nth: int, old: str, new: str) -> None:
    event = form["events"][nth]
    assert old in event["payload"]
    event["payload"] = event["payload"].replace(old, new)


def of_own_tree(form: Form) -> None:
    """A tree over other events, whose root stands in the genuine checkpoint's place."""
    rewritten(form, 1, '"100.00"', '"900.00"')
    leaves = [each["payload"].encode() for each in form["events"]]
    lines = form["checkpoint"].split("\n")
    lines[1:3] = [str(len(leaves)), base64.b64encode(merkle_root(leaves)).decode()]
    form["checkpoint"] = "\n".join(lines)
    for nth, each in enumerate(form["events"]):
        beside = [leaf(each) for each in leaves]
        each.update(sequence=nth + 1, inclusion=path(nth, beside))


def leaf(data: bytes) -> bytes:
    return hashlib.sha256(b"\0" + data).digest()


def node(hashes: list[bytes]) -> bytes:
    """The root over these leaves' hashes (RFC 6962, 2.1)."""
    if len(hashes) == 1:
        return hashes[0]
    half = 1 << (len(hashes) - 1).bit_length() - 1
    return hashlib.sha256(b"\1" + node(hashes[:half]) + node(hashes[half:])).digest()


def path(nth: int, hashes: list[bytes]) -> list[str]:
    """What lies beside a leaf's way to the root (RFC 6962, 2.1.1)."""
    if len(hashes) == 1:
        return []
    half = 1 << (len(hashes) - 1).bit_length() - 1
    if nth < half:
        return [*path(nth, hashes[:half]), base64.b64encode(node(hashes[half:])).decode()]
    return [*path(nth - half, hashes[half:]), base64.b64encode(node(hashes[:half])).decode()]


PROOFS: dict[str, Callable[[Form], object]] = {
    "another stake": lambda form: rewritten(form, 1, '"100.00"', '"900.00"'),
    "another bettor": lambda form: rewritten(form, 1, '"Ho"', '"Lo"'),
    "an event left out": lambda form: form["events"].pop(1),
    "the end left out": lambda form: form["events"].pop(),
    "two events exchanged": lambda form: form["events"].reverse(),
    "an event twice": lambda form: form["events"].insert(1, form["events"][1]),
    "of another round": lambda form: form.update(round=form["round"][:-1] + "2"),
    "no signature": lambda form: form.update(checkpoint=form["checkpoint"].split("\n\n")[0] + "\n"),
    "a tree of its own": of_own_tree,
    "another key": lambda form: form.update(public_key=base64.b64encode(bytes([1, *bytes(31)])).decode()),
}


def test_no_forged_proof_of_a_round_is_believed(table: Table, seen: Subscriber, tmp_path: Path) -> None:
    round_id, key = kept(table, seen)
    genuine = tmp_path / "genuine.json"
    made = table.tool("prove", round_id, "--to", str(genuine))
    assert made.returncode == 0, made.stderr
    good = table.command("verify", str(genuine), "--key", key)
    assert good.returncode == 0, good.stderr
    for name, forge in PROOFS.items():
        form = json.loads(genuine.read_text())
        forge(form)
        forged = tmp_path / "forged.json"
        forged.write_text(json.dumps(form))
        assert forged.read_text() != genuine.read_text(), name
        said = table.command("verify", str(forged), "--key", key)
        assert said.returncode not in {0, None}, (name, said.stdout)
        assert "Traceback" not in said.stderr, (name, said.stderr)


def event_changed(case: Path) -> None:
    events = case / "events.jsonl"
    events.write_bytes(events.read_bytes().replace(b'"100.00"', b'"900.00"'))


def line_removed(case: Path) -> None:
    lines = (case / "events.jsonl").read_bytes().splitlines(keepends=True)
    (case / "events.jsonl").write_bytes(b"".join(lines[:2] + lines[3:]))


def proof_exchanged(case: Path) -> None:
    first, second = sorted((case / "proofs").iterdir())[:2]
    first.write_bytes(second.read_bytes())


def unproved(case: Path) -> None:
    for name in ("checkpoint.txt", "inclusion.json"):
        (case / name).unlink()


CASES: dict[str, Callable[[Path], object]] = {
    "an event changed": event_changed,
    "an event left out": line_removed,
    "nothing proves it": unproved,
    "a round without its proof": lambda case: next((case / "proofs").iterdir()).unlink(),
    "the proof of another round": proof_exchanged,
    "a page changed": lambda case: (case / "index.html").write_text("<p>won"),
    "a fact changed": lambda case: (case / "facts.jsonl").write_text("{}\n"),
    "not signed": lambda case: (case / "manifest.note").unlink(),
    "a file that repaints": lambda case: (case / "a\x1b[2J").write_text("case: whole"),
}


@pytest.mark.parametrize("seals", [False, True], ids=["as it is", "under a manifest that fits"])
def test_no_forged_case_is_whole_under_the_logs_key(
    table: Table, seen: Subscriber, tmp_path: Path, *, seals: bool
) -> None:
    round_id, key = kept(table, seen)
    genuine = tmp_path / "genuine"
    made = table.tool("case", round_id, "--to", str(genuine))
    assert made.returncode == 0, made.stderr
    assert table.command("case", "verify", str(genuine), "--key", key).returncode == 0
    for name, forge in CASES.items():
        forged = Path(shutil.copytree(genuine, tmp_path / "forged"))
        forge(forged)
        if seals:
            seal(forged)
        said = table.command("case", "verify", str(forged), "--key", key)
        assert said.returncode == 1, (name, said.stdout)
        assert (said.stdout, len(said.stderr.splitlines())) == ("", 1), (name, said.stderr)
        assert "\x1b" not in said.stderr
        shutil.rmtree(forged)


def seal(case: Path) -> None:
    """A manifest that fits the files as they are now."""
    form = json.loads((case / "manifest.json").read_text())
    left = [each for each in case.rglob("*") if each.is_file() and not each.name.startswith("manifest.")]
    form["files"] = {
        each.relative_to(case).as_posix(): {"sha256": hashlib.sha256(each.read_bytes()).hexdigest()} for each in left
    }
    (case / "manifest.json").write_text(json.dumps(form))


HOSTILE = {
    "nested without end": b"[" * 200_000,
    "nested within": b'{"events":' + b"[" * 200_000 + b"]" * 200_000 + b"}",
    "half a surrogate pair": b'{"round":"\\ud800","events":[{"payload":"\\udfff"}],"checkpoint":"\\ud800"}',
    "a number without end": b'{"round":' + b"9" * 100_000 + b"}",
    "what repaints": '{"round":"\x1b[2J\N{RIGHT-TO-LEFT OVERRIDE}whole\r","events":[],"checkpoint":"\x07"}'.encode(),
    "no text": bytes(range(256)),
    "nothing": b"",
}


@pytest.mark.parametrize("content", HOSTILE.values(), ids=HOSTILE)
def test_hostile_file_is_refused_in_one_plain_line(table: Table, tmp_path: Path, content: bytes) -> None:
    key = base64.b64encode(hashlib.sha256(b"somebody").digest()).decode()
    proof, case = tmp_path / "proof\x1b[2J.json", tmp_path / "case\r\x1b[1A"
    case.mkdir()
    for file in (proof, case / "manifest.json", case / "manifest.note"):
        file.write_bytes(content)
    for words in (("verify", str(proof)), ("case", "verify", str(case)), ("restore", "--checkpoint", str(proof))):
        own = ("--config", str(table.config)) if "restore" in words else ("--key", key)
        said = table.command(*words, *own)
        assert said.returncode in {1, 2}, (words, said)
        assert (said.stdout, len(said.stderr.splitlines())) == ("", 1), (words, said)
        assert said.stderr.rstrip("\n").isprintable(), (words, said)
