"""Cases made and checked by the command, beside the state folder that they are of."""

import hashlib
import json
from pathlib import Path
from typing import Any

from click.testing import CliRunner, Result

from tablectl.daemon.signing.keys import signing_key
from tablectl.features.case.case import statement
from tablectl.features.case.cli import case
from tablectl.proof.note import sign_note


def make(folder: Path, what: str, *options: str) -> Result:
    target = folder.parent / "case"
    return CliRunner().invoke(case, [what, "--journal", str(folder), "--to", str(target), *options])


def check(folder: Path, *options: str) -> Result:
    return CliRunner().invoke(case, ["verify", str(folder.parent / "case"), *options])


def read(folder: Path, name: str) -> str:
    return (folder.parent / "case" / name).read_text("utf-8")


def lines(folder: Path, name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in read(folder, name).splitlines()]


def seal(folder: Path, *, signed: bool) -> None:
    """Makes the manifest fit the files again; whoever has the log's key signs it as well."""
    made = folder.parent / "case"
    form = json.loads((made / "manifest.json").read_text("utf-8"))
    left = [path for path in made.rglob("*") if path.is_file() and not path.name.startswith("manifest")]
    digests = {path.relative_to(made).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest() for path in left}
    form["files"] = {name: {"sha256": digest} for name, digest in digests.items()}
    (made / "manifest.json").write_text(json.dumps(form), "utf-8")
    if signed:
        text = statement(form["origin"], (made / "manifest.json").read_bytes())
        (made / "manifest.note").write_text(sign_note(text, form["origin"], signing_key(folder)), "utf-8")
