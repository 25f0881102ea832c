"""`tablectl case`: the journal's and captures' record of a moment, with proofs.

All that they have of it goes into a folder that proves itself. No secrets go into it: no key but the public one, no
settings, no card that never lay face up.
"""

import base64
import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

from tablectl.core.amending.counted_round import OPENED, counted, kind_of
from tablectl.core.money import utc_text
from tablectl.features.case.moment import Moment
from tablectl.features.case.page import page_of
from tablectl.features.rounds.explain_html import html_of
from tablectl.history.explain.build import CAPTURES, UnknownRoundError, events_of_records
from tablectl.history.explain.cards import OpenCards
from tablectl.history.explain.frames import Listening
from tablectl.history.explain.model import Explanation, Frame, Renderers, Step
from tablectl.history.explain.steps import Telling, event_form, standing_faults
from tablectl.history.export import ExportError
from tablectl.history.prove import Sign, UncoveredError, UnprovableError, covering, kept_over, make_proof
from tablectl.journal.files import write_new_folder
from tablectl.journal.reading.ranges import records_between, topic_back
from tablectl.journal.reading.reader import JournalReader
from tablectl.journal.reading.rows import EventRow, Remembered
from tablectl.lazy_dataclass import dataclass
from tablectl.proof.checkpoint import sign_checkpoint
from tablectl.proof.document import write_proof
from tablectl.proof.note import NoteError, Signer, fingerprint, sign_note
from tablectl.words import Language

FORM: Final = 1
MANIFEST, SIGNATURE = "manifest.json", "manifest.note"
EVENTS, HASHES, CHECKPOINT, KEYS = "events.jsonl", "inclusion.json", "checkpoint.txt", "keys.json"

MOST_RECORDS: Final = 50_000
"""Records of one case: hours of a busy table."""

MOST_BYTES: Final = 512 << 20
"""Bytes of one case, all files together."""


class CaseError(Exception):
    """The case can't be made: why, in one line."""


def too_large() -> CaseError:
    """The error of a time in which more was recorded than a case holds."""
    return CaseError(f"more than {MOST_BYTES >> 20} MiB lie in that time: ask for fewer minutes")


Explain = Callable[[JournalReader, str], Explanation]
"""Explains a round of the journal."""


@dataclass(frozen=True, slots=True)
class Making:
    """Dependencies and settings for making a case.

    Args:
        explain: a round.
        made_us: now, UTC microseconds.
        version: of the program that makes it.
        signer: holds the log's private key; None where it can't be read, and then the case isn't signed.
        checkpoint: one that was kept, such as a cosigned one, by which all is proved; else the journal's last one or
            a new one.
    """

    rendering: Renderers
    explain: Explain
    language: Language
    made_us: int
    version: str
    signer: Signer | None = None
    checkpoint: str | None = None

    def sign(self) -> Sign | None:
        """How a checkpoint is signed; None where there is no key."""
        signer = self.signer
        return None if signer is None else lambda checkpoint: sign_checkpoint(checkpoint, signer)


def statement(origin: str, manifest: bytes) -> str:
    """Return the text that the log's key signs for a case.

    Its second line tells it from a checkpoint and a key's change.
    """
    return f"{origin}\ncase manifest\nsha256:{sha256(manifest)}\n"


def is_proved(name: str) -> bool:
    """Return True if the log itself proves a file of a case.

    Of the others only the signature says who wrote them.
    """
    return name in {EVENTS, HASHES, CHECKPOINT, KEYS} or name.startswith("proofs/")


def make_case(reader: JournalReader, moment: Moment, folder: Path, making: Making) -> str:
    """Writes the case into a new folder.

    Returns:
        The SHA-256 of its manifest, which names the SHA-256 of every other file.

    Raises:
        CaseError: the time is too long for one case, or more lies in it than one holds.
        ExportError: the folder is there already, or can't be written.
        UnreadableError: the journal can't be read.
    """
    if moment.last - moment.first >= MOST_RECORDS:
        raise CaseError(f"more than {MOST_RECORDS} records lie in that time: ask for fewer minutes")
    rows = [row for row in events_of_records(reader, moment.first, moment.last) if row.payload]
    files = dict(_files(reader, moment, rows, making))
    numbers = [row.sequence for row in rows]
    about = {**_about(reader, moment, making), "events": [numbers[0], numbers[-1]] if numbers else []}
    files["index.html"] = page_of(moment, about, files, making.rendering, making.language).encode()
    if sum(map(len, files.values())) > MOST_BYTES:
        raise too_large()
    sums = {
        name: {"sha256": sha256(data), "bytes": len(data), "proved": is_proved(name)}
        for name, data in sorted(files.items())
    }
    manifest = pretty({**about, "files": sums})
    origin, signer = reader.origin(), making.signer
    signed = {SIGNATURE: sign_note(statement(origin, manifest), origin, signer).encode()} if signer else {}
    _write(folder, {**files, MANIFEST: manifest, **signed})
    return sha256(manifest)


def sha256(data: bytes) -> str:
    """The digest as hexadecimal text."""
    return hashlib.sha256(data).hexdigest()


def pretty(form: Any) -> bytes:
    """The value as JSON that people can read."""
    return json.dumps(form, ensure_ascii=False, indent=1).encode() + b"\n"


def _about(reader: JournalReader, moment: Moment, making: Making) -> dict[str, Any]:
    return {
        "case": FORM,
        "made": utc_text(making.made_us),
        "by": f"tablectl {making.version}",
        "origin": reader.origin(),
        "key": fingerprint(reader.public_key()),
        "mark": moment.mark,
        "note": moment.note,
        "sequence": moment.sequence,
        "at": moment.at,
        "from": utc_text(moment.from_us),
        "to": utc_text(moment.to_us),
        "records": [moment.first, moment.last],
    }


def _files(reader: JournalReader, moment: Moment, rows: list[EventRow], making: Making) -> Iterator[tuple[str, bytes]]:
    explained = list(_explained(reader, rows, making))
    steps = list(_steps(reader, moment, rows, explained, making))
    yield EVENTS, b"".join(row.payload + b"\n" for row in rows)
    yield "facts.jsonl", _lines(_fact_line(step) for step in steps)
    yield "clock.jsonl", _lines(_clock_line(step) for step in steps)
    yield "frames.jsonl", _lines(asdict(frame) for frame in _frames(reader, moment, making, steps))
    yield "state.json", pretty(_state(reader, moment))
    yield KEYS, pretty({"public": _base64(reader.public_key()), "changes": list(reader.key_changes())})
    yield from _proved(reader, rows, making)
    for each in explained:
        yield f"rounds/{each.round_id}.json", pretty(each.form())
        yield f"rounds/{each.round_id}.html", html_of(each, making.rendering, making.language).encode()
        yield from _proof(reader, each.round_id, making)


def _lines(forms: Iterable[Mapping[str, Any]]) -> bytes:
    lines, left = list[bytes](), MOST_BYTES
    for form in forms:
        lines.append(json.dumps(form, ensure_ascii=False).encode() + b"\n")
        left -= len(lines[-1])
        if left < 0:
            raise too_large()
    return b"".join(lines)


def _explained(reader: JournalReader, rows: Iterable[EventRow], making: Making) -> Iterator[Explanation]:
    """The rounds of which something happened in that time."""
    names = dict.fromkeys(str(event_form(row).get("correlationid") or "") for row in rows)
    for name in names:
        try:
            yield making.explain(reader, name)
        except UnknownRoundError:
            continue  # pruned, or no round at all


def _steps(
    reader: JournalReader, moment: Moment, rows: list[EventRow], explained: list[Explanation], making: Making
) -> Iterator[Step]:
    """Yield every record of that time, as its round explains it.

    One that is in no round is explained without any card.
    """
    known = {step.record: step for each in explained for step in each.steps if step.when == "round"}
    outside = Telling(making.rendering, explained[0].game if explained else "", OpenCards(frozenset(), {}), {})
    events: dict[int, list[EventRow]] = {}
    for row in rows:
        events.setdefault(row.record, []).append(row)
    for record in records_between(reader, moment.first, moment.last):
        yield known.get(record.number) or outside.step(record, events.get(record.number, ()), "")


def _fact_line(step: Step) -> dict[str, Any]:
    form = asdict(step.fact)
    events = [each.sequence for each in step.messages]
    return {"record": step.record, "recorded": step.recorded, **form, "events": events}


def _clock_line(step: Step) -> dict[str, Any]:
    fact = step.fact
    return {
        "record": step.record,
        "time": fact.time,
        "recorded": step.recorded,
        "clock": fact.clock,
        "error_us": fact.error_us,
        "boot": fact.boot,
    }


def _frames(reader: JournalReader, moment: Moment, making: Making, steps: Iterable[Step]) -> Iterator[Frame]:
    """Yield the traffic of the links in that time.

    Cards are named in the rounds' own pages, where they may be.
    """
    folder = reader.folder / CAPTURES
    if folder.is_dir():
        times = sorted(step.fact.at_us for step in steps)
        listening = Listening(making.rendering.explaining, frozenset(), times)
        yield from (heard.frame for heard in listening.heard(folder, moment.from_us, moment.to_us))


def _state(reader: JournalReader, moment: Moment) -> dict[str, Any]:
    """Return the table's state at that moment, by the events up to it."""
    upto = moment.sequence + 1
    newest = _newest_round(reader, upto)
    is_over = counted(newest).ending is not None
    return {
        "sequence": moment.sequence,
        "round_id": newest[0].get("correlationid") if newest and not is_over else None,
        "last_round_event": kind_of(newest[-1]) if newest else "",
        "faults": list(standing_faults(reader, upto)),
    }


def _newest_round(reader: JournalReader, upto: int) -> list[dict[str, Any]]:
    """Return the events, before this number, of the round that was opened last.

    There are none before the first round.
    """
    found: list[dict[str, Any]] = []
    for row in topic_back(reader, "event/round", upto):
        found.append(event_form(row))
        if kind_of(found[-1]) == OPENED:
            return [form for form in found[::-1] if form.get("correlationid") == found[-1].get("correlationid")]
    return []


def _proved(reader: JournalReader, rows: list[EventRow], making: Making) -> Iterator[tuple[str, bytes]]:
    """Yield a checkpoint over the events, and each event's inclusion path to it.

    Where none covers them and none can be signed, it is the journal's last one.
    """
    needed = rows[-1].sequence if rows else 0
    try:
        if making.checkpoint is not None:
            note, size = making.checkpoint, kept_over(reader, making.checkpoint, needed).size
        else:
            note, checkpoint = covering(reader, needed, making.sign())
            size = checkpoint.size
    except UncoveredError:
        note = reader.meta().get(Remembered.CHECKPOINT) or ""
        if not note:
            return
        size = _size(note)
    except UnprovableError as error:
        raise CaseError(str(error)) from None
    tree = reader.tree()
    paths = {
        str(row.sequence): [_base64(node) for node in tree.inclusion(row.sequence - 1, size)]
        for row in rows
        if row.sequence <= size
    }
    yield CHECKPOINT, note.encode()
    yield HASHES, json.dumps({"size": size, "paths": paths}).encode() + b"\n"


def _size(note: str) -> int:
    try:
        return int(note.split("\n")[1])
    except (IndexError, ValueError):
        raise NoteError("the journal's last checkpoint isn't one") from None


def _base64(raw: bytes) -> str:
    return base64.b64encode(raw).decode("ascii")


def _proof(reader: JournalReader, round_id: str, making: Making) -> Iterator[tuple[str, bytes]]:
    """Yield the round's proof.

    There is none where no checkpoint covers it and none can be signed here, or where it was pruned.

    Raises:
        CaseError: the checkpoint that was kept doesn't cover it.
    """
    try:
        proof = make_proof(reader, round_id, making.sign(), under=making.checkpoint)
    except UnprovableError as error:
        if making.checkpoint is not None:
            raise CaseError(str(error)) from None
        return
    yield f"proofs/{round_id}.json", write_proof(proof).encode()


def _write(folder: Path, files: Mapping[str, bytes]) -> None:
    try:
        write_new_folder(folder, files)
    except FileExistsError:
        raise ExportError(f"{folder} is there already: name a new folder") from None
    except OSError as error:
        raise ExportError(f"{folder} can't be written: {error.strerror}") from None
