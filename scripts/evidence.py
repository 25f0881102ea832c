"""Write what a laboratory asks of this commit into one folder: `python -m scripts.evidence [FOLDER] [--since REV]`.

It runs every test that `docs/requirements.md` and `docs/security.md` name, and fails where one is missing or doesn't
pass. With RELEASE_KEY, as for `make deb`, the list of the folder's files is signed. Written twice of one commit, it is
the same to the byte.
"""

import argparse
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, metadata
from pathlib import Path
from typing import Any, Final
from xml.etree import ElementTree as ET

from bench import proof
from scripts.manifest import SIGNER
from tablectl.daemon.signing.keys import read_signing_key
from tablectl.proof.note import sign_note

ROOT: Final = Path(__file__).absolute().parent.parent
GAMES: Final = ("q-poker", "football-poker", "wheel-of-fortune", "chinese-dice", "thirteen-cards")
CLAIMS: Final = ("docs/requirements.md", "docs/security.md")
COPIED: Final = (
    *CLAIMS,
    *(f"docs/{page}.md" for page in ("architecture", "fairness", "program", "proof", "reliability", "releasing")),
    *("docs/reference", "docs/decisions", "docs/protocols", "CHANGELOG.md"),
)
_NAME: Final = re.compile(r"`(test_\w+)`")
_PIN: Final = re.compile(r"^(?P<name>[\w.-]+)==(?P<version>[^\s;]+)", re.MULTILINE)
_HASH: Final = re.compile(r"--hash=sha256:([0-9a-f]{64})")


@dataclass(frozen=True, slots=True)
class Claim:
    """A line of a page's table whose last column names tests."""

    page: str
    says: str
    tests: tuple[str, ...]


def claims(page: str, text: str) -> Iterator[Claim]:
    """The claims of a page in Markdown, table by table."""
    header: list[str] = []
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")] if line.startswith("|") else []
        if not cells:
            header = []
        elif not header:
            header = cells
        elif header[-1] == "tests" and set(line) - set("|-"):
            yield Claim(page, cells[0], tuple(_NAME.findall(cells[-1])))


def known_tests(folder: Path = ROOT / "tests") -> dict[str, list[str]]:
    """The places of every test function of the suite, by its name: games and devices may share one."""
    found: dict[str, list[str]] = {}
    for path in sorted(folder.rglob("test_*.py")):
        for name in re.findall(r"^(?:async )?def (test_\w+)", path.read_text("utf-8"), re.MULTILINE):
            found.setdefault(name, []).append(f"{path.relative_to(folder.parent)}::{name}")
    return found


def gaps(made: Iterable[Claim], known: Mapping[str, Sequence[str]]) -> list[str]:
    """Claims that name no test, or one that isn't there."""
    found: list[str] = []
    for claim in made:
        found += [f"{claim.page}: no test: {claim.says}"] if not claim.tests else []
        found += [f"{claim.page}: there is no {name}" for name in claim.tests if name not in known]
    return found


def results(places: Sequence[str]) -> dict[str, str]:
    """What came of each test function: `passed`, or the worst of its cases."""
    with tempfile.TemporaryDirectory(prefix="tablectl-evidence-") as folder:
        report = Path(folder) / "junit.xml"
        words = f"-q -p no:cacheprovider -n 2 --dist loadfile --junitxml {report}".split()
        subprocess.run([sys.executable, "-m", "pytest", *words, *places], cwd=ROOT, check=False, stdout=sys.stderr)
        cases = ET.parse(report).getroot().iter("testcase")  # pytest's own, written a moment ago
        came: dict[str, str] = {}
        for case in cases:
            name = str(case.get("name")).partition("[")[0]
            worse = [kind for kind in ("failure", "error", "skipped") if case.find(kind) is not None]
            if worse or name not in came:
                came[name] = worse[0] if worse else "passed"
    return came


def parts_list(requirements: str) -> dict[str, Any]:
    """The software bill of materials: each pinned library with its licence and the hashes of its files."""
    pins = list(_PIN.finditer(requirements))
    ends = [pin.start() for pin in pins[1:]] + [len(requirements)]
    parts = [
        _part(pin["name"], pin["version"], requirements[pin.start() : end]) for pin, end in zip(pins, ends, strict=True)
    ]
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {
            "component": {"type": "application", "name": "tablectl", "version": _said("describe", "--always")}
        },
        "components": parts,
    }


def _part(name: str, version: str, pinned: str) -> dict[str, Any]:
    try:
        about = metadata(name)
        licence = about["License-Expression"] or _classified(about.get_all("Classifier") or []) or about["License"]
    except PackageNotFoundError:  # one for another platform
        licence = None
    return {
        "type": "library",
        "name": name,
        "version": version,
        "purl": f"pkg:pypi/{name}@{version}",
        "hashes": [{"alg": "SHA-256", "content": content} for content in _HASH.findall(pinned)],
        "licenses": [{"license": {"name": (licence or "not said").splitlines()[0]}}],
    }


def _classified(classifiers: Sequence[str]) -> str:
    return " AND ".join(each.rpartition(" :: ")[2] for each in classifiers if each.startswith("License :: "))


def summary(made: Sequence[Claim], came: Mapping[str, str], runs: Mapping[str, proof.Outcome | None]) -> str:
    """The one page to begin with."""
    passed = sum(result == "passed" for result in came.values())
    bad = [f"- `{name}`: {result}" for name, result in sorted(came.items()) if result != "passed"]
    counted = [f"- {page}: {sum(claim.page == page for claim in made)} claims" for page in CLAIMS]
    return "\n".join(
        [
            f"# Evidence for tablectl {_said('describe', '--always', '--dirty')}",
            "",
            f"Commit {_said('rev-parse', 'HEAD')} of {_said('show', '-s', '--format=%cI', 'HEAD')}.",
            "",
            f"{passed} of {len(came)} named tests passed (`results.json`):",
            *counted,
            *bad,
            "",
            "| part | where |",
            "|---|---|",
            "| requirements, claim by claim, and what isn't met | `docs/requirements.md` |",
            "| security: attackers and what stops them | `docs/security.md` |",
            "| the law, article by article, with code, tests and scenarios | `docs/reference/law/` |",
            "| exact odds of every bet | `odds/` |",
            "| state machines: phases, and who may do what in which | `docs/reference/phases.md`, `authority.md` |",
            "| software bill of materials with licences | `sbom.cdx.json` |",
            "| every file of the source with its SHA-256 | `source.sha256` |",
            "| changes by component | `changes.md` |",
            "| every file of this folder | `SHA256SUMS` |",
            "",
            "Long proofs (`make proof`), each with its seeds, and the mistakes that it has to find:",
            "",
            "```",
            proof.table(runs),
            "```",
            "",
        ]
    )


def changes(since: str) -> str:
    """What changed since a revision, folder by folder; since the first commit where none is given."""
    span = f"{since}..HEAD" if since else "HEAD"
    rooms = sorted({path.partition("/")[0] for path in _said("ls-files").splitlines()})
    told = [f"# Changes {f'since {since}' if since else 'since the beginning'}"]
    for room in rooms:
        if subjects := _said("log", "--format=- %h %s", span, "--", room):
            told += ["", f"## {room}", "", subjects]
    return "\n".join([*told, ""])


def write(folder: Path, since: str, came: Mapping[str, str]) -> None:
    """Write the folder anew; what came of the tests is given."""
    shutil.rmtree(folder, ignore_errors=True)
    for name in COPIED:
        source, target = ROOT / name, folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copytree(source, target) if source.is_dir() else shutil.copyfile(source, target)
    for game in GAMES:
        odds = [sys.executable, "-m", "tablectl", "odds", game, "--json"]
        _put(folder / "odds" / f"{game}.json", subprocess.run(odds, cwd=ROOT, check=True, capture_output=True).stdout)
    runs = {name: proof.kept(proof.KEPT, name) for name in proof.PARTS}
    made = [claim for page in CLAIMS for claim in claims(page, (ROOT / page).read_text("utf-8"))]
    _put(folder / "results.json", f"{json.dumps(came, indent=1, sort_keys=True)}\n".encode())
    bill = parts_list((ROOT / "requirements/run.txt").read_text("utf-8"))
    _put(folder / "sbom.cdx.json", f"{json.dumps(bill, indent=1)}\n".encode())
    _put(folder / "changes.md", changes(since).encode())
    _put(folder / "source.sha256", _sums(ROOT, _said("ls-files").splitlines()).encode())
    _put(folder / "summary.md", summary(made, came, runs).encode())
    inside = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())
    listed = _sums(folder, inside)
    key = os.environ.get("RELEASE_KEY")
    _put(folder / "SHA256SUMS", (sign_note(listed, SIGNER, read_signing_key(Path(key))) if key else listed).encode())


def _sums(folder: Path, names: Iterable[str]) -> str:
    files = (folder / name for name in names)
    return "".join(
        f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.relative_to(folder).as_posix()}\n"
        for path in files
        if path.is_file()
    )


def _put(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)


def _said(*words: str) -> str:
    return subprocess.run(["git", *words], cwd=ROOT, check=True, capture_output=True, text=True).stdout.strip()


def main(words: Sequence[str] | None = None) -> int:
    """Run the named tests and write the folder; 1 where a claim isn't shown."""
    parser = argparse.ArgumentParser(prog="python -m scripts.evidence", description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, default=ROOT / "build" / "evidence")
    parser.add_argument("--since", default="", metavar="REV", help="the last evidence's commit")
    asked = parser.parse_args(words)
    known = known_tests()
    made = [claim for page in CLAIMS for claim in claims(page, (ROOT / page).read_text("utf-8"))]
    if missing := gaps(made, known):
        print(*missing, sep="\n", file=sys.stderr)
        return 1
    names, commit = sorted({name for claim in made for name in claim.tests}), _said("rev-parse", "HEAD")
    came = results([place for name in names for place in known[name]])
    if _said("rev-parse", "HEAD") != commit:
        print("another commit was checked out while the tests ran: begin again", file=sys.stderr)
        return 1
    came = {name: came.get(name, "not run") for name in names}
    write(asked.folder, asked.since, came)
    print((asked.folder / "summary.md").read_text("utf-8"))
    return 0 if set(came.values()) == {"passed"} else 1


if __name__ == "__main__":
    sys.exit(main())
