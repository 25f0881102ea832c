"""`tablectl verify-program`: offline check of the program by its manifest.

Every installed file is compared with the signed manifest.
"""

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from tablectl.features.common.language import said
from tablectl.features.common.options import with_json, with_language
from tablectl.features.common.output import write_json, write_line
from tablectl.words import Language

if TYPE_CHECKING:
    from tablectl.daemon.host.program import Verified

EXIT: Final = {"ok": 0, "mismatch": 1, "unsigned": 3}


@click.command("verify-program")
@click.option("--root", type=click.Path(path_type=Path, exists=True), help="The mounted disk; else this machine.")
@click.option("--key", help="The release key as published; else the installed one.")
@click.option("--manifest", type=click.Path(path_type=Path, exists=True), help="The manifest of a release.")
@click.option("--seed", help="Seed of a challenge, 16 to 64 bytes in hex.")
@with_json
@with_language
def verify_program(
    root: Path | None, key: str | None, manifest: Path | None, seed: str | None, lang: Language, *, as_json: bool
) -> None:
    """Checks the installed files, offline. Each one against the signed manifest.

    Exit status: 0 every file is as signed, 1 something differs, 2 the seed is not one, 3 nobody signed it (a checkout
    or an unsigned build).
    """
    from tablectl.daemon.host.program import installed_root, verify

    outcome = verify(root or installed_root(), key=key, manifest=manifest, seed=_seed(seed, lang))
    if as_json:
        write_json(asdict(outcome))
    else:
        _write(outcome, lang, is_key_given=key is not None)
    raise SystemExit(EXIT[outcome.result])


def _seed(text: str | None, lang: Language) -> bytes:
    from tablectl.program_check import SEED_BYTES

    if text is None:
        return b""
    try:
        seed = bytes.fromhex(text)
    except ValueError:
        seed = b""
    if len(seed) not in SEED_BYTES:
        raise click.BadParameter(said("program.seed", lang), param_hint="--seed")
    return seed


def _write(outcome: "Verified", lang: Language, *, is_key_given: bool) -> None:
    for finding in outcome.findings:
        path, _, problem = finding.partition(": ")
        write_line(said("program.finding", lang, path=path, problem=problem))
    write_line(
        said(f"program.{outcome.result}", lang, version=outcome.version, files=outcome.files, count=outcome.differing)
    )
    if outcome.program:
        write_line(said("program.digest", lang, digest=outcome.program))
    if outcome.key and not is_key_given:
        write_line(said("program.installed_key", lang))
    if outcome.response:
        write_line(said("program.response", lang, response=outcome.response))
