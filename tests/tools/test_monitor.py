"""The monitor in front of whole tables: what it shows, every key, and what it does when the table goes away."""

import asyncio
import os
import pty
import re
import signal
import subprocess
import sys
import termios
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from multiprocessing.context import ForkServerContext
from pathlib import Path
from typing import Any

import pytest
from anyio.from_thread import start_blocking_portal
from click.testing import CliRunner
from textual.pilot import Pilot
from textual.widgets import Static

from tablectl import words
from tablectl.core.cards import Card
from tablectl.features.common.api_client import Who
from tablectl.features.monitor.cli import monitor
from tablectl.features.monitor.dialogs import Choice, Reading, Sure, Typed
from tablectl.features.monitor.link import PinRefusedError, TableLink
from tablectl.features.monitor.run import picture
from tablectl.features.monitor.screen import KEYS, PARTS, MonitorApp
from tablectl.history.explanation import make_renderers
from tablectl.words import LANGUAGES, Language
from tablectl.words.terminal import cells
from tests.pages.support import GAMES, PINS, Table, at_table
from tests.pages.support_play import draw, in_mid_round, pack
from tests.support.daemon import fork_server
from tests.support.long import by_turn
from tests.support.patience import PATIENCE_S

SMALLEST = (80, 24)
Open = Callable[..., Awaitable[Table]]


@pytest.fixture(scope="module")
def forks() -> ForkServerContext:
    return fork_server()


@pytest.fixture
async def open_table(forks: ForkServerContext, tmp_path: Path) -> AsyncGenerator[Open]:
    async with AsyncExitStack() as stack:

        async def make(game: str = "q-poker", settings: Mapping[str, str] | None = None) -> Table:
            return await stack.enter_async_context(at_table(forks, tmp_path / "table", game, settings))

        yield make


@pytest.fixture(scope="module")
def dealt_table(forks: ForkServerContext, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Table]:
    """A table in mid-round that many look at one after the other, and that none of them changes."""
    table = at_table(forks, tmp_path_factory.mktemp("dealt") / "table", "q-poker")
    with start_blocking_portal() as portal, portal.wrap_async_context_manager(table) as dealt:
        portal.call(in_mid_round, dealt)
        yield dealt


class Eyes:
    """Somebody in front of the monitor: reads the screen, presses keys."""

    def __init__(self, app: MonitorApp, pilot: Pilot[None]) -> None:
        self.app, self.pilot = app, pilot

    def read(self, part: str) -> str:
        static = self.app.screen_stack[0].query_one(f"#{part}")
        inner = static if isinstance(static, Static) else static.query_one(Static)
        return str(inner.content)

    @property
    def all(self) -> str:
        return "\n".join(self.read(part) for part in ("title", "clock", "line", "waiting", *PARTS, "said", "keys"))

    async def until(self, what: str, holds: Callable[[], bool]) -> None:
        try:
            async with asyncio.timeout(PATIENCE_S):
                # The pilot's own pause waits for each widget to answer, also for one that has gone meanwhile.
                while not holds():  # noqa: ASYNC110  # what holds is the application's to say
                    await asyncio.sleep(0.02)
        except TimeoutError:
            raise AssertionError(f"{what} never came:\n{self.all}") from None

    async def asked(self, screen: type, key: str = "") -> None:
        """Presses a key, and waits for the small screen that it opens."""
        if key:
            await self.pilot.press(key)
        await self.until(screen.__name__, lambda: isinstance(self.app.screen, screen) and self.app.screen.is_mounted)

    async def type(self, text: str) -> None:
        """Types a line into the small screen, and sends it."""
        before = self.app.screen
        await self.pilot.press(*("space" if letter == " " else letter for letter in text), "enter")
        await self.until("the next screen", lambda: self.app.screen is not before)

    async def said(self, text: str) -> None:
        await self.until(text, lambda: text in self.read("said"))


@asynccontextmanager
async def watching(
    table: Table, person: str = "rui", language: Language = "en", size: tuple[int, int] = SMALLEST
) -> AsyncGenerator[Eyes]:
    """The monitor at this table, connected."""
    link = TableLink(table.url, Who(person, PINS[person]))
    await link.sign_on()
    app = MonitorApp(link, make_renderers(), language, lambda: "12:34:56 UTC")
    try:
        async with app.run_test(size=size) as pilot:
            eyes = Eyes(app, pilot)
            await eyes.until("the table", lambda: bool(app.view.state and app.view.health))
            yield eyes
    finally:
        await link.close()


async def events(table: Table, kind: str) -> list[dict[str, Any]]:
    return [event["data"] for event in await table.events(kind)]


@pytest.mark.parametrize("game", by_turn(GAMES, 2))
async def test_each_game_is_shown_in_each_language_without_unsaid_word(open_table: Open, game: str) -> None:
    table = await open_table(game)
    await in_mid_round(table)
    async with watching(table) as eyes:
        shown = set[str]()
        for language in LANGUAGES:
            assert eyes.app.language == language
            assert eyes.read("waiting") == eyes.app.view.state["waiting"][language]
            assert "Ho Iat Meng" in eyes.read("play")
            # A key that no catalogue has would stand there itself.
            assert not re.findall(r"\b(?:monitor|explain|fault|phase|bet|place)\.[a-z_.]+", eyes.all)
            shown.add(eyes.read("keys"))
            await eyes.pilot.press("l")
            await eyes.pilot.pause()
        assert len(shown) == len(LANGUAGES)


async def test_no_card_that_lies_face_down_is_on_the_screen(dealt_table: Table) -> None:
    async with watching(dealt_table) as eyes:
        await eyes.until("four cards", lambda: eyes.read("play").count("##") == 4)
        assert not re.search(r"[♠♥♦♣]", eyes.all)


async def test_settled_round_shows_hands_outcomes_and_nets_translated(open_table: Open) -> None:
    table = await open_table()
    await in_mid_round(table)
    await draw(table, pack("2s 3d 9c Th 4c"), lying=4)
    await table.until("the whole deal", lambda now: now["phase"] == "opening")
    async with watching(table) as eyes:
        for place in (1, 4):
            await table.ask("open_hand", place=place)
        for place, bettor in ((1, "Ho Iat Meng"), (4, "C")):
            await table.ask("decide", place=place, bettor=bettor, decision="play")
        await eyes.until("a hand face up", lambda: "K♠" in eyes.read("play"))
        await table.ask("open_hand", place="dealer")
        await eyes.until("the settlement", lambda: "settled" in eyes.read("results"))
        for language in LANGUAGES:
            assert eyes.app.language == language
            result = (await table.state())["result"]
            nets = {bet["net"] for place in result["settlement"]["places"] for bet in place["bets"]}
            assert nets
            assert all(net in eyes.read("results") for net in nets)
            assert words.text("tail.column.net", language) in eyes.read("results")
            await eyes.pilot.press("l")
            await eyes.pilot.pause()


async def test_key_a_acknowledges_the_fault_that_is_chosen_and_confirmed(open_table: Open) -> None:
    table = await open_table("chinese-dice")
    async with watching(table) as eyes:
        await eyes.until("the fault", lambda: "801" in eyes.read("faults"))
        await eyes.asked(Choice, "a")
        await eyes.asked(Sure, "enter")
        await eyes.pilot.press("n")
        assert await events(table, "alarm.acknowledged") == []
        await eyes.asked(Choice, "a")
        await eyes.asked(Sure, "enter")
        await eyes.pilot.press("y")
        await eyes.said("Recorded as")
        await eyes.until("who", lambda: "acknowledged by rui" in eyes.read("faults"))


async def test_key_b_sets_a_bookmark_with_its_note(open_table: Open) -> None:
    table = await open_table()
    async with watching(table, "mei") as eyes:
        await eyes.asked(Typed, "b")
        await eyes.type("chip pushed late")
        await eyes.asked(Sure)
        await eyes.pilot.press("y")
        await eyes.said("Recorded as")
    marks = await events(table, "bookmark")
    assert [(mark["note"], mark["by"]) for mark in marks] == [("chip pushed late", "mei")]


async def test_key_v_voids_round_for_supervisor_and_result_says_so(open_table: Open) -> None:
    table = await open_table()
    await in_mid_round(table)
    async with watching(table) as eyes:
        await eyes.asked(Typed, "v")
        await eyes.type("table knocked over")
        await eyes.asked(Sure)
        await eyes.pilot.press("y")
        await eyes.said("Recorded as")
        await eyes.until("the result", lambda: "void" in eyes.read("results"))
    assert [void["by"] for void in await events(table, "round.void")] == ["rui"]


async def test_dealer_voids_the_round_only_with_a_supervisors_pin(open_table: Open) -> None:
    table = await open_table()
    await in_mid_round(table)
    async with watching(table, "ana") as eyes:
        for pin, answer in (("9999", "Not done"), (PINS["rui"], "Recorded as")):
            await eyes.asked(Typed, "v")
            for line in ("table knocked over", "rui", pin):
                await eyes.type(line)
            await eyes.asked(Sure)
            await eyes.pilot.press("y")
            await eyes.said(answer)
    assert [void["by"] for void in await events(table, "round.void")] == ["ana, rui"]


async def test_role_that_may_not_void_has_no_key_for_it(dealt_table: Table) -> None:
    async with watching(dealt_table, "mei") as eyes:
        assert "v void" not in eyes.read("keys")
        await eyes.pilot.press("v")
        await eyes.said("A surveillance may not void a round")
    assert await events(dealt_table, "round.void") == []


async def test_acknowledging_what_is_anothers_to_clear_is_answered_by_table(open_table: Open) -> None:
    table = await open_table()
    await table.bench.shoe.draw(Card("As"))
    async with watching(table, "mei") as eyes:
        await eyes.until("the fault", lambda: "901 " in eyes.read("faults"))
        await eyes.asked(Choice, "a")
        await eyes.pilot.press("end")  # under 801, which comes when the broker isn't reached
        await eyes.asked(Sure, "enter")
        await eyes.pilot.press("y")
        await eyes.said("Not done")


async def test_escape_leaves_every_question_without_asking_the_table(dealt_table: Table) -> None:
    async with watching(dealt_table) as eyes:
        for key, screen in (("b", Typed), ("v", Typed), ("question_mark", Reading), ("q", Sure)):
            await eyes.asked(screen, key)
            await eyes.pilot.press("escape")
            await eyes.until("the table", lambda: len(eyes.app.screen_stack) == 1)
    assert await events(dealt_table, "bookmark") == await events(dealt_table, "round.void") == []


async def test_help_names_every_key(dealt_table: Table) -> None:
    async with watching(dealt_table) as eyes:
        await eyes.asked(Reading, "question_mark")
        text = eyes.app.screen.query_one(Static).content
        assert all(f"{'?' if key == 'question_mark' else key}   " in str(text) for key in KEYS)


async def test_key_q_leaves_once_confirmed(dealt_table: Table) -> None:
    async with watching(dealt_table) as eyes:
        await eyes.asked(Sure, "q")
        await eyes.pilot.press("y")
        await eyes.until("the end", lambda: not eyes.app.is_running)


async def test_daemons_restart_is_shown_and_overcome_without_a_hand(open_table: Open) -> None:
    table = await open_table()
    async with watching(table) as eyes:
        session = eyes.app.view.state["session"]
        await asyncio.to_thread(table.daemon.kill)
        await eyes.until("the loss", lambda: "NOT CONNECTED" in eyes.read("line"))
        await eyes.pilot.press("b")
        await eyes.asked(Typed)
        await eyes.type("while away")
        await eyes.said("Nothing can be asked now")
        table.daemon.token = ""
        await asyncio.to_thread(table.daemon.start)
        await eyes.until("the new session", lambda: eyes.app.view.state["session"] != session)
        assert eyes.read("line") == ""


async def test_silent_connection_is_called_lost(dealt_table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tablectl.features.monitor.link.SILENCE_S", 0.5)  # the table speaks every five seconds
    async with watching(dealt_table) as eyes:
        await eyes.until("the loss", lambda: "NOT CONNECTED" in eyes.read("line"))


async def test_changed_pin_is_not_retried_and_s_signs_on_anew(open_table: Open) -> None:
    table = await open_table()
    async with watching(table) as eyes:
        eyes.app.link.who = Who("rui", "9999")
        await table.restart(kill=True)
        await eyes.until("the sign-off", lambda: "SIGNED OFF" in eyes.read("line"))
        assert "s sign on" in eyes.read("keys")
        await eyes.asked(Typed, "s")
        await eyes.type(PINS["rui"])
        await eyes.until("the table", lambda: eyes.app.connected and eyes.read("line") == "")


async def test_pin_is_asked_again_after_idling_a_whole_sign_on(open_table: Open) -> None:
    table = await open_table("q-poker")
    async with watching(table) as eyes:
        eyes.app._proved_s -= eyes.app.link.lasts_s
        for pin, answer in (("0000", "not the PIN"), (PINS["rui"], "Recorded as")):
            await eyes.asked(Typed, "b")
            await eyes.type("after a break")
            await eyes.asked(Sure)
            await eyes.pilot.press("y")
            await eyes.asked(Typed)
            await eyes.type(pin)
            await eyes.said(answer)
    assert len(await events(table, "bookmark")) == 1


async def test_device_that_goes_while_watched_is_lost_since_that_time(open_table: Open) -> None:
    table = await open_table()
    async with watching(table) as eyes:
        await table.bench.unplug("shuffler")
        await eyes.until("the loss", lambda: "LOST" in eyes.read("lamps"))
        assert "[ LOST  ] the shuffler · lost since 12:34:56 UTC" in eyes.read("lamps")


async def test_every_part_is_on_terminals_of_every_size(dealt_table: Table) -> None:
    for size in ((80, 24), (60, 24), (50, 30), (160, 50)):
        async with watching(dealt_table, size=size) as eyes:
            await eyes.pilot.pause()
            for part in (*PARTS, "waiting", "keys"):
                region = eyes.app.screen.query_one(f"#{part}").region
                assert region.height >= 1, (size, part)
                assert region.right <= size[0], (size, part)
                assert region.bottom <= size[1], (size, part)
            assert eyes.app.screen.query_one("#play").region.height >= 4, size


async def test_title_never_touches_name_and_shows_where_it_is_cut(open_table: Open) -> None:
    table = await open_table("football-poker")
    for size in ((60, 24), (80, 24)):
        async with watching(table, size=size) as eyes:
            for language in LANGUAGES:
                assert eyes.app.language == language
                await eyes.pilot.pause()
                title, clock = (eyes.app.screen.query_one(f"#{part}", Static) for part in ("title", "clock"))
                # The name begins two columns after what is left to the title, and both stand on the screen.
                assert title.region.right <= clock.region.x
                assert clock.region.right <= size[0]
                assert clock.content_region.x - title.region.right >= 2
                shown = "".join(strip.text for strip in title.render_lines(title.size.region)).rstrip()
                assert shown == eyes.read("title") or shown.endswith("…")
                assert shown.startswith(words.text("monitor.sim", language))
                await eyes.pilot.press("l")
                await eyes.pilot.pause()


async def test_picture_is_of_the_table_and_needs_no_terminal(dealt_table: Table) -> None:
    link = TableLink(dealt_table.url, Who("mei", PINS["mei"]))
    svg = await picture(link, make_renderers(), "en", lambda: "12:34:56 UTC")
    assert svg.startswith("<svg")
    assert "q-demo" in svg


async def test_wrong_pin_is_said_before_anything_is_drawn(dealt_table: Table) -> None:
    link = TableLink(dealt_table.url, Who("rui", "0000"))
    with pytest.raises(PinRefusedError):
        await link.sign_on()
    await link.close()


def test_command_without_a_table_ends_with_one_line(tmp_path: Path) -> None:
    (tmp_path / "pin").write_text("1111\n")
    given = ["--url", "http://127.0.0.1:9", "--person", "rui", "--pin-file", str(tmp_path / "pin")]
    result = CliRunner().invoke(monitor, given)
    assert result.exit_code == 2
    assert result.stderr.startswith("tablectl monitor: no table's console answers at http://127.0.0.1:9")


async def test_command_without_a_terminal_says_so_and_draws_nothing(dealt_table: Table, tmp_path: Path) -> None:
    pin = tmp_path / "pin"
    await asyncio.to_thread(pin.write_text, f"{PINS['rui']}\n")
    given = ["monitor", "--url", dealt_table.url, "--person", "rui", "--pin-file", str(pin), "--lang", "en"]
    ended = await asyncio.create_subprocess_exec(
        sys.executable,
        *("-m", "tablectl", *given),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    out, _ = await asyncio.wait_for(ended.communicate(), PATIENCE_S)
    assert ended.returncode == 2
    assert out.decode() == "tablectl monitor: it draws on a terminal, and input or output is none: run it in one\n"


@pytest.mark.parametrize("told_to_end", [signal.SIGINT, signal.SIGTERM])
async def test_command_on_a_terminal_that_takes_nothing_ends_when_told(
    dealt_table: Table, tmp_path: Path, told_to_end: int
) -> None:
    pin = tmp_path / "pin"
    await asyncio.to_thread(pin.write_text, f"{PINS['rui']}\n")
    master, slave = pty.openpty()
    before = termios.tcgetattr(slave)
    termios.tcflow(slave, termios.TCOOFF)
    given = ["monitor", "--url", dealt_table.url, "--person", "rui", "--pin-file", str(pin), "--lang", "en"]
    shown = await asyncio.create_subprocess_exec(
        sys.executable, *("-m", "tablectl", *given), stdin=slave, stdout=slave, stderr=slave, start_new_session=True
    )
    try:
        async with asyncio.timeout(PATIENCE_S):
            while termios.tcgetattr(slave)[3] & termios.ICANON:  # noqa: ASYNC110  # until it begins to draw
                await asyncio.sleep(0.02)
            shown.send_signal(told_to_end)
            assert await shown.wait() == 0
        assert termios.tcgetattr(slave) == before
    finally:
        if shown.returncode is None:
            shown.kill()
        os.close(slave)
        os.close(master)


def test_command_without_textual_says_what_to_install(tmp_path: Path) -> None:
    (tmp_path / "pin").write_text("1111\n")
    code = "import sys; sys.modules['textual'] = None; from tablectl.cli import main; main()"
    given = ["monitor", "--person", "rui", "--pin-file", str(tmp_path / "pin")]
    ended = subprocess.run([sys.executable, "-c", code, *given], capture_output=True, text=True, check=False)
    assert ended.returncode == 69
    assert "pip install -e '.[tui]'" in ended.stderr
    given = [*given, "--lang", "pt"]
    told = subprocess.run([sys.executable, "-c", code, *given], capture_output=True, text=True, check=False)
    assert told.stderr.startswith("tablectl monitor: falta o textual")


@pytest.mark.parametrize("language", LANGUAGES)
def test_line_of_keys_fits_the_smallest_terminal(language: Language) -> None:
    names = [name for name in KEYS.values() if name != "sign_on"]
    line = "  ".join(f"a {words.text(f'monitor.key.{name}', language)}" for name in names)
    assert cells(line) <= SMALLEST[0] - 2


PAGE = Path(__file__).parents[2] / "docs" / "monitor.md"


def test_page_shows_commands_that_are_taken_and_every_key() -> None:
    text = PAGE.read_text("utf-8")
    shown = re.findall(r"^tablectl monitor (.*)$", text, re.MULTILINE)
    assert shown
    for words_ in shown:
        assert monitor.make_context("monitor", words_.split(), resilient_parsing=False).params["person"]
    keys = re.findall(r"^\| `(.)` \|", text, re.MULTILINE)
    assert keys == ["?" if key == "question_mark" else key for key in KEYS]
