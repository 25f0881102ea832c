"""`tablectl case` by a cosigned checkpoint: every event and proof of a whole case lies under it."""

from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from tablectl.core.facts import Bookmarked
from tablectl.daemon.signing.keys import public_key, signing_key
from tablectl.features.case.cli import case
from tablectl.history.prove import make_proof
from tablectl.journal.reading.reader import open_reader
from tablectl.proof.checkpoint import sign_checkpoint
from tablectl.proof.cosignature import cosign, witness_key
from tablectl.proof.document import write_proof
from tablectl.proof.note import read_note
from tests.proof.keys import signer
from tests.support.kept import Kept, played
from tests.tools.cases import check, make, read, seal

WITNESS = signer(bytes(32))


def cosigned(folder: Path, target: Path) -> None:
    """A checkpoint of the whole journal that the witness has cosigned, and the policy that wants its signature."""
    with closing(open_reader(folder)) as reader:
        note = sign_checkpoint(reader.checkpoint(), signing_key(folder))
    (target / "cosigned.txt").write_text(note + cosign(read_note(note).text, "w.example/1", WITNESS, 1_790_000_000))
    (target / "policy.txt").write_text(f"witness w {witness_key('w.example/1', WITNESS.public)}\nquorum w\n")


def test_case_made_by_a_cosigned_checkpoint_is_whole_under_policy(tmp_path: Path) -> None:
    folder = tmp_path / "state"
    _, round_id = played(folder, 2)
    cosigned(folder, tmp_path)
    made = make(folder, round_id, "--checkpoint", str(tmp_path / "cosigned.txt"))
    assert made.exit_code == 0, made.stderr
    options = ("--key", public_key(folder).fingerprint, "--policy", str(tmp_path / "policy.txt"))
    result = check(folder, *options)
    assert (result.exit_code, "cosigned by w" in result.stdout) == (0, True), result.stderr
    (tmp_path / "case" / "checkpoint.txt").write_text(read(folder, "checkpoint.txt").rpartition("\n— ")[0] + "\n")
    seal(folder, signed=True)
    result = check(folder, *options)
    assert (result.exit_code, "cosigned by none of them: not enough" in result.stderr) == (1, True)


def test_a_proof_by_another_checkpoint_is_not_under_the_policy(kept: Kept) -> None:
    round_id = kept.play()
    kept.keep()
    home = kept.folder.parent
    cosigned(kept.folder, home)
    assert make(kept.folder, round_id, "--checkpoint", str(home / "cosigned.txt")).exit_code == 0
    kept.tell(Bookmarked("later"), by="mei")
    with closing(open_reader(kept.folder)) as reader:
        newer = sign_checkpoint(reader.checkpoint(), signing_key(kept.folder))
        proof = make_proof(reader, round_id, None, under=newer)
    (home / "case" / "proofs" / f"{round_id}.json").write_text(write_proof(proof))
    seal(kept.folder, signed=True)
    key = ("--key", public_key(kept.folder).fingerprint)
    assert check(kept.folder, *key).exit_code == 0
    result = check(kept.folder, *key, "--policy", str(home / "policy.txt"))
    assert (result.exit_code, f"proofs/{round_id}.json: kept checkpoint" in result.stderr) == (1, True)


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (lambda kept: kept.tell(Bookmarked("later"), by="mei"), "are needed: take a newer one"),
        (lambda kept: None, ""),
    ],
)
def test_a_checkpoint_older_than_the_case_is_refused(kept: Kept, spoil: Callable[[Kept], Any], said: str) -> None:
    kept.play()
    kept.keep()
    cosigned(kept.folder, kept.folder.parent)
    spoil(kept)
    last = f"event:{kept.journal.last_sequence}"
    result = make(kept.folder, last, "--checkpoint", str(kept.folder.parent / "cosigned.txt"))
    assert (result.exit_code, said in result.stderr) == (bool(said), True)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("verify", "case", "--policy", "p"), "--policy needs --key"),
        (("verify", "case", "--key", "k", "--checkpoint", "c"), "--checkpoint is for making a case"),
        (("17", "--to", "case", "--policy", "p"), "--key and --policy are for case verify"),
    ],
)
def test_an_option_that_would_do_nothing_is_refused(words: tuple[str, ...], said: str) -> None:
    result = CliRunner().invoke(case, words)
    assert (result.exit_code, said in result.stderr) == (2, True)


@pytest.mark.parametrize(
    ("content", "lang", "said"),
    [
        ("witness w", "en", "line 1 of the policy: not a line of a policy"),
        ("", "pt", "não serve de política: a política não tem quórum"),
        ("group g 3 w", "zh-Hant", "政策第 1 行："),
    ],
)
def test_what_is_no_policy_is_said_with_its_line(tmp_path: Path, content: str, lang: str, said: str) -> None:
    played(tmp_path / "state", 1)
    (tmp_path / "policy.txt").write_text(content)
    key = public_key(tmp_path / "state").fingerprint
    result = check(tmp_path / "state", "--key", key, "--policy", str(tmp_path / "policy.txt"), "--lang", lang)
    assert (result.exit_code, said in result.stderr) == (2, True), result.stderr
