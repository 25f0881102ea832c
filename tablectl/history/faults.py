"""The faults that stood at a moment, by the journal's events."""

from collections.abc import Sequence
from typing import Any, Final

from tablectl.history.explain.steps import event_form
from tablectl.journal.reading.ranges import topic_back
from tablectl.journal.reading.reader import JournalReader

FAULTS_BACK: Final = 20_000
"""Events before the moment in which faults are looked for that stood then."""


def standing_faults(reader: JournalReader, before: int) -> Sequence[dict[str, Any]]:
    """The data of each fault that was raised before this event and not cleared.

    The newest comes first.

    Its reason is the last one; `since` is when it was first raised.

    Raises:
        UnreadableError: the journal can't be read.
    """
    standing: dict[tuple[int, str], dict[str, Any]] = {}
    over: set[tuple[int, str]] = set()
    for row in topic_back(reader, "event/fault", before, before - FAULTS_BACK):
        form = event_form(row)
        data, kind = form.get("data", {}), str(form.get("type", ""))
        key = int(data.get("code", 0)), str(data.get("device", ""))
        if "cleared" in kind:
            over.add(key)
        elif "raised" in kind and key[0] and key not in over:
            standing.setdefault(key, {**data})["since"] = form.get("time")
    return list(standing.values())
