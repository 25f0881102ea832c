"""`tablectl verify-program`, and the verification that the daemon makes."""

import json
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from click.testing import CliRunner

from tablectl.cli import main
from tablectl.daemon.host.program import MISMATCH, OK, REST_S, UNSIGNED, begin_verification, program_digest, verify
from tablectl.program_check import KEY_PLACE, PLACE
from tests.program.installed import FILES, HOME, install

PYVENV = f"{HOME}/pyvenv.cfg"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "disk"


def test_checkout_is_unsigned_and_no_fault() -> None:
    result = CliRunner().invoke(main, ["verify-program", "--lang", "en"])
    assert (result.exit_code, result.output.split(":")[0]) == (3, "unsigned")


def test_signed_tree_is_ok_by_its_installed_key(root: Path) -> None:
    key = install(root)
    assert verify(root).result == OK
    assert verify(root, key=key).key == verify(root).key != ""


def test_build_that_nobody_signed_is_unsigned_until_a_file_differs(root: Path) -> None:
    install(root, is_signed=False)
    assert verify(root).result == UNSIGNED
    (root / PYVENV).write_bytes(b"home = /tmp\n")
    assert verify(root).findings == (f"/{PYVENV}: changed",)


def test_removed_signature_is_a_mismatch(root: Path) -> None:
    install(root)
    text = (root / PLACE).read_text()
    (root / PLACE).write_text(text.partition("\n\n")[0] + "\n")
    assert verify(root).findings == (f"/{PLACE}: the manifest is not signed by this key",)


@pytest.mark.parametrize("gone", [PLACE, KEY_PLACE])
def test_missing_manifest_or_key_of_installed_program_is_mismatch(root: Path, gone: str) -> None:
    install(root)
    (root / gone).unlink()
    assert verify(root).result == MISMATCH


@pytest.mark.parametrize("is_signed", [True, False])
def test_program_is_named_by_its_manifest_as_verified(root: Path, is_signed: bool) -> None:
    install(root, is_signed=is_signed)
    assert program_digest(root) == verify(root).program != ""


@pytest.mark.parametrize("damage", [b"", b"another file\n\n"])
def test_program_without_a_manifest_has_no_name(root: Path, damage: bytes) -> None:
    install(root)
    (root / PLACE).write_bytes(damage)
    assert program_digest(root) == program_digest(None) == program_digest(root / "elsewhere") == ""


def test_finding_can_be_published_whatever_the_file_is_called(root: Path) -> None:
    install(root)
    Path(os.fsdecode(bytes(root / HOME) + b"/ev\xffil\n.py")).touch()
    assert verify(root).findings == (f"/{HOME}/ev\\udcffil\\n.py: not listed",)


def test_hourly_check_rests_after_every_file(root: Path) -> None:
    install(root)
    rests: list[float] = []
    assert verify(root, rest=rests.append).result == OK
    assert rests == [REST_S] * (len(FILES) + 2)


def test_command_names_the_file_and_answers_a_challenge(root: Path) -> None:
    key = install(root)
    (root / PYVENV).write_bytes(b"home = /tmp\n")
    result = CliRunner().invoke(
        main, ["verify-program", "--root", str(root), "--key", key, "--seed", "ab" * 16, "--json"]
    )
    form = json.loads(result.output)
    assert (result.exit_code, form["findings"]) == (1, [f"/{PYVENV}: changed"])
    assert form["response"] == verify(root, key=key, seed=b"\xab" * 16).response


def test_seed_that_is_too_short_is_refused() -> None:
    assert CliRunner().invoke(main, ["verify-program", "--seed", "ab"]).exit_code == 2


def test_installed_files_are_told_of_in_other_languages(root: Path) -> None:
    install(root)
    told = CliRunner().invoke(main, ["verify-program", "--root", str(root), "--lang", "zh-Hant"]).output
    assert "版本 1.2.3" in told


def test_tables_of_one_process_share_the_verification(root: Path) -> None:
    install(root)
    waits = begin_verification(root)
    with ThreadPoolExecutor(8) as pool:
        outcomes = list(pool.map(lambda _: waits(), range(8)))
    assert outcomes == [verify(root)] * 8
    assert outcomes[0].result == OK
