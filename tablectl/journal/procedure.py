"""The procedure version: which build's fold a journal's records were written for.

Each session names the version in its terms. A build folds the records of its own version only. Those of a version
before end in a snapshot, which `TAKE_OVERS` converts; what followed between rounds is folded from there, and stored
events are never made again.

To change what the fold makes of a fact (a phase, a refusal, an effect, a field of the state without a default): raise
`PROCEDURE` by one, once for each release, and let a step of `TAKE_OVERS` make a snapshot of the version before one of
the new version. Words for people and fields that have defaults need no new version.
"""

import json
from collections.abc import Callable, Mapping
from typing import Any, Final

from tablectl.core.table import EVERYBODY

PROCEDURE: Final = 5
UNNAMED: Final = 2
"""The version of terms that name none."""


def snapshot_form(procedure: int = PROCEDURE) -> str:
    """The name of a snapshot's form under this version."""
    return f"table/{procedure}"


def procedure_of(terms: str) -> int:
    """Return the procedure version that a session's terms name.

    A log that doesn't name its terms counts as this build's.
    """
    if not terms:
        return PROCEDURE
    try:
        version = json.loads(terms).get("procedure", UNNAMED)
    except (ValueError, RecursionError, AttributeError):
        return UNNAMED
    return version if type(version) is int else UNNAMED


def _with_forgotten(state: dict[str, Any]) -> dict[str, Any]:
    """Convert a state of version 2, which didn't note which answers it forgot.

    Nobody's request of that time is carried out any more.
    """
    return {**state, "forgotten": [[EVERYBODY, state["records"]]]}


def _as_it_is(state: dict[str, Any]) -> dict[str, Any]:
    """Return the same state: versions 3 and 4 differ from it only during a round."""
    return state


TAKE_OVERS: Final[Mapping[int, Callable[[dict[str, Any]], dict[str, Any]]]] = {
    2: _with_forgotten,
    3: _as_it_is,
    4: _as_it_is,
}
"""A table's state between rounds, from each earlier version to the next one's form; defaults may be missing in it."""


def converted(version: str, state: bytes) -> bytes | None:
    """Convert a snapshot to this version's form; None if it can't be taken over.

    One of this version is returned as it is.
    """
    if version == snapshot_form():
        return state
    since = next((number for number in TAKE_OVERS if version == snapshot_form(number)), None)
    if since is None:
        return None
    try:
        form = json.loads(state)
        for number in range(since, PROCEDURE):
            form = TAKE_OVERS[number](form)
        return json.dumps(form, ensure_ascii=False).encode()
    except (ValueError, RecursionError, KeyError, TypeError):
        return None
