#!/usr/bin/env python3
"""Check of the installed program against its signed manifest.

One file without any library: copy it from the documentation, read it, and run it on a machine that you trust against
the mounted disk:

    python3 program_check.py --root /mnt --key tablectl-release+1a2b3c4d+AR...

The manifest is a text: `tablectl program manifest v1`, `version V`, one `tree PATH` for each folder that may hold
nothing else, then a line for each file, `file MODE SIZE SHA256 PATH` or `link TARGET PATH`, sorted by path; then an
empty line and signatures as in a C2SP signed note. The daemon and `tablectl verify-program` run this same code.

Exit status: 0 as signed, 1 something differs, 2 something can't be read, 3 the same files but nobody signed them.
"""

import base64
import hashlib
import hmac
import json
import os
import stat
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from io import FileIO
from pathlib import Path
from typing import NamedTuple

HEAD, PLACE = "tablectl program manifest v1", "usr/lib/tablectl/manifest"
KEY_PLACE, SEED_BYTES = "usr/lib/tablectl/release.pub", range(16, 65)
PACKAGES = ("libc6", "libpython3.11-stdlib", "python3.11", "python3.11-minimal", "systemd", "udev")  # only reported

PRIME, ORDER = 2**255 - 19, 2**252 + 27742317777372353535851937790883648493
CURVE = -121665 * pow(121666, -1, PRIME) % PRIME


class ManifestError(Exception):
    """The manifest can't be read: why."""


class Entry(NamedTuple):
    """A line of the manifest; a link has its target as `digest` and no mode."""

    path: str
    mode: int | None
    size: int
    digest: str


class Seen(NamedTuple):
    """A path that was looked at; `problem` is empty where it is as listed."""

    path: str
    problem: str
    mac: str = ""  # its line for the challenge


@dataclass(frozen=True)
class Manifest:
    """A manifest as it was read; no signature is checked yet."""

    text: str
    version: str
    trees: tuple[str, ...]
    entries: tuple[Entry, ...]
    signatures: tuple[tuple[str, bytes], ...]

    @property
    def digest(self) -> str:
        """The program's digest: SHA-256 of the text without signatures."""
        return hashlib.sha256(self.text.encode()).hexdigest()


def read_manifest(raw: bytes) -> Manifest:
    """Read a manifest.

    Raises:
        ManifestError: it isn't one.
    """
    try:
        text, _, tail = raw.decode().partition("\n\n")
        lines = text.split("\n")
        if lines[0] != HEAD or not lines[1].startswith("version "):
            raise ManifestError("not a manifest of this program")
        trees = tuple(line[5:] for line in lines[2:] if line.startswith("tree "))
        entries = tuple(_entry(line) for line in lines[2 + len(trees) :] if line)
        signatures = tuple(_signature(line) for line in tail.split("\n") if line)
    except (ValueError, IndexError):
        raise ManifestError("damaged: a line is not of its form") from None
    if not entries or [each.path for each in entries] != sorted({each.path for each in entries}):
        raise ManifestError("damaged: its lines are not in order")
    return Manifest(text.removesuffix("\n") + "\n", lines[1][8:], trees, entries, signatures)


def _entry(line: str) -> Entry:
    kind, first, rest = line.split(" ", 2)
    if kind == "link":
        return Entry(_inside(rest), None, 0, first)
    size, digest, path = rest.split(" ", 2)
    if kind != "file" or len(bytes.fromhex(digest)) != hashlib.sha256().digest_size:
        raise ValueError(line)
    return Entry(_inside(path), int(first, 8), int(size), digest)


def _inside(path: str) -> str:
    if not path.startswith("/") or ".." in path.split("/"):
        raise ValueError(path)
    return path


def _signature(line: str) -> tuple[str, bytes]:
    dash, name, coded = line.split(" ")
    raw = base64.b64decode(coded, validate=True)
    if dash != "\u2014" or len(raw) != 68:
        raise ValueError(line)
    return name, raw


def check_signature(manifest: Manifest, key: str) -> str:
    """Return why this key (`name+id+base64`) didn't sign; empty where it did."""
    try:
        name, identity, coded = key.strip().split("+", 2)
        raw = base64.b64decode(coded, validate=True)
    except ValueError:
        return "the key is not a verifier key"
    named = hashlib.sha256(f"{name}\n".encode() + raw).digest()[:4]
    if len(raw) != 33 or raw[0] != 1 or named.hex() != identity:
        return "the key is not an Ed25519 verifier key"
    ours = [signed[4:] for signer, signed in manifest.signatures if (signer, signed[:4]) == (name, named)]
    if not ours:
        return "the manifest is not signed by this key"
    if not all(is_signed(raw[1:], signature, manifest.text.encode()) for signature in ours):
        return "the manifest's signature is wrong"
    return ""


def check_files(root: Path, manifest: Manifest, seed: bytes = b"") -> Iterator[Seen]:
    """Compare what lies below a root with the manifest, one path at a time.

    Args:
        seed: of a challenge; each file's line then has the HMAC-SHA-256 of its contents under it.
    """
    top = os.path.realpath(root).rstrip("/")
    listed = {f"/{PLACE}", *(each.path for each in manifest.entries)}
    folders = {path.rpartition("/")[0] for path in listed}
    inside = {each for each in folders if Path(os.path.realpath(top + each)).is_relative_to(top or "/")}
    for each in manifest.entries:
        yield _compared(top, each, seed, inside)
    for tree in manifest.trees:
        yield from (each for each in _walked(top, tree) if each.path not in listed)


def _compared(top: str, listed: Entry, seed: bytes, inside: set[str]) -> Seen:
    path = top + listed.path
    if listed.path.rpartition("/")[0] not in inside:
        return Seen(listed.path, "reached through a link that leaves the root")
    try:
        state = os.lstat(path)
        if listed.mode is None:
            target = str(Path(path).readlink()) if stat.S_ISLNK(state.st_mode) else ""
            return Seen(listed.path, "" if target == listed.digest else "not the link that is listed")
        if not stat.S_ISREG(state.st_mode):
            return Seen(listed.path, "not a regular file")
        if state.st_size != listed.size:
            return Seen(listed.path, "changed")
        raw = read_file(path)
    except FileNotFoundError:
        return Seen(listed.path, "missing")
    except OSError as error:
        return Seen(listed.path, f"can't be read: {error.strerror}")
    mode = stat.S_IMODE(state.st_mode)
    problem = "" if mode == listed.mode else f"has mode {mode:04o}, not {listed.mode:04o}"
    problem = problem if hashlib.sha256(raw).hexdigest() == listed.digest else "changed"
    return Seen(listed.path, problem, f"{hmac.new(seed, raw, 'sha256').hexdigest()} {listed.path}\n" if seed else "")


def read_file(path: str | Path) -> bytes:
    """Return a regular file's contents, following no link.

    Raises: OSError for anything else.
    """
    with FileIO(os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)) as source:
        if not stat.S_ISREG(os.fstat(source.fileno()).st_mode):
            raise OSError(0, "not a regular file")
        return source.readall()


def _walked(top: str, tree: str) -> Iterator[Seen]:
    """Yield every path below a tree that isn't a folder that can be read."""
    failed: list[OSError] = []
    for folder, folders, files in os.walk(top + tree, onerror=failed.append):
        links = [name for name in folders if Path(folder, name).is_symlink()]
        for name in sorted([*files, *links]):
            yield Seen(f"{folder[len(top) :]}/{name}", "not listed")
        folders[:] = sorted(set(folders) - set(links))
    for error in failed:
        yield Seen(str(error.filename)[len(top) :], f"can't be read: {error.strerror}")


def response_of(seed: bytes, manifest: Manifest, macs: list[str]) -> str:
    """Return the HMAC-SHA-256 of the program's digest and every file's line."""
    return hmac.new(seed, "".join([f"{manifest.digest}\n", *macs]).encode(), "sha256").hexdigest()


def packages_of(root: Path) -> dict[str, str]:
    """Return versions of the interpreter's Debian packages; empty elsewhere."""
    try:
        blocks = read_file(root / "var/lib/dpkg/status").decode(errors="replace").split("\n\n")
    except OSError:
        return {}
    fields = [dict(line.split(": ", 1) for line in block.split("\n") if ": " in line) for block in blocks]
    return {each["Package"]: each.get("Version", "") for each in fields if each.get("Package") in PACKAGES}


# Ed25519, RFC 8032 section 6.
Point = tuple[int, int, int, int]


def is_signed(public: bytes, signature: bytes, message: bytes) -> bool:
    """Return True if the key signed the message; one of small order never did."""
    key, commitment = _point(public), _point(signature[:32])
    scalar = int.from_bytes(signature[32:], "little")
    if key is None or commitment is None or scalar >= ORDER or _same(_times(8, key), NEUTRAL):
        return False
    hashed = int.from_bytes(hashlib.sha512(signature[:32] + public + message).digest(), "little") % ORDER
    return _same(_times(scalar, BASE), _add(commitment, _times(hashed, key)))


def _point(raw: bytes) -> Point | None:
    """The point of 32 bytes; None where they are none."""
    sign, y = raw[31] >> 7, int.from_bytes(raw, "little") & ((1 << 255) - 1)
    square = (y * y - 1) * pow(CURVE * y * y + 1, -1, PRIME) % PRIME
    x = pow(square, (PRIME + 3) // 8, PRIME)
    if (x * x - square) % PRIME:
        x = x * pow(2, (PRIME - 1) // 4, PRIME) % PRIME
    if y >= PRIME or (x * x - square) % PRIME or (x == 0 and sign):
        return None
    x = PRIME - x if x & 1 != sign else x
    return x, y, 1, x * y % PRIME


def _add(one: Point, two: Point) -> Point:
    a, b = (one[1] - one[0]) * (two[1] - two[0]) % PRIME, (one[1] + one[0]) * (two[1] + two[0]) % PRIME
    c, d = 2 * one[3] * two[3] * CURVE % PRIME, 2 * one[2] * two[2] % PRIME
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % PRIME, g * h % PRIME, f * g % PRIME, e * h % PRIME


def _times(scalar: int, point: Point) -> Point:
    result = NEUTRAL
    while scalar:
        if scalar & 1:
            result = _add(result, point)
        point = _add(point, point)
        scalar >>= 1
    return result


def _same(one: Point, two: Point) -> bool:
    return not ((one[0] * two[2] - two[0] * one[2]) % PRIME or (one[1] * two[2] - two[1] * one[2]) % PRIME)


NEUTRAL: Point = (0, 1, 1, 0)
BASE: Point = _point(bytes([0x58]) + bytes([0x66]) * 31) or NEUTRAL


def main(arguments: list[str] | None = None) -> int:
    """Check, print what differs, and return the exit status."""
    import argparse  # noqa: PLC0415 - only the program of its own reads arguments

    parser = argparse.ArgumentParser(description="Check an installed tablectl against its signed manifest.")
    parser.add_argument("--root", type=Path, default=Path("/"), help="the mounted disk; without it, this machine")
    parser.add_argument("--key", help="the release key, as published: name+id+base64; without it nothing is trusted")
    parser.add_argument("--manifest", type=Path, help="a manifest from elsewhere, for the one on the disk")
    parser.add_argument("--seed", type=bytes.fromhex, default=b"", help="of a challenge: 16 to 64 bytes in hex")
    asked = parser.parse_args(arguments)
    if asked.seed and len(asked.seed) not in SEED_BYTES:
        parser.error(f"--seed is {SEED_BYTES[0]} to {SEED_BYTES[-1]} bytes in hex")
    try:
        manifest = read_manifest(asked.manifest.read_bytes() if asked.manifest else read_file(asked.root / PLACE))
    except (OSError, ManifestError) as error:
        print(f"the manifest can't be used: {error}", file=sys.stderr)
        return 2
    unsigned = check_signature(manifest, asked.key) if asked.key else "no key was given"
    looked = list(check_files(asked.root, manifest, asked.seed))
    wrong = [each for each in looked if each.problem]
    for each in wrong:
        print(f"{json.dumps(each.path)[1:-1]}: {each.problem}")
    print(f"version {manifest.version}, program {manifest.digest}, {len(manifest.entries)} files, {len(wrong)} differ")
    print(f"signature: {unsigned or 'valid'}")
    if asked.seed:
        print(f"response: {response_of(asked.seed, manifest, [each.mac for each in looked])}")
    for name, version in sorted(packages_of(asked.root).items()):
        print(f"reported, not compared: {name} {version}")
    return 1 if wrong or (unsigned and asked.key) else 3 if unsigned else 0


if __name__ == "__main__":
    sys.exit(main())
