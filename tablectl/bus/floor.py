"""Waiting for one's turn to speak: on each connection first a look at ``status``, and a question where it is taken."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import Final

from tablectl.bus.client import Message
from tablectl.bus.presence import Life, Presence

LOOK_S: Final = 0.05
"""How long a kept status may take to come after the subscription; most brokers send it before they answer.

Where it comes later still, two sessions speak for a moment, hear each other, and one of them stops.
"""

ANSWER_S: Final = 3.0
"""How long a session at work has to publish its status again."""

ASK_AGAIN_S: Final = 30.0
"""How often a waiting session asks whether the other is still there: his last word may be lost with a broker."""


class Floor:
    """Who may speak on one connection.

    Args:
        speak: begins or goes on to publish.
        hush: stops that.
        ask: publishes our status as that of one who waits.
    """

    def __init__(
        self, presence: Presence, speak: Callable[[], None], hush: Callable[[], None], ask: Callable[[], None]
    ) -> None:
        self.speaking = False
        self._presence = presence
        self._speak = speak
        self._hush = hush
        self._ask = ask
        self._looked = False
        self._news = asyncio.Event()

    def heard(self, message: Message) -> bool:
        """Takes a status in; returns whether ours has to be published over it."""
        again = self._presence.heard(message.payload, retained=message.retained, speaking=self.speaking)
        self._looked = True
        self._news.set()
        return again

    def give_way(self, other: Life) -> None:
        """Stops speaking, because this one was asked to go on in our place."""
        self._presence.give_way(other)
        self._news.set()

    async def run(self) -> None:
        """Gives the floor to us whenever nobody else has it, until cancelled. The subscription stands."""
        await self._until(lambda: self._looked, LOOK_S)
        while True:
            if self._presence.rival is None:
                self.speaking = True
                self._speak()
                await self._until(lambda: self._presence.rival is not None)
            else:
                await self._wait_for_the_other()

    async def _wait_for_the_other(self) -> None:
        presence = self._presence
        self.speaking = False
        self._hush()
        presence.ask()
        self._ask()
        await self._until(lambda: presence.answered or presence.rival is None, ANSWER_S)
        presence.judge()
        self._hush()
        if presence.rival is not None:
            await self._until(lambda: presence.rival is None, ASK_AGAIN_S)

    async def _until(self, true: Callable[[], bool], longest_s: float | None = None) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(longest_s):
                while not true():
                    self._news.clear()
                    await self._news.wait()
