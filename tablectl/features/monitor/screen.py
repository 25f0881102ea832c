"""Screen of the monitor: news of the link in, words out, a few keys for requests."""

import asyncio
import hmac
from collections.abc import Awaitable, Callable, Generator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, ClassVar, Final

from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, VerticalScroll
from textual.screen import Screen
from textual.widgets import Static

from tablectl.features.common.api_client import STRANGE, RefusedError, RequestFailedError, Who, no_console
from tablectl.features.monitor.dialogs import Choice, Reading, Sure, Typed
from tablectl.features.monitor.language import Speech
from tablectl.features.monitor.link import Connected, Lost, News, Shown, SignedOff, TableLink
from tablectl.features.monitor.views import (
    STYLE,
    View,
    fault_lines,
    fault_name,
    head_line,
    lamp_lines,
    phase_line,
    play_lines,
    result_lines,
    waiting_line,
)
from tablectl.history.explain.model import Renderers, listed
from tablectl.words import LANGUAGES, Language

KEYS: Final = {
    "a": "acknowledge",
    "b": "bookmark",
    "v": "void",
    "s": "sign_on",
    "l": "language",
    "question_mark": "help",
    "q": "quit",
}
"""Which key asks for what; also the texts of the last line and of the help."""

LETTERS: Final = {name: "?" if key == "question_mark" else key for key, name in KEYS.items()}
PARTS: Final = ("play", "lamps", "faults", "results")
FLOOR: Final = frozenset({"dealer", "supervisor"})
HEALTH_EVERY_S: Final = 2.0
STAYS: Final = 3
"""How often a session is used before it would end."""


class MonitorApp(App[None]):
    """One table on a terminal.

    Textual has no other way to make an application than a subclass.

    Args:
        rendering: how rounds are told in each language.
        now: the time of day, as it is shown.
    """

    CSS = STYLE
    ENABLE_COMMAND_PALETTE = False
    BINDINGS: ClassVar[list[BindingType]] = [Binding(key, f"asked('{name}')") for key, name in KEYS.items()]

    def __init__(self, link: TableLink, rendering: Renderers, language: Language, now: Callable[[], str]) -> None:
        super().__init__()
        self.link, self.rendering, self.now = link, rendering, now
        self.HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (72, "-wide")]
        self.language: Language = language
        self.view = View()
        self.layout_form: Mapping[str, Any] = {}
        self.trouble: Lost | SignedOff | None = None
        self.connected = False
        self._said: tuple[str, dict[str, object]] = ("", {})
        self._proved_s = 0.0

    # --- the screen

    def compose(self) -> ComposeResult:
        """The parts, from what matters most downwards."""
        with Horizontal(id="head"):
            yield Static(id="title", markup=False)
            yield Static(id="clock", markup=False)
        yield Static(id="line", markup=False)
        yield Static(id="waiting", markup=False)
        with Horizontal(id="main"):
            yield VerticalScroll(Static(markup=False), id="play", classes="part")
            yield VerticalScroll(Static(markup=False), id="lamps", classes="part")
        yield VerticalScroll(Static(markup=False), id="faults", classes="part")
        yield VerticalScroll(Static(markup=False), id="results", classes="part")
        yield Static(id="said", markup=False)
        yield Static(id="keys", markup=False)

    def on_mount(self) -> None:
        """Begins to follow the table."""
        self._proved_s = asyncio.get_running_loop().time()
        self.draw()
        self._follow()
        self.set_interval(1.0, self._draw_clock)
        self.set_interval(HEALTH_EVERY_S, lambda: self._look_up(self._take_health))
        self.set_interval(max(self.link.lasts_s / STAYS, 1.0), lambda: self._look_up(self.link.stay))

    @property
    def speech(self) -> Speech:
        """The language that is chosen, and the game's words."""
        return Speech(self.language, self.rendering, str(self.view.state.get("game", "")))

    def draw(self) -> None:
        """Writes every part anew; nothing any more once the screen is being taken down."""
        if self._stands():
            with self._naming_strange_answers():
                self._draw_parts()

    @contextmanager
    def _naming_strange_answers(self) -> Generator[None]:
        """Say that this is no table's console where its answer has another shape."""
        try:
            yield
        except STRANGE:
            self.view, self.connected = View(), False
            self.trouble = Lost(str(no_console(self.link.url)))
            self._draw_parts()

    def _draw_parts(self) -> None:
        speech, view = self.speech, self.view
        self._write("#title", head_line(speech, view))
        self._draw_clock()
        self._draw_line(speech)
        self._write("#waiting", waiting_line(speech, view))
        titles = {"play": "table", "lamps": "devices", "faults": "faults", "results": "results"}
        lines = {"play": play_lines, "lamps": lamp_lines, "faults": fault_lines, "results": result_lines}
        for part in PARTS:
            self._ground().query_one(f"#{part}", VerticalScroll).border_title = speech.say(titles[part])
            self._write(f"#{part} > Static", "\n".join(lines[part](speech, view)))
        self._ground().query_one(
            "#waiting", Static
        ).border_title = f"{speech.say('waits')} · {phase_line(speech, view)}"
        key, values = self._said
        self._write("#said", speech.say(key, **values) if key else "", hides=True)
        self._write("#keys", "  ".join(f"{LETTERS[name]} {speech.say(f'key.{name}')}" for name in self._offered()))

    def _stands(self) -> bool:
        return bool(self.screen_stack) and bool(self._ground().query("#keys"))

    def _ground(self) -> Screen[Any]:
        """The screen below whatever is asked."""
        return self.screen_stack[0]

    def _draw_clock(self) -> None:
        who, role = self.link.who.person, self.link.role
        person = self.speech.say("signed_on", person=who, role=self.speech.term("role", role))
        self._write("#clock", f"{person}  {self.now()}")

    def _draw_line(self, speech: Speech) -> None:
        """Draw the line on the connection: can the table be believed to be as shown?"""
        said = "" if self.connected else speech.say("connecting", url=self.link.url)
        if self.trouble is not None:
            key = "lost" if isinstance(self.trouble, Lost) else "signed_off"
            said = speech.say(key, reason=self.trouble.reason)
        self._write("#line", said, hides=True)

    def _write(self, part: str, text: str, *, hides: bool = False) -> None:
        # None, while the screen is put up or taken down: the clock goes on then.
        for static in self._ground().query(part).results(Static):
            static.update(text)
            if hides:
                static.set_class(not text, "hidden")

    def _offered(self) -> list[str]:
        """The keys that do something for this role now."""
        absent = set[str]() if isinstance(self.trouble, SignedOff) else {"sign_on"}
        return [name for name in KEYS.values() if name not in absent and (name != "void" or self.link.role in FLOOR)]

    # --- what the table says

    def _follow(self) -> None:
        self.run_worker(self.link.follow(self._hear), group="follow", exclusive=True)

    def _hear(self, news: News) -> None:
        match news:
            case Connected(_, layout, rounds):
                self.layout_form, self.trouble, self.connected = layout, None, True
                self.view = replace(self.view, rounds=rounds)
                self._look_up(self._take_health)
            case Shown(state):
                with self._naming_strange_answers():
                    self._take_state(state)
            case Lost() | SignedOff():
                self.trouble, self.connected = news, False
        self.draw()

    def _take_state(self, state: Mapping[str, Any]) -> None:
        before = self.view.state.get("result")
        gone = {str(device["name"]) for device in listed(state, "devices") if not device["attached"]}
        # What was gone already when we came went at a time that nobody told us.
        seen = {str(device["name"]) for device in listed(self.view.state, "devices") if device["attached"]}
        lost = {name: self.view.lost.get(name) or self.now() for name in gone & (seen | self.view.lost.keys())}
        self.view = replace(self.view, state=state, lost=lost)
        if before != state.get("result"):
            self._look_up(self._take_rounds)

    def _look_up(self, what: Callable[[], Awaitable[None]]) -> None:
        """Asks the table for something more; without an answer what was known stays."""

        async def look() -> None:
            try:
                await what()
            except RequestFailedError:
                return

        if self.connected and self._stands():
            self.run_worker(look(), group="look")

    async def _take_health(self) -> None:
        health = await self.link.health()
        self.view = replace(self.view, health=health)  # as it is now: the table went on meanwhile
        self.draw()

    async def _take_rounds(self) -> None:
        rounds = await self.link.rounds()
        self.view = replace(self.view, rounds=rounds)  # as it is now: the table went on meanwhile
        self.draw()

    # --- what a person asks

    def action_asked(self, name: str) -> None:
        """A key was pressed."""
        if len(self.screen_stack) > 1:
            return
        asked: Mapping[str, Callable[[], Awaitable[None]]] = {
            "acknowledge": self._acknowledge,
            "bookmark": self._bookmark,
            "void": self._void,
            "sign_on": self._sign_on,
            "language": self._next_language,
            "help": self._help,
            "quit": self._leave,
        }
        self.run_worker(_awaited(asked[name]), group="asked", exclusive=True)

    async def _acknowledge(self) -> None:
        faults, speech = listed(self.view.state, "faults"), self.speech
        if not faults:
            self.say("said.no_fault")
            return
        names = [fault_name(speech, fault) for fault in faults]
        chosen = await self.push_screen_wait(Choice(speech.say("ask.acknowledge"), names, speech.say("ask.choose")))
        if chosen >= 0:
            fault = faults[chosen]
            question = {"code": fault["code"], "text": speech.text(fault["text"])}
            fields = {"code": fault["code"], "device": fault["device"]}
            await self._ask("acknowledge_fault", fields, "ask.acknowledge_sure", question)

    async def _bookmark(self) -> None:
        if note := await self._typed("note"):
            await self._ask("bookmark", {"note": note}, "ask.bookmark_sure", {"note": note})

    async def _void(self) -> None:
        round_id = self.view.state.get("round_id")
        if self.link.role not in FLOOR:
            self.say("said.role", role=self.speech.term("role", self.link.role))
        elif not round_id:
            self.say("said.no_round")
        elif reason := await self._typed("reason"):
            second = await self._second() if self.link.role == "dealer" else {}
            if second is not None:
                sure = {"round": round_id, "reason": reason}
                await self._ask("void_round", {"reason": reason, **second}, "ask.void_sure", sure)

    async def _second(self) -> dict[str, Any] | None:
        """The supervisor who agrees, and their PIN; None where it was left."""
        name = await self._typed("second")
        pin = await self._typed("second_pin", secret=True, person=name) if name else ""
        return {"second": {"person": name, "pin": pin}} if pin else None

    async def _ask(self, verb: str, fields: Mapping[str, Any], sure: str, named: Mapping[str, object]) -> None:
        """Makes sure, then asks, of what is on the screen at that moment."""
        shown, speech = self.view.state, self.speech
        if not self.connected:
            self.say("said.away")
            return
        question = speech.say(sure, person=self.link.who.person, **named)
        if not await self.push_screen_wait(Sure(question, speech.say("ask.yes_no"))) or not await self._proved():
            return
        try:
            record = await self.link.ask(verb, shown, fields, self.language)
        except RefusedError as refused:
            article = speech.voice.words.article(refused.article)
            self.say("said.refused", article=article, text=refused.text)
        except RequestFailedError as error:
            self.say("said.failed", message=error)
        else:
            self.say("said.recorded", record=record)

    async def _proved(self) -> bool:
        """Return True if the person who signed on still sits here.

        They are asked again where nothing was done for as long as a sign-on lasts.
        """
        now_s = asyncio.get_running_loop().time()
        if now_s - self._proved_s > self.link.lasts_s:
            given = await self._typed("pin", secret=True, person=self.link.who.person)
            if not hmac.compare_digest(given.encode(), self.link.who.pin.encode()):
                self.say("said.wrong_pin", person=self.link.who.person)
                return False
        self._proved_s = now_s
        return True

    async def _sign_on(self) -> None:
        if not isinstance(self.trouble, SignedOff):
            return
        if pin := await self._typed("pin", secret=True, person=self.link.who.person):
            self.link.who = Who(self.link.who.person, pin)
            self.trouble = None
            self._follow()
            self.draw()

    async def _next_language(self) -> None:
        self.language = LANGUAGES[(LANGUAGES.index(self.language) + 1) % len(LANGUAGES)]
        self.draw()

    async def _help(self) -> None:
        speech = self.speech
        keys = [f"{LETTERS[name]}   {speech.say(f'help.{name}')}" for name in KEYS.values()]
        text = [
            speech.say("help.head"),
            "",
            *keys,
            "",
            f"Tab ↑ ↓   {speech.say('help.scroll')}",
            speech.say("help.foot"),
        ]
        await self.push_screen_wait(Reading("\n".join(text), speech.say("ask.any_key")))

    async def _leave(self) -> None:
        if await self.push_screen_wait(Sure(self.speech.say("ask.quit_sure"), self.speech.say("ask.yes_no"))):
            self.exit()

    async def _typed(self, key: str, *, secret: bool = False, **values: object) -> str:
        question = self.speech.say(f"ask.{key}", **values)
        return await self.push_screen_wait(Typed(question, self.speech.say("ask.enter"), secret=secret))

    def say(self, key: str, **values: object) -> None:
        """Show the outcome of the last request, until the next one."""
        self._said = key, values
        self.draw()


async def _awaited(what: Callable[[], Awaitable[None]]) -> None:
    await what()
