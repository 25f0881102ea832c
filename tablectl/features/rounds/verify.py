"""`tablectl verify`: validity of a round's proof.

It needs nothing but the proof and a key that is trusted.
"""

from collections.abc import Iterator, Mapping
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import click

from tablectl.core.money import utc_text
from tablectl.features.common.language import why_not
from tablectl.features.common.options import with_language
from tablectl.features.common.output import write_json, write_line
from tablectl.words import Language
from tablectl.words.reason import retold

if TYPE_CHECKING:
    from tablectl.proof.document import Proof
    from tablectl.proof.judge import Proved

NOT_VALID, UNREADABLE = 1, 2


@click.command("verify")
@click.argument("file", metavar="PROOF", type=click.Path(path_type=Path))
@click.option("--key", required=True, help="The log's key: fingerprint, Base64, verifier key, or a file with one.")
@click.option("--checkpoint", type=click.Path(path_type=Path), help="A checkpoint that was kept from an earlier day.")
@click.option("--policy", type=click.Path(path_type=Path), help="The witnesses that have to have cosigned.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
@with_language
def verify(
    file: Path, key: str, checkpoint: Path | None, policy: Path | None, lang: Language, *, as_json: bool
) -> None:
    """Checks the PROOF of a round, offline.

    With --policy (C2SP tlog-policy: `witness NAME KEY`, `group NAME 2 NAME …`, `quorum NAME`) enough witnesses have to
    have cosigned the kept checkpoint, or without one the proof's own, and the round has to lie under it.

    Exit status: 0 valid, 1 not valid (says which part and why), 2 something can't be read.
    """
    from tablectl.journal.reading.rows import UnreadableError
    from tablectl.journal.reading.trusted_keys import KeyTextError, read_note_file, trusted_key
    from tablectl.proof.document import DocumentError
    from tablectl.proof.judge import UnprovedError, judge, keys_of

    try:
        trusted = trusted_key(key)
        kept = read_note_file(checkpoint) if checkpoint else None
        proof = _proof(file)
        public = next((each for each in keys_of(proof) if trusted.is_of(each)), b"")
        proved = judge(proof, public, kept)
        cosigners: Mapping[str, int] = _cosigners(policy, proof, proved, kept) if policy else {}
    except UnprovedError as error:
        _leave(_localized(f"{file}: not valid: {error}", lang), NOT_VALID)
    except (KeyTextError, DocumentError, UnreadableError) as error:
        _leave(f"tablectl verify: {why_not(error)}", UNREADABLE)
    if as_json:
        write_json({**_form(proof, proved), "cosigners": dict(cosigners)})
        return
    write_line(_localized(f"{file}: valid", lang))
    names = ", ".join(f"{name} at {utc_text(time_s * 1_000_000)}" for name, time_s in cosigners.items())
    cosigned = [f"witnesses   cosigned by {names}"] if names else []
    for line in (*summary(proof, proved), *cosigned, *succession(public, proof)):
        write_line(f"  {_localized(line, lang)}")


def _cosigners(policy: Path, proof: "Proof", proved: "Proved", kept: str | None) -> Mapping[str, int]:
    """The witnesses under whose checkpoint the round lies.

    With each of them when it signed, in seconds since 1970.

    Raises:
        UnprovedError: they aren't enough, or the round came later.
        UnreadableError: the policy can't be read, or isn't one.
    """
    from tablectl.journal.reading.trusted_keys import read_policy_file
    from tablectl.proof.judge import UnprovedError
    from tablectl.proof.note import NoteError, read_note

    wanted = read_policy_file(policy)
    try:
        cosigners = wanted.cosigners(read_note(kept if kept is not None else proof.checkpoint))
    except NoteError as error:
        raise UnprovedError("witnesses", str(error)) from None
    size = proved.checkpoint.size if proved.kept is None else proved.kept
    if not wanted.holds(cosigners):
        raise UnprovedError("witnesses", f"cosigned by {', '.join(cosigners) or 'none of them'}: not enough")
    if wanted.quorum and size < proved.last.sequence:
        raise UnprovedError("witnesses", f"they cosigned {size} events, and the round ends at {proved.last.sequence}")
    return cosigners


def _proof(file: Path) -> "Proof":
    from tablectl.journal.reading.rows import UnreadableError
    from tablectl.proof.document import LONGEST, DocumentError, read_proof

    try:
        with file.open("rb") as source:
            return read_proof(source.read(LONGEST + 1))
    except OSError as error:
        raise UnreadableError(f"{file} can't be read: {error.strerror}") from None
    except DocumentError as error:
        raise DocumentError(f"{file}: {error}") from None


def _form(proof: "Proof", proved: "Proved") -> dict[str, Any]:
    return {
        "origin": proof.origin,
        "round_id": proof.round_id,
        "first": proved.first.sequence,
        "last": proved.last.sequence,
        "ended": proved.ended,
        "corrections": proved.corrections,
        "checkpoint": proved.checkpoint.size,
        "kept": proved.kept,
        "simulated": proved.simulated,
    }


def summary(proof: "Proof", proved: "Proved") -> Iterator[str]:
    """Yield what is proved, a line each, and what is not."""
    from tablectl.proof.note import fingerprint

    _, site, table, log = proof.origin.split("/") if proof.origin.count("/") == 3 else ("", "", proof.origin, "")
    yield f"table       {site}/{table}, log {log}"
    state = "over" if proved.ended else "not over yet"
    numbers = f"events {proved.first.sequence} to {proved.last.sequence}, none left out"
    yield f"round       {proof.round_id}, {state}: {numbers}; from {proved.first.time} to {proved.last.time}"
    if proved.corrections:
        yield f"after it    {proved.corrections} more about it, such as corrections"
    yield f"checkpoint  of {proved.checkpoint.size} events, signed by {fingerprint(proof.public)}"
    if proved.kept is None:
        yield "kept        no checkpoint was given: a log that was rewritten as a whole and signed anew isn't seen"
    else:
        yield f"kept        the log continues the kept checkpoint of {proved.kept} events"
    if proved.simulated:
        yield "simulated   yes: these are no real hands"


def succession(trusted: bytes, proof: "Proof") -> Iterator[str]:
    """Yield the keys that followed the trusted one.

    Each was announced by the one before it. There are none where none followed.
    """
    from tablectl.proof.judge import keys_of
    from tablectl.proof.note import fingerprint

    keys = keys_of(proof)
    for old, new in pairwise(keys[keys.index(trusted) :]):
        yield f"key         {fingerprint(old)} was followed by {fingerprint(new)}"


def _localized(line: str, language: Language) -> str:
    return retold(line, language, "cli.proof")


def _leave(message: str, code: int) -> NoReturn:
    write_line(message, err=True)
    raise SystemExit(code)
