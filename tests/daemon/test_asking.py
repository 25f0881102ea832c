"""Proofs that subscribers ask for: only what the table has said already, in words that help who asks over MQTT."""

from pathlib import Path

from tablectl.core.actions.subscriber_requests import Answer, Denied
from tablectl.daemon.requests.rooms import proof_of
from tests.proof.journals import go_on, played


def test_round_without_a_checkpoint_is_asked_for_later(tmp_path: Path) -> None:
    played(tmp_path, 2)
    go_on(tmp_path)
    assert isinstance(proof_of(tmp_path, "r1"), Answer)
    message = "no signed checkpoint covers round s1 yet: ask again after the next one"
    assert proof_of(tmp_path, "s1") == Denied("unprovable", message)


def test_a_round_of_another_log_is_none(tmp_path: Path) -> None:
    played(tmp_path, 1)
    answer = proof_of(tmp_path, "never-1")
    assert isinstance(answer, Denied)
    assert answer.code == "unknown_round"
    assert "never-1" in answer.message
