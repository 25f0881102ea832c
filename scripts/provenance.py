"""Write in-toto provenance of built files, or check it.

`python -m scripts.provenance FILE …` writes `FILE.intoto.json` beside each: a DSSE envelope with an in-toto statement
in the form of SLSA 1.0, signed by the key that RELEASE_KEY names. It says of which commit and which pinned
dependencies the file was built. `--check KEY` checks such files against the published release key.

Sources: in-toto Attestation Framework 1.0 (Statement, DSSE); SLSA 1.0 (Provenance).
"""

import argparse
import base64
import hashlib
import json
import os
import platform
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from tablectl.daemon.signing.keys import read_signing_key
from tablectl.proof.note import Signer, fingerprint, is_signed, read_verifier_key

TOP: Final = Path(__file__).resolve().parent.parent
TYPE: Final = "application/vnd.in-toto+json"
STATEMENT: Final = "https://in-toto.io/Statement/v1"
PREDICATE: Final = "https://slsa.dev/provenance/v1"
BUILD: Final = "urn:tablectl:make-deb:1"
BUILDER: Final = "urn:tablectl:release-machine"
PINNED: Final = ("requirements/package.txt", "requirements/build.txt")
"""Files that pin what a build uses, each by its hash."""


class ProvenanceError(ValueError):
    """No provenance can be given, or it isn't what it should be: why."""


def statement(file: Path, commit: str, top: Path = TOP) -> Mapping[str, Any]:
    """What is stated of a built file.

    Args:
        commit: that it was built of, 40 hex digits.
        top: the checkout.
    """
    pinned = [{"name": name, "digest": {"sha256": _sha256(top / name)}} for name in PINNED]
    return {
        "_type": STATEMENT,
        "subject": [{"name": file.name, "digest": {"sha256": _sha256(file)}}],
        "predicateType": PREDICATE,
        "predicate": {
            "buildDefinition": {
                "buildType": BUILD,
                "externalParameters": {"commit": commit, "target": "deb"},
                "internalParameters": {"python": platform.python_version(), "machine": platform.machine()},
                "resolvedDependencies": [{"name": "source", "digest": {"gitCommit": commit}}, *pinned],
            },
            "runDetails": {"builder": {"id": BUILDER}},
        },
    }


def envelope(stated: Mapping[str, Any], signer: Signer | None) -> Mapping[str, Any]:
    """The statement in a DSSE envelope; without a signer it has no signature."""
    payload = json.dumps(stated, sort_keys=True, separators=(",", ":")).encode()
    signatures = []
    if signer is not None:
        sig = base64.b64encode(signer.sign(encoded(TYPE, payload))).decode()
        signatures = [{"keyid": fingerprint(signer.public), "sig": sig}]
    return {"payloadType": TYPE, "payload": base64.b64encode(payload).decode(), "signatures": signatures}


def encoded(kind: str, payload: bytes) -> bytes:
    """The bytes that are signed: DSSE's pre-authentication encoding (PAE)."""
    return b"DSSEv1 %d %s %d %s" % (len(kind), kind.encode(), len(payload), payload)


def checked(file: Path, written: str, public: bytes) -> Mapping[str, Any]:
    """The statement about a file, once a key's signature and the file's digest agree.

    Raises:
        ProvenanceError: they don't, or that is no provenance.
    """
    try:
        form = json.loads(written)
        payload = base64.b64decode(form["payload"], validate=True)
        signatures = [base64.b64decode(each["sig"], validate=True) for each in form["signatures"]]
        message = encoded(form["payloadType"], payload)
        stated = json.loads(payload)
        kind = (form["payloadType"], stated["_type"], stated["predicateType"])
        digests = {each["digest"]["sha256"] for each in stated["subject"]}
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise ProvenanceError("that is no provenance") from None
    if not any(is_signed(public, signature, message) for signature in signatures):
        raise ProvenanceError("this key didn't sign it")
    if kind != (TYPE, STATEMENT, PREDICATE):
        raise ProvenanceError("it is a statement of another kind")
    if _sha256(file) not in digests:
        raise ProvenanceError("it is about another file")
    return dict(stated)


def commit_of(top: Path = TOP) -> str:
    """The commit of a clean checkout.

    Raises:
        ProvenanceError: it has changes that are in no commit.
    """
    if _git(top, "status", "--porcelain", "--untracked-files=no"):
        raise ProvenanceError("the checkout has changes that are in no commit: no provenance")
    return _git(top, "rev-parse", "HEAD")


def _git(top: Path, *words: str) -> str:
    return subprocess.run(["git", *words], cwd=top, check=True, capture_output=True, text=True).stdout.strip()


def _sha256(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()


def main(words: Sequence[str] | None = None) -> int:
    """Write or check; 1 where something doesn't agree."""
    parser = argparse.ArgumentParser(prog="python -m scripts.provenance", description=__doc__)
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE")
    parser.add_argument("--commit", help="that the files were built of; otherwise that of this checkout")
    parser.add_argument("--check", metavar="KEY", help="the published key, tablectl-release+…")
    chosen = parser.parse_args(words)
    try:
        if chosen.check is not None:
            _, public = read_verifier_key(chosen.check)
            for file in chosen.files:
                stated = checked(file, file.with_name(f"{file.name}.intoto.json").read_text("utf-8"), public)
                commit = stated["predicate"]["buildDefinition"]["externalParameters"]["commit"]
                print(f"{file}: built of commit {commit}")
            return 0
        key, commit = os.environ.get("RELEASE_KEY"), chosen.commit or commit_of()
        signer = read_signing_key(Path(key)) if key else None
        for file in chosen.files:
            target = file.with_name(f"{file.name}.intoto.json")
            target.write_text(f"{json.dumps(envelope(statement(file, commit), signer), indent=1)}\n", "utf-8")
            print(f"provenance: {target}{'' if signer else ', unsigned'}")
    except (OSError, ValueError) as error:
        print(f"provenance: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
