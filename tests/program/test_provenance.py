"""`scripts/provenance.py`: what is stated of a built file, and that nothing else passes for it."""

import base64
import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from scripts import provenance
from scripts.provenance import ProvenanceError, checked, commit_of, encoded, envelope, statement
from tablectl.daemon.signing.keys import read_signing_key
from tablectl.proof.note import Signer, verifier_key

COMMIT = "0123456789abcdef0123456789abcdef01234567"


@pytest.fixture(name="key")
def _key(tmp_path: Path) -> Path:
    made = Ed25519PrivateKey.generate().private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    (tmp_path / "release.pem").write_bytes(made)
    return tmp_path / "release.pem"


@pytest.fixture(name="signer")
def _signer(key: Path) -> Signer:
    return read_signing_key(key)


@pytest.fixture(name="built")
def _built(tmp_path: Path) -> Path:
    (tmp_path / "tablectl_0.1.0_amd64.deb").write_bytes(b"package")
    return tmp_path / "tablectl_0.1.0_amd64.deb"


def test_what_is_signed_is_that_of_the_specification() -> None:
    # The example of the DSSE specification, protocol.md.
    assert encoded("http://example.com/HelloWorld", b"hello world") == (
        b"DSSEv1 29 http://example.com/HelloWorld 11 hello world"
    )


def test_provenance_names_file_commit_and_pinned_dependencies(built: Path, signer: Signer) -> None:
    written = json.dumps(envelope(statement(built, COMMIT), signer))
    stated = checked(built, written, signer.public)
    assert stated["subject"][0]["name"] == built.name
    used = stated["predicate"]["buildDefinition"]["resolvedDependencies"]
    assert used[0] == {"name": "source", "digest": {"gitCommit": COMMIT}}
    assert [each["name"] for each in used[1:]] == ["requirements/package.txt", "requirements/build.txt"]
    assert json.dumps(envelope(statement(built, COMMIT), signer)) == written


def test_nothing_else_passes_for_it(built: Path, signer: Signer) -> None:
    good = envelope(statement(built, COMMIT), signer)
    other = {**statement(built, COMMIT), "_type": "https://example.com/other"}
    forged = base64.b64encode(base64.b64decode(good["payload"]).replace(b"0123", b"9123", 1)).decode()
    wrong: dict[str, Any] = {
        "this key didn't sign it": {**good, "payload": forged},
        "this key didn't sign": {**good, "signatures": []},
        "it is a statement of another kind": envelope(other, signer),
        "that is no provenance": {"payload": 1},
    }
    for why, form in wrong.items():
        with pytest.raises(ProvenanceError, match=why):
            checked(built, json.dumps(form), signer.public)
    stranger = bytes(Ed25519PrivateKey.generate().public_key().public_bytes_raw())
    with pytest.raises(ProvenanceError, match="this key didn't sign it"):
        checked(built, json.dumps(good), stranger)
    built.write_bytes(b"another package")
    with pytest.raises(ProvenanceError, match="about another file"):
        checked(built, json.dumps(good), signer.public)


def test_a_checkout_with_changes_gives_none(tmp_path: Path) -> None:
    def git(*words: str) -> None:
        subprocess.run(["git", "-c", "user.name=t", "-c", "user.email=t@localhost", *words], cwd=tmp_path, check=True)

    git("init", "-q")
    (tmp_path / "code").write_text("one\n")
    git("add", "code")
    git("commit", "-q", "-m", "one")
    assert len(commit_of(tmp_path)) == 40
    (tmp_path / "code").write_text("two\n")
    with pytest.raises(ProvenanceError, match="in no commit"):
        commit_of(tmp_path)


def test_the_command_writes_and_checks(
    built: Path, key: Path, signer: Signer, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("RELEASE_KEY", str(key))
    assert provenance.main(["--commit", COMMIT, str(built)]) == 0
    published = verifier_key("tablectl-release", signer.public)
    assert provenance.main(["--check", published, str(built)]) == 0
    assert f"built of commit {COMMIT}" in capsys.readouterr().out
    built.write_bytes(b"another package")
    assert provenance.main(["--check", published, str(built)]) == 1
