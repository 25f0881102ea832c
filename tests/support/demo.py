"""Demonstrations for tests: each is played once in a run, whichever worker asks first, and read by all."""

import fcntl
import json
import pickle
import shutil
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cache, cached_property
from pathlib import Path
from typing import Any, Final

import pytest

from tablectl.features.demo import layout
from tablectl.features.demo.games.chinese_dice import MISHAPS as DICE
from tablectl.features.demo.games.football_poker import MISHAPS as FOOTBALL
from tablectl.features.demo.games.q_poker import MISHAPS as Q_POKER
from tablectl.features.demo.games.thirteen_cards import MISHAPS as THIRTEEN
from tablectl.features.demo.games.wheel_of_fortune import MISHAPS as WHEEL
from tablectl.features.demo.layout import Options
from tablectl.features.demo.runner import demo
from tablectl.features.tail.follower import Follower
from tablectl.mqtt.message import Message
from tests.support.warm import tablectl_path

Form = dict[str, Any]

MISHAPS: Final[Mapping[str, tuple[StrEnum, ...]]] = {
    "q-poker": Q_POKER,
    "football-poker": FOOTBALL,
    "wheel-of-fortune": WHEEL,
    "chinese-dice": DICE,
    "thirteen-cards": THIRTEEN,
}

PLAIN: Final = Options(seed=7, speed=0, rounds=2, irregular=0)
"""Two rounds of Q Poker in which nothing goes wrong."""

EVENTFUL: Final[Mapping[str, Options]] = {
    game: Options(seed=3, game=game, speed=0, rounds=1 + len(mishaps), irregular=1) for game, mishaps in MISHAPS.items()
}
"""An ordinary round of each game, and one with each of its mishaps."""


class Keeper(Follower):
    """A reader that keeps what it hears, topic and payload, and says nothing."""

    def __init__(self, messages: Sequence[tuple[str, bytes]] = ()) -> None:
        super().__init__()
        self.messages = list(messages)

    def tell(self, message: Message) -> Sequence[str]:
        self.messages.append((message.topic, bytes(message.payload)))
        return ()

    def completeness(self) -> str:
        return "complete"

    def proved(self) -> bool:
        return True

    @cached_property
    def payloads(self) -> list[bytes]:
        """The events as they were published."""
        return [payload for topic, payload in self.messages if "/event/" in topic]

    @cached_property
    def forms(self) -> list[Form]:
        return [json.loads(payload) for payload in self.payloads]

    def rounds(self) -> list[list[Form]]:
        """The events of each round, in the order of the rounds."""
        by_round: dict[str, list[Form]] = defaultdict(list)
        for event in self.forms:
            if "subject" in event:
                by_round[event["subject"]].append(event)
        return [by_round[name] for name in sorted(by_round)]


@dataclass(frozen=True)
class Evening:
    """A demonstration that is over.

    Args:
        folder: what it kept, `state` and `daemon.log`: whoever writes there copies it first.
    """

    keeper: Keeper
    folder: Path


def played(options: Options) -> Keeper:
    """What a demonstration with these options published."""
    keeper = Keeper()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(layout, "DAEMON", (tablectl_path(), "run"))
        assert demo(options, keeper) == 0
    return keeper


@cache
def evening(run_folder: Path, options: Options) -> Evening:
    """A demonstration with these options, played if nobody has done it in this run."""
    folder = run_folder / f"demo-{options.game}-{options.seed}-{options.rounds}-{options.irregular}"
    folder.mkdir(exist_ok=True)
    kept, heard = folder / "kept", folder / "messages"
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not heard.exists():
            shutil.rmtree(kept, ignore_errors=True)  # of one that failed
            heard.write_bytes(pickle.dumps(played(replace(options, keep=kept)).messages))
    return Evening(Keeper(pickle.loads(heard.read_bytes())), kept)


def kind(event: Form) -> str:
    """What an event is, as `round.settled`."""
    return str(event["type"]).removeprefix("mo.tablectl.").removesuffix(".v1")
