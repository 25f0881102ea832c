"""Daemons that prove wrongly: what they give shows nothing, or isn't given to whom it should be."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import tablectl.daemon.requests.service
import tablectl.history.prove
import tablectl.mqtt.requests
from tablectl.core.actions.subscriber_requests import Denied
from tablectl.proof.document import ProvedEvent
from tests.simulation.wrong import Patch

_PROVE: Any = tablectl.history.prove


def _unseen(*patches: Patch) -> list[Patch]:
    """The daemon doesn't look at its proofs before it gives them."""
    return [(tablectl.history.prove, "_see_that_it_holds", lambda _proof, _kept: None), *patches]


def proves_in_a_tree_of_another_size() -> list[Patch]:
    def smaller(row: Any, tree: Any, size: int) -> ProvedEvent:
        return ProvedEvent(row.sequence, row.payload, tree.inclusion(row.sequence - 1, max(row.sequence, size - 1)))

    return _unseen((tablectl.history.prove, "_proved", smaller))


def proves_the_event_beside() -> list[Patch]:
    def beside(row: Any, tree: Any, size: int) -> ProvedEvent:
        return ProvedEvent(row.sequence, row.payload, tree.inclusion(row.sequence % size, size))

    return _unseen((tablectl.history.prove, "_proved", beside))


def _proving(change: Callable[[Any], Any]) -> list[Patch]:
    """Changes each proof that is given."""
    make_proof = _PROVE.make_proof
    return [(tablectl.history.prove, "make_proof", lambda *given, **named: change(make_proof(*given, **named)))]


def leaves_an_event_out() -> list[Patch]:
    return _proving(lambda proof: replace(proof, events=(*proof.events[:-2], *proof.events[-1:])))


def proves_under_what_it_never_signed() -> list[Patch]:
    def unsigned(proof: Any) -> Any:
        text, gap, line = proof.checkpoint.rpartition(" ")
        return replace(proof, checkpoint=f"{text}{gap}{line[:8]}{'B' if line[8] == 'A' else 'A'}{line[9:]}")

    return _proving(unsigned)


def proves_the_first_round_always() -> list[Patch]:
    make_proof = _PROVE.make_proof
    first: dict[Any, str] = {}

    def old(reader: Any, round_id: str, *rest: Any, **named: Any) -> Any:
        return make_proof(reader, first.setdefault(reader.folder, round_id), *rest, **named)

    return [(tablectl.history.prove, "make_proof", old)]


def proves_nothing() -> list[Patch]:
    return [(tablectl.daemon.requests.service, "proof_of", lambda _folder, _round_id: Denied("unprovable", "not now"))]


def proves_to_everybody() -> list[Patch]:
    unanswerable: Callable[[Any, Any], Denied | None] = tablectl.mqtt.requests._unanswerable  # pyright: ignore[reportPrivateUsage]

    def open_to_all(who: Any, request: Any) -> Denied | None:
        return None if request.verb == "prove" else unanswerable(who, request)

    return [(tablectl.mqtt.requests, "_unanswerable", open_to_all)]
