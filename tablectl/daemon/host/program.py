"""Verification of the installed program against its signed manifest."""

import hashlib
import json
import os
import sys
import threading
from collections.abc import Callable
from dataclasses import asdict
from functools import cache
from pathlib import Path
from typing import Any, Final

from tablectl.lazy_dataclass import dataclass
from tablectl.program_check import (
    HEAD,
    KEY_PLACE,
    PLACE,
    Manifest,
    ManifestError,
    Seen,
    check_files,
    check_signature,
    read_file,
    read_manifest,
    response_of,
)

OK, UNSIGNED, MISMATCH = "ok", "unsigned", "mismatch"

MOST_NAMED: Final = 20
"""Differing files that an event names; their count is whole."""

REST_S: Final = 0.1
"""Between two files of the hourly check: some thousands then take minutes, at well below 1 % of a core."""


@dataclass(frozen=True, slots=True)
class Verified:
    """The outcome of a verification.

    Args:
        result: `ok` (every file as signed), `unsigned` (nobody signed it; no file differs), `mismatch`.
        program: the manifest's SHA-256; empty where there is none, as in a checkout.
        files: how many are listed.
        differing: how many are not as listed, unlisted ones included.
        findings: the first of them, each with what is wrong.
        key: SHA-256 of the release key that signed; empty where none did.
        response: to the challenge; empty where there was none.
    """

    result: str
    version: str = ""
    program: str = ""
    files: int = 0
    differing: int = 0
    findings: tuple[str, ...] = ()
    key: str = ""
    response: str = ""


def installed_root() -> Path | None:
    """Return the root below which this program is installed with a manifest.

    None for a checkout.
    """
    prefix = Path(sys.prefix)
    root = (
        prefix.parents[len(Path(PLACE).parent.parts) - 1] if len(prefix.parts) > len(Path(PLACE).parent.parts) else None
    )
    return root if root is not None and root / Path(PLACE).parent == prefix else None


def program_digest(root: Path | None) -> str:
    """Return the SHA-256 of the installed manifest.

    Empty for a checkout, or where it can't be read.
    """
    try:
        raw = b"" if root is None else read_file(root / PLACE)
    except OSError:
        return ""
    if not raw.startswith(HEAD.encode()):
        return ""
    # The manifest's digest, without its thousands of lines being read a second time.
    return hashlib.sha256(raw.partition(b"\n\n")[0].removesuffix(b"\n") + b"\n").hexdigest()


@cache
def begin_verification(root: Path) -> Callable[[], Verified]:
    """Begin to verify an installation, once, in a process of its own.

    A thread would have to share the interpreter with a start that imports and folds.

    Returns:
        A call that waits for the outcome. Blocks.
    """
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.write(writer, json.dumps(asdict(verify(root))).encode())
        finally:
            os._exit(os.EX_OK)
    os.close(writer)

    @cache
    def outcome() -> Verified:
        """The outcome; should that process have been killed, this one verifies."""
        with os.fdopen(reader, "rb") as pipe:
            told = pipe.read()
        os.waitpid(child, 0)
        if not told:
            return verify(root)
        form: dict[str, Any] = json.loads(told)
        form["findings"] = tuple(form["findings"])
        return Verified(**form)

    turn = threading.Lock()

    def one_by_one() -> Verified:
        """The outcome, for each of the tables that share this process."""
        with turn:
            return outcome()

    return one_by_one


def verify(
    root: Path | None,
    *,
    key: str | None = None,
    manifest: Path | None = None,
    seed: bytes = b"",
    rest: Callable[[float], Any] | None = None,
) -> Verified:
    """Compare the installed files with their manifest. Blocks.

    Args:
        root: of the installation; None for a checkout.
        key: verifier key that must have signed; without one the key that is installed, where one is.
        manifest: one from elsewhere, for the one that is installed.
        seed: of a challenge.
        rest: waits so many seconds, after each file; None: the check goes on without rest.
    """
    if root is None:
        return Verified(UNSIGNED)
    try:
        read = read_manifest(manifest.read_bytes() if manifest else read_file(root / PLACE))
        trusted = key or _installed_key(root)
    except (OSError, ManifestError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        return Verified(MISMATCH, differing=1, findings=(f"/{PLACE}: {reason}",))
    seen: list[Seen] = []
    for each in check_files(root, read, seed):
        seen.append(each)
        if rest is not None:
            rest(REST_S)
    return _outcome(read, trusted, seen, seed)


def _outcome(manifest: Manifest, trusted: str, seen: list[Seen], seed: bytes) -> Verified:
    wrong = [f"{json.dumps(each.path)[1:-1]}: {each.problem}" for each in seen if each.problem]
    if (trusted or manifest.signatures) and (reason := check_signature(manifest, trusted)):
        wrong.insert(0, f"/{PLACE}: {reason}")
    return Verified(
        MISMATCH if wrong else OK if trusted else UNSIGNED,
        manifest.version,
        manifest.digest,
        len(manifest.entries),
        len(wrong),
        tuple(wrong[:MOST_NAMED]),
        f"sha256:{hashlib.sha256(trusted.strip().encode()).hexdigest()}" if trusted else "",
        response_of(seed, manifest, [each.mac for each in seen]) if seed else "",
    )


def _installed_key(root: Path) -> str:
    """The release key beside the manifest; empty where none is installed."""
    try:
        return read_file(root / KEY_PLACE).decode("ascii")
    except FileNotFoundError:
        return ""
