"""The rules of the checker that no daemon breaks often enough to be caught by a mutant, on histories made by hand."""

import base64
import hashlib
import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from tests.simulation.checker.case import Case, leaf, roots
from tests.simulation.checker.devices import nothing_is_carried_out_twice
from tests.simulation.checker.proofs import proofs_are_given, proofs_hold, root_over
from tests.simulation.checker.screens import a_restart_changes_nothing
from tests.simulation.history import EventRow, Executed, History, Image, Published, Row, Shown, Wanted

COMPLETED = {
    "fact": "shuffle_completed",
    "source": "shuffler",
    "delivery": "0000000a:3",
    "body": {"device": "shuffler", "operation": 7, "count": 52},
}
IN_PLAY: dict[str, Any] = {"count_due": False, "doubt": None, "pack": "ready", "wheel": {"turning": False, "turns": 2}}


def case_of(facts: Sequence[Any], executed: Sequence[Executed] = (), shown: Sequence[Shown] = ()) -> Case:
    rows = tuple(Row(nth, 0, json.dumps(fact).encode(), b"", b"") for nth, fact in enumerate(facts, 1))
    history = History(lambda: 0.0, executed=list(executed), shown=list(shown))
    history.images.append(Image(0.0, 1, rows, (), {}))
    return Case(history)


def shuffles(*boots: int) -> list[Executed]:
    return [Executed("shuffler", "shuffles", 7, boot) for boot in boots]


def test_shuffle_may_repeat_when_power_went_before_its_report() -> None:
    assert list(nothing_is_carried_out_twice(case_of([], shuffles(10, 11)))) == []


def test_reported_shuffle_is_not_repeated_after_power_loss() -> None:
    assert len(list(nothing_is_carried_out_twice(case_of([COMPLETED], shuffles(10, 11))))) == 1


def test_powered_device_never_shuffles_twice() -> None:
    assert len(list(nothing_is_carried_out_twice(case_of([], shuffles(10, 10))))) == 1


def test_draw_may_not_be_made_twice_whatever_its_device_forgot() -> None:
    draws = [Executed("draw", "draws", 7, boot) for boot in (10, 11)]
    assert len(list(nothing_is_carried_out_twice(case_of([], draws)))) == 1


def restarted(was: dict[str, Any], now: dict[str, Any]) -> list[str]:
    lives = enumerate((was, now), 1)
    states = [
        (life, {"game": "q_poker", "seen": life, "round_id": "a-1", "phase": "dealing", "round": {**IN_PLAY, **each}})
        for life, each in lives
    ]
    shown = [Shown(float(life), life, state, json.dumps(state)) for life, state in states]
    return list(a_restart_changes_nothing(case_of([{"fact": "bet_offered"}, {"fact": "session_began"}], (), shown)))


@pytest.mark.parametrize(
    ("was", "now"),
    [
        ({"count_due": False}, {"count_due": True}),
        ({"doubt": None}, {"doubt": "away"}),
        ({"pack": "shuffling"}, {"pack": "needed"}),
        ({"wheel": {"turning": True, "turns": 2}}, {"wheel": {"turning": False, "turns": 2}}),
    ],
)
def test_a_restart_may_put_into_doubt_what_nobody_saw(was: dict[str, Any], now: dict[str, Any]) -> None:
    assert restarted(was, now) == []


@pytest.mark.parametrize(
    ("was", "now"),
    [
        ({"count_due": True}, {"count_due": False}),
        ({"doubt": "away"}, {"doubt": None}),
        ({"pack": "ready"}, {"pack": "needed"}),
        ({"pack": "shuffling"}, {"pack": "ready"}),
        ({"wheel": {"turning": False, "turns": 2}}, {"wheel": {"turning": False, "turns": 0}}),
        ({"wheel": {"turning": False, "turns": 2}}, {"wheel": {"turning": True, "turns": 2}}),
    ],
)
def test_restart_neither_withdraws_doubt_nor_undoes_deeds(was: dict[str, Any], now: dict[str, Any]) -> None:
    assert len(restarted(was, now)) == 1


def test_power_loss_of_a_dealing_shuffler_voids_the_round() -> None:
    attached = [
        {"fact": "device_attached", "body": {"device": "shuffler", "boot": boot}} for boot in ("0000000a", "0000000b")
    ]
    idle: dict[str, Any] = {"game": "q_poker", "round_id": None, "phase": "idle", "round": {}}
    open_round = {**idle, "round_id": "a-1", "phase": "dealing", "round": IN_PLAY}
    shown = [
        Shown(float(life), life, {**state, "seen": life}, str(life)) for life, state in ((1, open_round), (2, idle))
    ]
    case = case_of(attached, (), shown)
    assert len(list(a_restart_changes_nothing(case))) == 1
    void = json.dumps({"type": "mo.tablectl.round.void.v1", "subject": "a-1"}).encode()
    case.history.images[-1] = replace(case.final, events=(EventRow(1, 2, "event/round", void),))
    assert list(a_restart_changes_nothing(Case(case.history))) == []


@pytest.mark.parametrize(("boot", "flaws"), [("0000000a", 1), ("0000000b", 0)])
def test_pack_becomes_unfit_only_by_its_shufflers_power_loss(boot: str, flaws: int) -> None:
    bodies = ({"device": "shuffler", "boot": each} for each in ("0000000a", boot))
    attached = [{"fact": "device_attached", "body": body} for body in bodies]
    betting = {"game": "q_poker", "round_id": "a-1", "phase": "betting"}
    packs = ((1, "ready"), (2, "needed"))
    shown = [Shown(float(n), n, {**betting, "seen": n, "round": {**IN_PLAY, "pack": pack}}, "") for n, pack in packs]
    assert len(list(a_restart_changes_nothing(case_of(attached, (), shown)))) == flaws


def root(leaves: Sequence[bytes]) -> bytes:
    """The tree's root by the definition of RFC 9162, section 2.1.1."""
    if len(leaves) < 2:
        return leaves[0] if leaves else hashlib.sha256(b"").digest()
    half = 1 << ((len(leaves) - 1).bit_length() - 1)
    return hashlib.sha256(b"\1" + root(leaves[:half]) + root(leaves[half:])).digest()


def test_roots_of_a_growing_log_are_those_of_the_definition() -> None:
    leaves = [hashlib.sha256(bytes([nth])).digest() for nth in range(70)]
    assert roots(leaves) == [root(leaves[:size]) for size in range(71)]


KEY = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))
PUBLIC = KEY.public_key().public_bytes_raw()
LOG = "tablectl/site/table/0a0a0a0a"
KINDS = (
    "audit.log_began",
    "round.opened",
    "bet.placed",
    "audit.bookmark",
    "round.settled",
    "round.opened",
    "bet.placed",
)
ROUNDS = (None, "a-1", "a-1", None, "a-1", "a-2", "a-2")
EVENTS = [
    json.dumps(
        {"type": f"mo.tablectl.{kind}.v1", "source": f"/{LOG}", "sequence": f"{nth:016d}"}
        | ({"correlationid": name} if name else {})
    ).encode()
    for nth, (kind, name) in enumerate(zip(KINDS, ROUNDS, strict=True), 1)
]
LEAVES = [leaf(event) for event in EVENTS]


def path(nth: int, leaves: Sequence[bytes]) -> list[bytes]:
    """What stands beside the way from a leaf to the root, by the definition of RFC 6962, section 2.1.1."""
    if len(leaves) == 1:
        return []
    half = 1 << ((len(leaves) - 1).bit_length() - 1)
    if nth < half:
        return [*path(nth, leaves[:half]), root(leaves[half:])]
    return [*path(nth - half, leaves[half:]), root(leaves[:half])]


def coded(raw: bytes) -> str:
    return base64.b64encode(raw).decode()


def note(
    size: int,
    key: Ed25519PrivateKey = KEY,
    *,
    leaves: Sequence[bytes] = LEAVES,
    origin: str = LOG,
    signs: str | None = None,
) -> str:
    text = f"{origin}\n{size}\n{coded(root(leaves[:size]))}\n"
    key_id = hashlib.sha256(LOG.encode() + b"\n\1" + key.public_key().public_bytes_raw()).digest()[:4]
    return f"{text}\n— {LOG} {coded(key_id + key.sign((signs or text).encode()))}\n"


def proof(name: str, numbers: Sequence[int], size: int) -> dict[str, Any]:
    events = [
        {
            "sequence": number,
            "payload": EVENTS[number - 1].decode(),
            "inclusion": [coded(each) for each in path(number - 1, LEAVES[:size])],
        }
        for number in numbers
    ]
    return {"round": name, "public_key": coded(PUBLIC), "checkpoint": note(size), "events": events}


def asked_for(answer: dict[str, Any], name: str = "a-1", by: str = "watch", checkpoint_at_s: float = 2.0) -> Case:
    """Somebody asks for a proof at 3 s and is answered; a checkpoint covers six of the seven events."""
    history = History(
        lambda: 0.0, public_key=PUBLIC, calm_s=100.0, may={"watch": frozenset({"prove"}), "press": frozenset()}
    )
    history.wanted.append(Wanted(3.0, by, "prove", "x-1", {"round_id": name}))
    history.published = [Published(1.0, 1, "t/event/audit", payload, retained=False) for payload in EVENTS]
    history.published.append(Published(checkpoint_at_s, 1, "t/checkpoint", note(6).encode(), retained=True))
    payload = json.dumps({"transaction": "x-1", **answer}).encode()
    history.published.append(Published(4.0, 1, f"t/answer/{by}/x-1", payload, retained=False))
    return Case(history)


def test_path_to_the_root_is_valid_for_its_leaf_alone() -> None:
    leaves = [hashlib.sha256(bytes([nth])).digest() for nth in range(33)]
    for size in range(1, 34):
        for nth in range(size):
            way = path(nth, leaves[:size])
            assert [at for at in range(size) if root_over(leaves[at], at, size, way) == root(leaves[:size])] == [nth]
            assert root_over(leaves[nth], nth, size, [*way, bytes(32)]) is None


@pytest.mark.parametrize(
    ("name", "numbers", "size"),
    [("a-1", (2, 3, 4, 5), 7), ("a-1", (2, 3, 4, 5), 5), ("a-1", (2, 3), 3), ("a-2", (6,), 6), ("a-2", (6, 7), 7)],
)
def test_a_proof_of_a_whole_round_holds(name: str, numbers: Sequence[int], size: int) -> None:
    assert list(proofs_hold(asked_for({"data": proof(name, numbers, size)}, name))) == []


def with_event(at: int, **changed: Any) -> dict[str, Any]:
    given = proof("a-1", (2, 3, 4, 5), 6)
    given["events"][at] |= changed
    return given


GOOD = proof("a-1", (2, 3, 4, 5), 6)
STRANGER = Ed25519PrivateKey.from_private_bytes(bytes(32))
WRONG_PROOFS: dict[str, tuple[dict[str, Any], str]] = {
    "of another round": (proof("a-2", (6,), 6), "another round"),
    "that names another key": ({**GOOD, "public_key": coded(bytes(32))}, "another round or log"),
    "without an event": (proof("a-1", (2, 3, 5), 6), "has events"),
    "without its end": (proof("a-1", (2, 3, 4), 6), "has events"),
    "of no event": (proof("a-1", (), 6), "has events"),
    "with another event's number": (with_event(1, sequence=2), "has events"),
    "with other bytes": (with_event(1, payload=EVENTS[2].decode() + " "), "other bytes"),
    "with the way of the event beside": (with_event(1, inclusion=GOOD["events"][2]["inclusion"]), "under the root"),
    "with the way in a smaller tree": (
        with_event(1, inclusion=proof("a-1", (3,), 5)["events"][0]["inclusion"]),
        "under the root",
    ),
    "under another's signature": ({**GOOD, "checkpoint": note(6, STRANGER)}, "didn't sign"),
    "under a broken signature": ({**GOOD, "checkpoint": note(6, signs="another text")}, "didn't sign"),
    "under another log's checkpoint": ({**GOOD, "checkpoint": note(6, origin=f"{LOG}b")}, "didn't sign"),
    "under a root of other events": ({**GOOD, "checkpoint": note(6, leaves=LEAVES[::-1])}, "root over 6"),
    "that isn't one": ({"round": "a-1"}, "can't be read"),
}


@pytest.mark.parametrize(("wrong", "why"), WRONG_PROOFS.values(), ids=WRONG_PROOFS)
def test_a_wrong_proof_is_found_out(wrong: dict[str, Any], why: str) -> None:
    (flaw,) = proofs_hold(asked_for({"data": wrong}))
    assert why in flaw


def test_proof_of_events_that_broker_never_had_is_found_out() -> None:
    case = asked_for({"data": proof("a-1", (2, 3, 4, 5), 7)})
    case.said = [each for each in case.said if each[0].payload != EVENTS[6]]
    assert len(list(proofs_hold(case))) == 1


REFUSED: dict[str, Any] = {"error": {"code": "unprovable", "message": "not now"}}
TOO_MUCH: dict[str, Any] = {"error": {"code": "busy", "message": "later"}}


def test_a_round_under_a_checkpoint_may_not_be_refused() -> None:
    assert len(list(proofs_are_given(asked_for(REFUSED)))) == 1


def test_in_peace_no_error_will_do() -> None:
    case = asked_for(TOO_MUCH)
    case.history.calm_s = 2.5
    assert len(list(proofs_are_given(case))) == 1


@pytest.mark.parametrize("name", ["a-2", "a-3", None])
def test_a_round_that_no_checkpoint_covers_whole_may_be_refused(name: str) -> None:
    assert list(proofs_are_given(asked_for(REFUSED, name))) == []


def test_proof_is_refused_before_the_checkpoint_and_by_the_busy() -> None:
    assert list(proofs_are_given(asked_for(REFUSED, checkpoint_at_s=3.5))) == []
    assert list(proofs_are_given(asked_for(TOO_MUCH))) == []


def test_who_may_have_no_proof_gets_error_and_nothing_else() -> None:
    assert len(list(proofs_are_given(asked_for({"data": proof("a-1", (2, 3, 4, 5), 6)}, by="press")))) == 1
    assert list(proofs_are_given(asked_for(REFUSED, by="press"))) == []
