"""Output of the demo to a terminal or a file.

Its lines fit, and one may still change.
"""

import asyncio
import json
import re
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import field
from typing import Any, Final

from tablectl import words
from tablectl.core.cards import Place
from tablectl.features.demo.script import Planned
from tablectl.features.tail.follower import Follower
from tablectl.lazy_dataclass import dataclass
from tablectl.mqtt.message import Message
from tablectl.words import Language
from tablectl.words.terminal import cells

WIDTH: Final = 100
HANG: Final = "    "
_ROW: Final = re.compile(rf"{HANG}.*\S {{2,}}\S")
_AFRESH: Final = "\r\x1b[2K"
"""Back to the line's beginning, and the line emptied."""


@dataclass(slots=True)
class Output:
    """Where lines go.

    Args:
        write: takes text as it is.
        terminal: whether a line may be written over.
    """

    write: Callable[[str], None]
    terminal: bool
    _draft: str = ""

    def line(self, text: str) -> None:
        """Writes a line, under the draft where there is one."""
        self.settle()
        self.write(f"{folded(text)}\n")

    def whole(self, text: str) -> None:
        """Writes a line that isn't broken, however long: a command is there to be copied."""
        self.settle()
        self.write(f"{text}\n")

    def draft(self, text: str) -> None:
        """A line that the next draft takes the place of, until another line comes."""
        self._draft = text
        if self.terminal and cells(text) < WIDTH:
            self.write(_AFRESH + text)

    def settle(self) -> None:
        """Leaves the draft as it is now."""
        if self._draft:
            self.write(f"{_AFRESH if self.terminal else ''}{folded(self._draft)}\n")
            self._draft = ""


def folded(text: str) -> str:
    """Break the text at spaces into lines of at most `WIDTH` columns.

    A row of a table stays whole.
    """
    if cells(text) <= WIDTH or _ROW.match(text):
        return text
    lines = [""]
    for word in re.split(r"(?<=\S) (?=\S)", text):
        longer = f"{lines[-1]} {word}" if lines[-1].strip() else lines[-1] + word
        if cells(longer) <= WIDTH or not lines[-1].strip():
            lines[-1] = longer
        else:
            lines.append(HANG + word)
    return "\n".join(lines)


BOLD: Final = "1"
DIM: Final = "2"
YELLOW: Final = "33"
OPENED: Final = "mo.tablectl.round.opened.v1"
SETTLED: Final = "mo.tablectl.round.settled.v1"
VOID: Final = "mo.tablectl.round.void.v1"
IRREGULAR: Final = "mo.tablectl.round.irregular.v1"
DEALT: Final = "mo.tablectl.card.dealt.v1"
BACK: Final = "▮"
"""A card that lies face down."""


@dataclass(slots=True)
class Tally:
    """Counts of what the feed has reported so far."""

    opened: int = 0
    settled: int = 0
    void: int = 0
    articles: "Counter[str]" = field(default_factory=Counter[str])

    @property
    def ended(self) -> int:
        """How many rounds have come to their end."""
        return self.settled + self.void

    def count(self, kind: str, data: Mapping[str, Any]) -> None:
        """Counts a message of this type."""
        match kind:
            case _ if kind == OPENED:
                self.opened += 1
            case _ if kind == SETTLED:
                self.settled += 1
            case _ if kind == VOID:
                self.void += 1
            case _ if kind == IRREGULAR:
                self.articles[str(data.get("article"))] += 1
            case _:
                pass


@dataclass(slots=True)
class Show:
    """Prints the feed as it comes."""

    reader: Follower
    language: Language
    output: Output
    colour: bool
    tally: Tally = field(default_factory=Tally)
    _staged: dict[int, Planned] = field(default_factory=dict[int, Planned])
    _dealt: dict[Place, int] = field(default_factory=dict[Place, int])
    _progress: asyncio.Event = field(default_factory=asyncio.Event)
    _over: bool = False

    def stage(self, plan: Planned) -> None:
        """Remembers what will go wrong in a round, to be said when the feed comes to it."""
        self._staged[plan.number] = plan

    async def follow(self, feed: AsyncIterator[Message]) -> None:
        """Prints what comes, for ever."""
        async for message in feed:
            if not self._over:
                self._hear(message)

    async def until_ended(self, rounds: int) -> None:
        """Waits until the feed has told of the end of so many rounds."""
        while self.tally.ended < rounds:
            self._progress.clear()
            await self._progress.wait()

    async def until_proved(self) -> None:
        """Waits until a checkpoint covers all that the feed has told of."""
        while not self.reader.proved():
            self._progress.clear()
            await self._progress.wait()

    def say(self, line: str, style: str = "") -> None:
        """Prints a line of the demo's own."""
        self.output.line(f"\x1b[{style}m{line}\x1b[0m" if style and self.colour else line)

    def header(self, lines: Sequence[tuple[str, str]], **title: str) -> None:
        """Says what was started."""
        self.say(words.text("demo.title", self.language, **title), BOLD)
        for line in self._rows(lines):
            self.output.whole(line)
        self.say("")
        self.say(words.text("demo.legend", self.language), DIM)

    def _rows(self, lines: Sequence[tuple[str, str]]) -> Iterator[str]:
        """Names and values, one under the other."""
        names = [words.text(f"demo.{key}", self.language) if key else "" for key, _ in lines]
        width = max(map(cells, names))
        for name, (_, value) in zip(names, lines, strict=True):
            yield f"  {name}{' ' * (width - cells(name))}  {value}"

    def summary(self) -> None:
        """Says what became of it all; nothing is printed after it."""
        self._over = True
        tally = self.tally
        told = (f"{article} × {count}" for article, count in sorted(tally.articles.items()))
        articles = words.listed(told, self.language)
        counts = {"rounds": tally.ended, "settled": tally.settled, "void": tally.void}
        self.say("")
        self.say(words.text("demo.summary", self.language, **counts), BOLD)
        none = words.text("demo.none", self.language)
        for line in self._rows([("irregular", articles or none), ("messages", self.reader.completeness())]):
            self.say(line)

    def _hear(self, message: Message) -> None:
        lines = self.reader.tell(message)
        kind, data = "", dict[str, Any]()
        with suppress(ValueError, LookupError, TypeError, RecursionError):  # anybody may publish on a bare broker
            form: Any = json.loads(message.payload) if "/event/" in message.topic else {"type": "", "data": {}}
            kind, data = str(form["type"]), dict(form["data"])
            if kind == DEALT:
                self._deal(data)
                return
        if kind == OPENED:
            self._open()
        for line in lines:
            self.output.line(line)
        self.tally.count(kind, data)
        self._progress.set()

    def _open(self) -> None:
        """A new round begins; what is staged in it is said before."""
        self._dealt.clear()
        self.say("")
        plan = self._staged.pop(self.tally.opened + 1, None)
        if plan is not None and plan.mishap is not None:
            what = words.text(f"demo.staged.{plan.mishap}", self.language)
            self.say(words.text("demo.next_round", self.language, what=what), YELLOW)

    def _deal(self, data: Mapping[str, Any]) -> None:
        """Draw the cards that lie face down so far, in one line that grows.

        The reader would take one line for each card.
        """
        self._dealt[data["place"]] = data["index"]
        hands = "   ".join(f"{BACK * count} {self._name(place)}" for place, count in self._dealt.items())
        self.output.draft(f"{HANG}{words.text('demo.dealt', self.language)}  {hands}")

    def _name(self, place: Place) -> str:
        if isinstance(place, int):
            return words.text("place.number", self.language, number=place)
        return words.text(f"place.{place}", self.language)
