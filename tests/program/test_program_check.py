"""The program's check: what it notices, and that it trusts nothing but the key that it is given."""

import ast
import hmac
import os
import random
import subprocess
import sys
from pathlib import Path

import pytest
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

import tablectl.program_check
from scripts import program_page
from scripts.manifest import manifest_of
from tablectl.program_check import PLACE, ManifestError, check_files, is_signed, main, read_manifest
from tests.program.installed import FILES, HOME, install

MUTATIONS = int(os.environ.get("MUTATIONS", "100"))
"""1,000 in full; the short form touches each file ten times."""

CHECKER = Path(tablectl.program_check.__file__)
MONEY = f"{HOME}/lib/site-packages/tablectl/core/money.py"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "disk"


@pytest.fixture
def key(root: Path) -> str:
    return install(root)


def differing(root: Path) -> dict[str, str]:
    manifest = read_manifest((root / PLACE).read_bytes())
    return {each.path: each.problem for each in check_files(root, manifest) if each.problem}


def run(root: Path, *more: str) -> subprocess.CompletedProcess[str]:
    """The single file alone, isolated from the program's packages."""
    command = [sys.executable, "-I", "-S", str(CHECKER), "--root", str(root), *more]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)


def test_untouched_tree_is_as_signed(root: Path, key: str) -> None:
    done = run(root, "--key", key)
    assert (done.returncode, done.stderr) == (0, "")
    assert f"{len(FILES) + 2} files, 0 differ\nsignature: valid" in done.stdout


def test_every_one_byte_mutation_is_named_without_false_alarm(root: Path, key: str) -> None:
    chance, names = random.Random(26), sorted(FILES)
    for turn in range(MUTATIONS):
        name = names[turn % len(names)]
        content = bytearray(FILES[name])
        content[chance.randrange(len(content))] ^= chance.randrange(1, 256)
        (root / name).write_bytes(content)
        assert differing(root) == {f"/{name}": "changed"}
        (root / name).write_bytes(FILES[name])
    assert differing(root) == {}


@pytest.mark.parametrize("name", [f"{HOME}/lib/extra.py", f"{HOME}/lib/__pycache__/money.cpython-311.pyc"])
def test_file_that_is_not_listed_counts(root: Path, key: str, name: str) -> None:
    (root / name).parent.mkdir(exist_ok=True)
    (root / name).write_bytes(b"")
    assert differing(root) == {f"/{name}": "not listed"}


def test_missing_files_modes_and_links_are_named(root: Path, key: str) -> None:
    (root / MONEY).unlink()
    (root / f"{HOME}/pyvenv.cfg").chmod(0o666)
    (root / "usr/bin/tablectl").unlink()
    (root / "usr/bin/tablectl").symlink_to("/tmp/other")
    (root / f"{HOME}/elsewhere").symlink_to("/tmp")
    assert differing(root) == {
        f"/{MONEY}": "missing",
        f"/{HOME}/pyvenv.cfg": "has mode 0666, not 0644",
        "/usr/bin/tablectl": "not the link that is listed",
        f"/{HOME}/elsewhere": "not listed",
    }


def test_folder_that_leads_out_of_the_root_is_not_followed(root: Path, key: str, tmp_path: Path) -> None:
    (root / "lib").rename(tmp_path / "outside")
    (root / "lib").symlink_to(tmp_path / "outside")
    assert set(differing(root).values()) == {"reached through a link that leaves the root"}


def test_pipe_in_place_of_a_file_holds_nobody_up(root: Path, key: str) -> None:
    (root / MONEY).unlink()
    os.mkfifo(root / MONEY)
    assert differing(root) == {f"/{MONEY}": "not a regular file"}


@pytest.mark.parametrize(("name", "status"), [(PLACE, 2), ("var/lib/dpkg/status", 0)])
def test_pipe_in_place_of_first_file_read_holds_nobody_up(root: Path, key: str, name: str, status: int) -> None:
    (root / name).parent.mkdir(parents=True, exist_ok=True)
    (root / name).unlink(missing_ok=True)
    os.mkfifo(root / name)
    assert run(root, "--key", key).returncode == status


def test_manifest_is_not_read_through_a_link(root: Path, key: str, tmp_path: Path) -> None:
    (root / PLACE).rename(tmp_path / "manifest")
    (root / PLACE).symlink_to(tmp_path / "manifest")
    assert run(root, "--key", key).returncode == 2
    assert run(root, "--key", key, "--manifest", str(root / PLACE)).returncode == 0


def test_file_that_grew_beyond_all_reading_is_named_at_once(root: Path, key: str) -> None:
    os.truncate(root / MONEY, 1 << 40)
    assert f"/{MONEY}: changed" in run(root, "--key", key).stdout


def test_file_beside_the_documentation_is_listed(root: Path) -> None:
    for name in ("usr/share/doc/tablectl/copyright", "usr/share/documents/rules.toml"):
        (root / name).parent.mkdir(parents=True)
        (root / name).touch()
    assert "/usr/share/documents/rules.toml" in manifest_of(root, "1")
    assert "copyright" not in manifest_of(root, "1")


def test_manifest_that_follows_a_changed_file_is_not_signed(root: Path, key: str, tmp_path: Path) -> None:
    other = install(tmp_path / "second")
    forged = (tmp_path / "second" / PLACE).read_text()
    (root / PLACE).write_text(forged)
    assert "not signed by this key" in run(root, "--key", key).stdout
    (root / PLACE).write_text(forged.replace("version 1.2.3", "version 1.2.4"))
    done = run(root, "--key", other)
    assert done.returncode == 1
    assert "signature is wrong" in done.stdout


def test_unsigned_build_says_so(root: Path) -> None:
    install(root, is_signed=False)
    assert run(root).returncode == 3
    assert run(root, "--key", "tablectl-release+00000000+AA==").returncode == 1


@pytest.mark.parametrize("damage", [b"", b"\xff", b"tablectl program manifest v1\nversion 1\nfile 0644 1 00 /a\n\n"])
def test_damaged_manifest_is_an_error(root: Path, key: str, damage: bytes) -> None:
    (root / PLACE).write_bytes(damage)
    with pytest.raises(ManifestError):
        read_manifest(damage)
    assert main(["--root", str(root)]) == 2


def test_response_to_a_challenge_depends_on_seed_and_contents(root: Path, key: str, tmp_path: Path) -> None:
    def response(seed: str) -> str:
        return run(root, "--key", key, "--seed", seed).stdout.partition("response: ")[2].split("\n")[0]

    first = response("ab" * 16)
    manifest = read_manifest((root / PLACE).read_bytes())
    lines = [
        f"{hmac.new(bytes.fromhex('ab' * 16), (root / each.path[1:]).read_bytes(), 'sha256').hexdigest()} {each.path}\n"
        for each in manifest.entries
        if each.mode is not None
    ]
    told = "".join([f"{manifest.digest}\n", *lines]).encode()
    assert first == hmac.new(bytes.fromhex("ab" * 16), told, "sha256").hexdigest()
    assert response("ac" * 16) != first
    (root / MONEY).write_bytes(FILES[MONEY][:-1] + b" ")
    assert response("ab" * 16) != first


def test_signatures_are_judged_as_the_library_judges_them() -> None:
    chance = random.Random(1)
    secret = Ed25519PrivateKey.from_private_bytes(chance.randbytes(32))
    public, signature = secret.public_key().public_bytes_raw(), secret.sign(b"text")
    assert is_signed(public, signature, b"text")
    assert not is_signed(public, signature, b"texts")
    for bit in range(0, 512, 7):
        wrong = bytearray(signature)
        wrong[bit // 8] ^= 1 << bit % 8
        with pytest.raises(InvalidSignature):
            Ed25519PublicKey.from_public_bytes(public).verify(bytes(wrong), b"text")
        assert not is_signed(public, bytes(wrong), b"text")


def test_key_of_small_order_signs_nothing() -> None:
    assert not is_signed(bytes([1]) + bytes(31), bytes([1]) + bytes(63), b"any")


def test_checker_is_one_short_file_of_the_standard_library() -> None:
    tree = ast.parse(CHECKER.read_text())
    named = {
        alias.name if isinstance(node, ast.Import) else node.module or ""
        for node in ast.walk(tree)
        if isinstance(node, ast.Import | ast.ImportFrom)
        for alias in node.names
    }
    assert {name.split(".")[0] for name in named} <= sys.stdlib_module_names
    assert len(CHECKER.read_text().splitlines()) < 300


def test_documentation_has_the_checker_to_the_byte() -> None:
    assert program_page.PAGE.read_text("utf-8") == program_page.page(), "python -m scripts.program_page"
