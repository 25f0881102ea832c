"""Every prompt of every game asks for a request of that game, or waits for something that no request does."""

import tomllib
from pathlib import Path

import pytest

from tablectl import words
from tablectl.console.requests.table import VERBS
from tablectl.core.events.text import saying
from tablectl.daemon.views.actions import next_step

CATALOGUE = Path(words.__file__).parent / "en.toml"
WAITS = frozenset(
    {
        "fault", "shuffler_fault", "device", "signal", "closed_shuffling", "shuffling", "betting_turning",
        "closed_turning", "mismatch", "conflict", "no_draw",
        "shown_again",
    }
)  # fmt: skip
"""Prompts that wait for a person, a machine at work, or a supervisor."""

PROMPTS = [
    f"prompt.{game}.{name}"
    for game, prompts in tomllib.loads(CATALOGUE.read_text("utf-8"))["prompt"].items()
    for name in prompts
]


@pytest.mark.parametrize("key", PROMPTS)
def test_prompt_asks_for_request_or_act_at_device(key: str) -> None:
    step = next_step(saying(key))
    waits = key.rpartition(".")[2] in WAITS
    assert (step["verb"] is None and step["device"] is None) == waits
    assert step["verb"] is None or step["verb"] in VERBS
