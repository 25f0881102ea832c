"""`tablectl prove`: one round with all that shows that it is in the log."""

from collections.abc import Callable, Sequence
from contextlib import suppress

from tablectl.core.amending.counted_round import OPENED, ends_that_stand
from tablectl.core.events import TYPE_PREFIX
from tablectl.history.cold_files import round_number
from tablectl.journal.reading.reader import JournalReader
from tablectl.journal.reading.rows import EventRow, Remembered
from tablectl.journal.reading.verify import BrokenError, Kept, verify
from tablectl.proof.checkpoint import Checkpoint, open_checkpoint
from tablectl.proof.document import Continuation, Proof, ProvedEvent
from tablectl.proof.envelope import Envelope, read_envelope
from tablectl.proof.judge import UnprovedError, judge
from tablectl.proof.note import NoteError
from tablectl.proof.tiles import TiledTree
from tablectl.words.terminal import visible

Sign = Callable[[Checkpoint], str]
"""Makes a signed note of a checkpoint."""


class UnprovableError(Exception):
    """The proof can't be made: why, in one line.

    Attributes:
        code: a word for programs.
    """

    code = "unprovable"


class UnknownRoundError(UnprovableError):
    """The journal has no such round."""

    code = "unknown_round"


class OpenRoundError(UnprovableError):
    """The round isn't over."""

    code = "open_round"


class PrunedError(UnprovableError):
    """Events of the round aren't stored any more."""

    code = "pruned"


class UncoveredError(UnprovableError):
    """No signed checkpoint covers the round yet, and none can be signed here."""


def make_proof(
    reader: JournalReader,
    round_id: str,
    sign: Sign | None,
    kept: str | None = None,
    *,
    under: str | None = None,
    only_ended: bool = False,
) -> Proof:
    """The proof of a round.

    Args:
        sign: None where the private key isn't at hand; then the journal's last checkpoint has to do.
        kept: a checkpoint, a signed note, that the log has to be shown to continue.
        under: a kept checkpoint by which the round is proved, instead of the journal's last or a new one.
        only_ended: refuse a round that isn't over.

    Raises:
        UnprovableError: there is no such round, it isn't over, or no checkpoint covers it.
        UnreadableError: the journal can't be read.
    """
    own, end = _round(reader, round_id)
    if only_ended and not end:
        raise OpenRoundError(f"round {round_id} is not over: ask again after its end")
    needed = max(own)
    keys, tree = _keys(reader), reader.tree()
    older = _opened("the kept checkpoint", kept, keys) if kept else None
    if under:
        note, checkpoint = under, kept_over(reader, under, needed)
    else:
        note, checkpoint = covering(reader, max(needed, older.size if older else 0), sign)
    last = end or checkpoint.size
    wanted = [*range(min(own), last + 1), *(each for each in own if last < each <= checkpoint.size)]
    events = tuple(_proved(reader.event(each), tree, checkpoint.size) for each in wanted)
    continuation = _continuation(older, checkpoint, tree) if older else None
    nth = _signer_of(note, keys)
    changes = reader.key_changes()[:nth]
    proof = Proof(round_id, checkpoint.origin, keys[nth], note, events, continuation, changes)
    _see_that_it_holds(proof, kept)
    return proof


def _see_that_it_holds(proof: Proof, kept: str | None) -> None:
    """Judge the proof as its recipient will.

    A damaged journal may give one that doesn't hold.
    """
    try:
        judge(proof, proof.public, kept)
    except UnprovedError as error:
        raise UnprovableError(f"the proof would not hold ({error}): `tablectl journal verify` says more") from None


def _round(reader: JournalReader, round_id: str) -> tuple[Sequence[int], int]:
    """The numbers of the round's events, and that of the end that stands.

    The latter is 0 while the round isn't over.
    """
    told = (envelope for row in reader.events_naming(round_id) if (envelope := _envelope(row)))
    own = [envelope for envelope in told if round_id and envelope.round_id == round_id]
    kinds, pruned = [envelope.kind for envelope in own], reader.pruned()
    if own and (OPENED in kinds or not pruned):
        ends = ends_that_stand(kinds)
        return [envelope.sequence for envelope in own], own[ends[-1]].sequence if ends else 0
    if not pruned:
        raise UnknownRoundError(f"the journal has no round {round_id}")
    log, number = reader.origin().rpartition("/")[2], round_number(round_id)
    was_there = round_id.startswith(f"{log}-") and 0 < number <= (_newest_round(reader) or number)
    unknown = PrunedError if own or was_there else UnknownRoundError
    raise unknown(f"the journal has no round {round_id}; the events up to {pruned} were pruned")


def _newest_round(reader: JournalReader) -> int:
    """The number of the newest round that is stored; 0 where none is."""
    opened = reader.naming_back(f'"{TYPE_PREFIX}{OPENED}"')
    newest = next((envelope for row in opened if (envelope := _envelope(row))), None)
    return round_number(newest.round_id) if newest else 0


def _envelope(row: EventRow) -> Envelope | None:
    try:
        return read_envelope(row.payload)
    except ValueError:
        return None


def covering(reader: JournalReader, needed: int, sign: Sign | None) -> tuple[str, Checkpoint]:
    """Return a signed checkpoint of so many events or more.

    It is the journal's own where that is enough, else a new one.

    Raises:
        UncoveredError: none covers them, and `sign` is None.
        UnprovableError: the journal doesn't continue its last checkpoint, or is shorter.
    """
    keys, tree = _keys(reader), reader.tree()
    note = reader.meta().get(Remembered.CHECKPOINT)
    last = _opened("the journal's last checkpoint", note, keys) if note else None
    if last and (last.size > reader.tree_size or tree.root(last.size) != last.root):
        raise UnprovableError("the journal doesn't continue its last checkpoint: `tablectl journal verify` says more")
    if note and last and last.size >= needed:
        return note, last
    if needed > reader.tree_size:
        raise _cut(needed, reader)
    if sign is None:
        raise UncoveredError(
            f"no signed checkpoint covers event {needed} yet, and the log's private key can't be read to sign one:"
            " run this with sudo, or as user tablectl"
        )
    return _signed(reader, sign, [Kept("the journal's last checkpoint", last)] if last else [])


def kept_over(reader: JournalReader, note: str, needed: int) -> Checkpoint:
    """Return a kept checkpoint of this journal that covers so many events.

    Raises:
        UnprovableError: it is none, of another log or history, or older than these events.
    """
    kept = _opened("the kept checkpoint", note, _keys(reader))
    if kept.size > reader.tree_size:
        raise _cut(kept.size, reader)
    _continuation(kept, reader.checkpoint(), reader.tree())
    if kept.size < needed:
        raise UnprovableError(f"the kept checkpoint has {kept.size} events, and {needed} are needed: take a newer one")
    return kept


def _cut(kept: int, reader: JournalReader) -> UnprovableError:
    size = reader.tree_size
    return UnprovableError(
        f"the kept checkpoint has {kept} events, the journal {size}: it was cut or rolled back to an older copy"
    )


def _signed(reader: JournalReader, sign: Sign, kept: Sequence[Kept]) -> tuple[str, Checkpoint]:
    """A new checkpoint.

    Only a journal that is whole is signed: a signature can't be taken back.
    """
    try:
        verify(reader, kept)
    except BrokenError as error:
        raise UnprovableError(f"the journal is broken: {error}") from None
    now = reader.checkpoint()
    return sign(now), now


def _keys(reader: JournalReader) -> tuple[bytes, ...]:
    try:
        return reader.keys()
    except NoteError as error:
        raise UnprovableError(
            f"the key beside the journal isn't the one that its facts lead to: {visible(str(error))}"
        ) from None


def _opened(what: str, note: str, keys: Sequence[bytes]) -> Checkpoint:
    try:
        return open_checkpoint(note, keys[_signer_of(note, keys)])
    except NoteError as error:
        raise UnprovableError(f"{what}: {error}") from None


def _signer_of(note: str, keys: Sequence[bytes]) -> int:
    """Which of the log's keys signed a checkpoint; the first where none did."""
    for nth in range(len(keys) - 1, 0, -1):
        with suppress(NoteError):
            open_checkpoint(note, keys[nth])
            return nth
    return 0


def _proved(row: EventRow, tree: TiledTree, size: int) -> ProvedEvent:
    if not row.payload:
        raise PrunedError(f"event {row.sequence} was pruned")
    return ProvedEvent(row.sequence, row.payload, tree.inclusion(row.sequence - 1, size))


def _continuation(older: Checkpoint, checkpoint: Checkpoint, tree: TiledTree) -> Continuation:
    if older.origin != checkpoint.origin:
        raise UnprovableError(f"the kept checkpoint is of the log {older.origin}, this is {checkpoint.origin}")
    if tree.root(older.size) != older.root:
        raise UnprovableError(
            f"the journal was rewritten: its first {older.size} events aren't those of the kept checkpoint"
        )
    return Continuation(older.size, tree.consistency(older.size, checkpoint.size))
