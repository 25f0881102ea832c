"""Checkpoints that enough witnesses have cosigned, among those that are kept."""

from typing import Final

from tablectl.features.recorder.stores.store import Reading
from tablectl.proof.cosignature import Policy
from tablectl.proof.note import NoteError, read_note

AT_ONCE: Final = 20
MOST_LOOKED_AT: Final = 1_000
"""Checkpoints of a log that are looked through, the newest first."""


def holds(policy: Policy, note: str) -> bool:
    """Return True if enough witnesses have cosigned this note.

    One with a wrong cosignature counts for nothing.
    """
    try:
        return policy.holds(policy.cosigners(read_note(note)))
    except NoteError:
        return False


async def cosigned_events(reading: Reading, source: str, policy: Policy) -> int:
    """How many events of a log lie under a checkpoint that enough have cosigned.

    It is the newest such checkpoint that counts; 0 where there is none among those looked at.
    """
    for skipped in range(0, MOST_LOOKED_AT, AT_ONCE):
        notes = await reading.notes(source, skipped, AT_ONCE)
        for size, note in notes:
            if holds(policy, note):
                return size
        if len(notes) < AT_ONCE:
            break
    return 0
