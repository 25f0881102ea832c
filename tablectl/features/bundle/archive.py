"""Archive of `tablectl bundle`: the data that support needs of a table.

It holds no secret and no face-down card.
"""

import io
import json
import tarfile
from collections.abc import Iterable, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from tablectl.core.money import utc_text
from tablectl.features.bundle.redact import Redactor
from tablectl.history.export import writing_new
from tablectl.lazy_dataclass import dataclass

FORM: Final = 1
MANIFEST: Final = "manifest.json"
_COMPRESSION: Final = 6


@dataclass(frozen=True, slots=True)
class Bundle:
    """Content of the archive.

    Args:
        name: of its one folder.
        made_us: now, UTC microseconds.
        about: what the manifest says beside the files' digests.
        files: by name; not redacted yet.
    """

    name: str
    made_us: int
    about: Mapping[str, Any]
    files: Mapping[str, bytes]


def write_bundle(path: Path, bundle: Bundle, redactor: Redactor) -> str:
    """Write the archive, readable by its owner alone.

    Everything in it is redacted first.

    Returns:
        The SHA-256 of its manifest, which names the SHA-256 of every other file.

    Raises:
        ExportError: the file is there already, or can't be written.
    """
    files = {name: redactor.clean(data) for name, data in sorted(bundle.files.items())}
    sums = {name: {"sha256": sha256(data).hexdigest(), "bytes": len(data)} for name, data in files.items()}
    about = {"bundle": FORM, "made": utc_text(bundle.made_us), **bundle.about, "files": sums}
    manifest = redactor.clean(pretty(about))
    with writing_new(path) as half:
        half.chmod(0o600)
        _pack(half, bundle, {MANIFEST: manifest, **files})
    return sha256(manifest).hexdigest()


def pretty(form: Any) -> bytes:
    """The value as JSON that people can read."""
    return json.dumps(form, ensure_ascii=False, indent=1).encode() + b"\n"


def lines(forms: Iterable[Mapping[str, Any]]) -> bytes:
    """The values as JSON Lines."""
    return b"".join(json.dumps(form, ensure_ascii=False).encode() + b"\n" for form in forms)


def _pack(path: Path, bundle: Bundle, files: Mapping[str, bytes]) -> None:
    with tarfile.open(path, "w:gz", compresslevel=_COMPRESSION) as archive:
        for name, data in files.items():
            member = tarfile.TarInfo(f"{bundle.name}/{name}")
            member.size, member.mode, member.mtime = len(data), 0o600, bundle.made_us // 1_000_000
            archive.addfile(member, io.BytesIO(data))
