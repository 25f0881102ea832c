"""The demo's part of the screen: what it started, what it staged, and what became of it all."""

import asyncio
import json
from collections import Counter
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from tablectl.tools.demo.options import Message, Reader
from tablectl.tools.demo.phrases import phrase
from tablectl.tools.demo.plan import Plan
from tablectl.words import Language

BOLD: Final = "1"
DIM: Final = "2"
YELLOW: Final = "33"
OPENED: Final = "mo.tablectl.round.opened.v1"
SETTLED: Final = "mo.tablectl.round.settled.v1"
VOID: Final = "mo.tablectl.round.void.v1"
IRREGULAR: Final = "mo.tablectl.round.irregular.v1"


@dataclass(slots=True)
class Tally:
    """What the feed has told of so far."""

    opened: int = 0
    settled: int = 0
    void: int = 0
    articles: "Counter[str]" = field(default_factory=Counter)

    @property
    def ended(self) -> int:
        """How many rounds have come to their end."""
        return self.settled + self.void

    def count(self, kind: str, data: dict[str, Any]) -> None:
        """Counts a message of this type."""
        match kind:
            case _ if kind == OPENED:
                self.opened += 1
            case _ if kind == SETTLED:
                self.settled += 1
            case _ if kind == VOID:
                self.void += 1
            case _ if kind == IRREGULAR:
                self.articles[data["article"]] += 1
            case _:
                pass


@dataclass(slots=True)
class Show:
    """Prints the feed as it comes."""

    reader: Reader
    language: Language
    write: Callable[[str], None]
    colour: bool
    tally: Tally = field(default_factory=Tally)
    _staged: dict[int, Plan] = field(default_factory=dict)
    _progress: asyncio.Event = field(default_factory=asyncio.Event)

    def stage(self, plan: Plan) -> None:
        """Remembers what will go wrong in a round, to be said when the feed comes to it."""
        self._staged[plan.number] = plan

    async def follow(self, feed: AsyncIterator[Message]) -> None:
        """Prints what comes, for ever."""
        async for message in feed:
            if "/event/" in message.topic:
                self._event(message)
            for line in self.reader.tell(message):
                self.write(line)

    async def until_ended(self, rounds: int) -> None:
        """Waits until the feed has told of the end of so many rounds."""
        while self.tally.ended < rounds:
            self._progress.clear()
            await self._progress.wait()

    def say(self, line: str, style: str = "") -> None:
        """Prints a line of the demo's own."""
        self.write(f"\x1b[{style}m{line}\x1b[0m" if style and self.colour else line)

    def header(self, lines: Sequence[tuple[str, str]], **title: str) -> None:
        """Says what was started."""
        self.say(phrase("title", self.language, **title), BOLD)
        self.table(lines)
        self.say("")

    def table(self, lines: Sequence[tuple[str, str]]) -> None:
        """Prints names and values, one under the other."""
        names = [phrase(key, self.language) if key else "" for key, _ in lines]
        width = max(map(_cells, names))
        for name, (_, value) in zip(names, lines, strict=True):
            self.say(f"  {name}{' ' * (width - _cells(name))}  {value}")

    def summary(self) -> None:
        """Says what became of it all."""
        tally = self.tally
        articles = ", ".join(f"{article} × {count}" for article, count in sorted(tally.articles.items()))
        self.say("")
        counts = {"rounds": tally.ended, "settled": tally.settled, "void": tally.void}
        self.say(phrase("summary", self.language, **counts), BOLD)
        self.table((("irregular", articles or phrase("none", self.language)),))
        self.say(f"  {self.reader.completeness()}")

    def _event(self, message: Message) -> None:
        form = json.loads(message.payload)
        if form["type"] == OPENED and (plan := self._staged.pop(self.tally.opened + 1, None)) and plan.mishap:
            what = phrase(f"staged.{plan.mishap}", self.language)
            self.say("")
            self.say(phrase("staged", self.language, what=what), YELLOW)
        self.tally.count(form["type"], form["data"])
        self._progress.set()


def _cells(text: str) -> int:
    """How many columns a text takes: a Chinese character takes two."""
    return sum(2 if "\u2e80" <= letter <= "\uffef" else 1 for letter in text)
