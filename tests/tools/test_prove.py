"""`tablectl prove` and `tablectl verify`: a round's proof, made beside the table and checked far from it."""

import json
import random
import shutil
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from tablectl.daemon.signing.keys import public_key, signing_key
from tablectl.features.journal.cli import journal
from tablectl.features.rounds.prove import prove
from tablectl.features.rounds.verify import verify
from tablectl.journal.journal import open_journal
from tablectl.journal.reading.rows import Remembered
from tablectl.proof.checkpoint import unsigned_checkpoint
from tablectl.proof.document import read_proof
from tablectl.proof.note import fingerprint, verifier_key
from tests.proof.journals import ORIGIN, Play, go_on, played, sign


@pytest.fixture(name="folder")
def _folder(tmp_path: Path) -> Path:
    played(tmp_path / "state", 4)
    return tmp_path / "state"


def proved(folder: Path, round_id: str = "r2", *options: str | Path) -> Result:
    return CliRunner().invoke(prove, [round_id, "--journal", str(folder), *map(str, options)])


def checked(proof: Path, key: str | Path, *options: str | Path) -> Result:
    return CliRunner().invoke(verify, [str(proof), "--key", str(key), *map(str, options)])


def proof_of(folder: Path, round_id: str = "r2", *options: str | Path) -> Path:
    """The proof in a file, and nothing else beside it."""
    target = folder.parent / f"{round_id}.json"
    target.unlink(missing_ok=True)
    result = proved(folder, round_id, "--to", target, *options)
    assert (result.exit_code, result.output) == (0, "")
    return target


def note_in(folder: Path, note: str) -> Path:
    path = folder.parent / "kept.txt"
    path.write_text(note)
    return path


def test_a_proved_round_is_valid_far_from_the_table(folder: Path) -> None:
    proof, key = proof_of(folder), public_key(folder)
    away = folder.parent / "away"
    away.mkdir()
    shutil.move(proof, away)
    shutil.rmtree(folder)
    result = checked(away / "r2.json", key.fingerprint)
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout.splitlines()[0] == f"{away / 'r2.json'}: valid"
    assert "table       macau/q1, log 0a0b0c0d" in result.stdout
    assert "round       r2, over: events 11 to 19, none left out" in result.stdout
    assert f"checkpoint  of 37 events, signed by {key.fingerprint}" in result.stdout
    assert "kept        no checkpoint was given" in result.stdout
    assert "simulated   yes" in result.stdout


def test_a_valid_proof_is_summed_up_for_a_script(folder: Path) -> None:
    form = json.loads(checked(proof_of(folder), public_key(folder).fingerprint, "--json").stdout)
    assert (form["round_id"], form["first"], form["last"], form["checkpoint"]) == ("r2", 11, 19, 37)
    assert form["ended"]
    assert form["simulated"]


def test_a_proof_goes_to_the_terminal_as_well(folder: Path) -> None:
    assert proved(folder).stdout == proof_of(folder).read_text("utf-8")


def test_the_proof_holds_the_published_bytes(folder: Path) -> None:
    form = json.loads(proved(folder).stdout)
    with closing(open_journal(folder)) as opened:
        events = opened.events_after(10, 9)
    assert [event["payload"].encode() for event in form["events"]] == [event.payload for event in events]


def test_the_key_may_come_in_any_form(folder: Path) -> None:
    proof, key = proof_of(folder), public_key(folder)
    vkey = folder.parent / "vkey"
    vkey.write_text(verifier_key(ORIGIN, key.raw) + "\n")
    forms = (key.fingerprint, key.fingerprint[7:].upper(), key.text, folder / "log.pub", vkey, vkey.read_text())
    for form in forms:
        assert checked(proof, form).exit_code == 0, form


def test_another_key_is_not_valid(folder: Path) -> None:
    result = checked(proof_of(folder), fingerprint(bytes(32)))
    assert (result.exit_code, result.stdout) == (1, "")
    assert "r2.json: not valid: key: " in result.stderr


@pytest.mark.parametrize("key", ["", "sha256:12", "no/such/file", "AAAA", "\0"])
def test_what_is_no_key_is_said_in_a_line(folder: Path, key: str) -> None:
    result = checked(proof_of(folder), key)
    assert (result.exit_code, len(result.stderr.splitlines())) == (2, 1)


def alter(change: Callable[[Any], Any]) -> Callable[[Path], None]:
    def altered(proof: Path) -> None:
        form = json.loads(proof.read_text("utf-8"))
        change(form)
        proof.write_text(json.dumps(form), "utf-8")

    return altered


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (
            lambda form: form["events"][4].update(payload=form["events"][4]["payload"].replace("1201", "1202")),
            "event 15:",
        ),
        (
            lambda form: form["events"][-1].update(payload=form["events"][-1]["payload"].replace("300", "200")),
            "event 19:",
        ),
        (lambda form: form["events"].pop(3), "round r2: event 14 was left out"),
        (lambda form: form["events"].pop(), "round r2: its end was left out"),
        (lambda form: form["events"][0]["inclusion"].reverse(), "event 11:"),
        (lambda form: form.update(round="r3"), "round r3:"),
        (lambda form: form.update(checkpoint=form["checkpoint"].replace("\n37\n", "\n38\n")), "checkpoint:"),
        (lambda form: form.update(origin="tablectl/macau/q2/0a0b0c0d"), "checkpoint:"),
    ],
)
def test_what_is_altered_is_named(folder: Path, change: Callable[[Any], Any], said: str) -> None:
    proof = proof_of(folder)
    alter(change)(proof)
    result = checked(proof, public_key(folder).fingerprint)
    assert (result.exit_code, result.stdout) == (1, "")
    assert said in result.stderr
    assert len(result.stderr.splitlines()) == 1


@pytest.mark.parametrize("content", [b"", b"{}", b"\xff\xfe", b"[[[[", b'{"form": "tablectl-proof/1"}'])
def test_what_is_no_proof_is_said_in_a_line(folder: Path, content: bytes) -> None:
    proof = proof_of(folder)
    proof.write_bytes(content)
    for path in (proof, folder / "nothing", folder):
        result = checked(path, public_key(folder).fingerprint)
        assert (result.exit_code, result.stdout, len(result.stderr.splitlines())) == (2, "", 1)


def test_the_log_continues_a_kept_checkpoint(folder: Path) -> None:
    kept = note_in(folder, sign(folder))
    go_on(folder, rounds=3)
    sign(folder)
    key = public_key(folder).fingerprint
    result = checked(proof_of(folder, "s2", "--checkpoint", kept), key, "--checkpoint", kept)
    assert (result.exit_code, "the log continues the kept checkpoint of 37 events" in result.stdout) == (0, True)
    result = checked(proof_of(folder, "s2"), key, "--checkpoint", kept)
    assert (result.exit_code, "have it made with this checkpoint" in result.stderr) == (1, True)


def test_a_checkpoint_as_a_subscriber_printed_it_is_read(folder: Path) -> None:
    note = sign(folder)
    for text in (f"{note}\n", note.removesuffix("\n"), note.replace("\n", "\r\n")):
        kept = note_in(folder, text)
        proof = proof_of(folder, "r2", "--checkpoint", kept)
        assert checked(proof, public_key(folder).fingerprint, "--checkpoint", kept).exit_code == 0


def test_log_that_was_rewritten_or_rolled_back_is_not_proved(folder: Path) -> None:
    older = Path(shutil.copytree(folder, folder.parent / "older"))
    go_on(folder)
    kept = note_in(folder, sign(folder))
    result = proved(older, "r2", "--checkpoint", kept)
    assert (result.exit_code, "rolled back" in result.stderr) == (1, True)
    go_on(older, rounds=0, correct="r1")
    go_on(older, rounds=2)
    result = proved(older, "r2", "--checkpoint", kept)
    assert (result.exit_code, "rewritten" in result.stderr) == (1, True)
    result = checked(proof_of(older, "s2"), public_key(folder).fingerprint, "--checkpoint", kept)
    assert result.exit_code == 1
    assert "kept checkpoint: " in result.stderr


def test_the_last_signed_checkpoint_does_where_it_covers_the_round(folder: Path) -> None:
    with closing(open_journal(folder)) as opened:
        note = opened.meta(Remembered.CHECKPOINT)
    (folder / "log.key").unlink()
    go_on(folder)
    assert json.loads(proof_of(folder).read_text("utf-8"))["checkpoint"] == note
    result = proved(folder, "s1")
    assert result.exit_code == 1
    assert "no signed checkpoint covers event 46 yet" in result.stderr


def test_a_round_after_the_last_checkpoint_is_signed_anew(folder: Path) -> None:
    go_on(folder)
    proof = proof_of(folder, "s1")
    assert unsigned_checkpoint(json.loads(proof.read_text("utf-8"))["checkpoint"]).size == 46
    assert checked(proof, public_key(folder).fingerprint).exit_code == 0


def test_a_broken_journal_is_not_signed(folder: Path) -> None:
    go_on(folder)
    with closing(open_journal(folder)) as opened:
        opened._connection.execute("UPDATE record SET body = x'00' WHERE number = 40")
    result = proved(folder, "s1")
    assert (result.exit_code, result.stdout) == (1, "")
    assert "the journal is broken: record 40 isn't what was written" in result.stderr
    assert proved(folder, "r2").exit_code == 0  # the last checkpoint covers it


def test_a_correction_belongs_to_its_rounds_proof(folder: Path) -> None:
    go_on(folder, correct="r2")
    result = checked(proof_of(folder), public_key(folder).fingerprint)
    assert (result.exit_code, "after it    1 more about it" in result.stdout) == (0, True)


def test_the_round_under_way_is_proved_up_to_now(folder: Path) -> None:
    with closing(open_journal(folder)) as opened:
        play = Play(opened, record=opened.last_record, sequence=opened.last_sequence)
        play.round("now", over=False)
        result = checked(proof_of(folder, "now"), public_key(folder).fingerprint)
        assert result.exit_code == 0
        assert "round       now, not over yet: events 38 to 44" in result.stdout


def test_a_pruned_journal_proves_the_rounds_it_keeps(tmp_path: Path) -> None:
    folder = tmp_path / "state"
    played(folder, 40)
    kept = note_in(folder, sign(folder))
    before = proved(folder, "r35").stdout
    assert CliRunner().invoke(journal, ["prune", str(folder), "--before", "2999-01-01"]).exit_code == 0
    assert proved(folder, "r35").stdout == before
    proof = proof_of(folder, "r35", "--checkpoint", kept)
    assert checked(proof, public_key(folder).fingerprint, "--checkpoint", kept).exit_code == 0
    result = proved(folder, "r2")
    assert (result.exit_code, result.stderr) == (
        1,
        "tablectl prove: the journal has no round r2; the events up to 253 were pruned\n",
    )


@pytest.mark.parametrize("round_id", ["r", "r9", "", "%", '","', "\udcff"])
def test_a_round_that_is_not_there_is_said(folder: Path, round_id: str) -> None:
    result = proved(folder, round_id)
    assert (result.exit_code, result.stdout) == (1, "")
    assert "the journal has no round" in result.stderr


def test_journal_that_does_not_continue_its_own_checkpoint_proves_nothing(folder: Path) -> None:
    with closing(open_journal(folder)) as opened:
        opened._connection.execute("UPDATE event SET payload = CAST('{}' AS BLOB) WHERE sequence = 37")
    result = proved(folder)
    assert result.exit_code == 1
    assert "doesn't continue its last checkpoint" in result.stderr


def test_what_can_not_be_read_is_said_in_a_line(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    binary = tmp_path / "binary"
    binary.write_bytes(b"\xff")
    for result in (
        proved(tmp_path / "empty"),
        proved(folder, "r2", "--checkpoint", tmp_path / "nothing"),
        proved(folder, "r2", "--checkpoint", binary),
        proved(folder, "r2", "--to", folder / "journal.db"),
        CliRunner().invoke(prove, ["r2", "--config", str(tmp_path / "nothing.toml")]),
    ):
        assert (result.exit_code, result.stdout, len(result.stderr.splitlines())) == (2, "", 1)
    assert CliRunner().invoke(prove, ["r2"]).exit_code == 2


def test_proof_from_a_configuration_is_that_of_its_state_folder(folder: Path, tmp_path: Path) -> None:
    demo = Path(__file__).parents[2] / "config" / "tables" / "q-poker.demo.toml"
    config = tmp_path / "table.toml"
    config.write_text(f'{demo.read_text("utf-8")}\n[paths]\nstate = "{folder}"\n', "utf-8")
    result = CliRunner().invoke(prove, ["r2", "--config", str(config)])
    assert result.stdout == proved(folder).stdout


def test_the_key_files_must_be_a_pair(folder: Path, tmp_path: Path) -> None:
    assert signing_key(folder).public == public_key(folder).raw
    assert "sign" not in repr(signing_key(folder)).replace("Signer", "")
    played(tmp_path / "other", 1)
    shutil.copy(tmp_path / "other" / "log.pub", folder)
    with pytest.raises(ValueError, match="are not a pair"):
        signing_key(folder)


def test_lost_public_key_is_made_again_from_the_private_one(folder: Path) -> None:
    before = public_key(folder)
    (folder / "log.pub").unlink()
    assert public_key(folder) == before


@pytest.mark.parametrize(
    "content", [b"", b"\xff", b"AAAA", b"-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n"]
)
def test_a_damaged_key_is_said(folder: Path, content: bytes) -> None:
    (folder / "log.key").write_bytes(content)
    with pytest.raises(ValueError, match="not an Ed25519 private key"):
        signing_key(folder)
    (folder / "log.pub").write_bytes(content)
    with pytest.raises(ValueError, match="not an Ed25519 public key"):
        public_key(folder)


def test_a_checkpoint_is_kept_with_the_journal(folder: Path) -> None:
    with closing(open_journal(folder)) as opened:
        opened.remember(Remembered.PUBLISHED, "37")
        note = opened.signed_checkpoint(ORIGIN, signing_key(folder))
        assert opened.meta(Remembered.CHECKPOINT) == note
        checkpoint = unsigned_checkpoint(note)
        assert checkpoint.root == opened.root(checkpoint.size)
        with pytest.raises(ValueError, match="is not one of the"):
            opened.root(checkpoint.size + 1)


def test_proof_with_a_changed_byte_is_invalid_or_equivalent(folder: Path) -> None:
    proof, key = proof_of(folder), public_key(folder).fingerprint
    content = proof.read_bytes()
    original = read_proof(content)
    chance = random.Random(7)
    refused = 0
    for _ in range(400):
        at = chance.randrange(len(content))
        proof.write_bytes(content[:at] + bytes([content[at] ^ 1 << chance.randrange(8)]) + content[at + 1 :])
        result = checked(proof, key)
        assert result.exit_code in {0, 1, 2}
        assert result.exception is None or isinstance(result.exception, SystemExit)
        assert result.exit_code or read_proof(proof.read_bytes()) == original
        assert len(result.stderr.splitlines()) == (1 if result.exit_code else 0)
        refused += result.exit_code != 0
    assert refused > 350


def test_no_damage_to_the_journal_is_more_than_a_line(folder: Path) -> None:
    path, proof, key = folder / "journal.db", folder.parent / "proof.json", public_key(folder).fingerprint
    content = path.read_bytes()
    chance = random.Random(11)
    failed = 0
    for _ in range(120):
        spoilt = bytearray(content)
        at = chance.randrange(len(spoilt))
        spoilt[at : at + 60] = chance.randbytes(min(60, len(spoilt) - at))
        path.write_bytes(spoilt)
        result = proved(folder)
        assert result.exit_code in {0, 1, 2}
        assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
        assert len(result.stderr.splitlines()) == (1 if result.exit_code else 0)
        failed += result.exit_code != 0
        if result.exit_code == 0:
            proof.write_text(result.stdout, "utf-8")
            assert checked(proof, key).exit_code == 0
    assert failed > 10
