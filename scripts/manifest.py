"""Write the manifest of a package's folder, signed where a release key is given: `manifest.py FOLDER VERSION [KEY]`.

KEY is an unencrypted Ed25519 private key in PEM (`openssl genpkey -algorithm ed25519`). `docs/releasing.md` says who
holds it; without one the build is unsigned, and every table that runs it says so.
"""

import hashlib
import stat
import sys
from collections.abc import Iterator
from pathlib import Path

from tablectl.daemon.signing.keys import read_signing_key
from tablectl.program_check import HEAD, KEY_PLACE, PLACE
from tablectl.proof.note import sign_note, verifier_key

TREES = ("/usr/lib/tablectl",)
"""Folders that may hold nothing else."""

LEFT_OUT = ("usr/share/doc/", "usr/share/man/", "usr/share/lintian/", "DEBIAN/")
"""Not part of the program; minimal systems leave documentation away."""

SIGNER = "tablectl-release"


def manifest_of(folder: Path, version: str, trees: tuple[str, ...] = TREES) -> str:
    """The unsigned manifest of everything below a folder.

    Raises:
        ValueError: a path or a kind of file can't be listed.
    """
    listed = sorted(_listed(folder), key=lambda line: line[0])
    return "\n".join(
        [HEAD, f"version {version}", *(f"tree {tree}" for tree in trees), *(line for _, line in listed), ""]
    )


def _listed(folder: Path) -> Iterator[tuple[str, str]]:
    for path in folder.rglob("*"):
        name = path.relative_to(folder).as_posix()
        if name == PLACE or name.startswith(LEFT_OUT) or (path.is_dir() and not path.is_symlink()):
            continue
        if not name.isprintable():
            raise ValueError(f"{name!r} can't be listed")
        yield f"/{name}", _line(path, f"/{name}")


def _line(path: Path, name: str) -> str:
    if path.is_symlink():
        target = str(path.readlink())
        if " " in target or not target.isprintable():
            raise ValueError(f"the target of {name} can't be listed: {target!r}")
        return f"link {target} {name}"
    state = path.stat()
    if not stat.S_ISREG(state.st_mode):
        raise ValueError(f"{name} is neither file nor link")
    return (
        f"file {stat.S_IMODE(state.st_mode):04o} {state.st_size} {hashlib.sha256(path.read_bytes()).hexdigest()} {name}"
    )


def main(folder: Path, version: str, key: Path | None) -> None:
    """Write the manifest and the release key into their places."""
    if key is None:
        text = manifest_of(folder, version)
        print("manifest: unsigned")
    else:
        signer = read_signing_key(key)
        public = verifier_key(SIGNER, signer.public)
        _write(folder / KEY_PLACE, f"{public}\n")
        text = sign_note(manifest_of(folder, version), SIGNER, signer)
        print(f"manifest: signed by {public}")
    _write(folder / PLACE, text)


def _write(path: Path, text: str) -> None:
    path.write_text(text)
    path.chmod(0o644)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], Path(sys.argv[3]) if sys.argv[3:] else None)
