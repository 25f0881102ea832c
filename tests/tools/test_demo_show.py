"""What the demo prints around the feed."""

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from itertools import islice

from tablectl.features.demo.games.q_poker import plans
from tablectl.features.demo.summary import Output, Show
from tablectl.features.tail.follower import Follower
from tablectl.mqtt.message import Message
from tablectl.words import LANGUAGES, Language
from tablectl.words.terminal import cells
from tests.support.patience import PATIENCE_S


class PlainReader(Follower):
    def __init__(self, *, last_proved: bool = True) -> None:
        super().__init__()
        self.last_proved = last_proved

    def tell(self, message: Message) -> Sequence[str]:
        return [json.loads(message.payload)["type"].split(".")[-2]]

    def completeness(self) -> str:
        return "complete"

    def proved(self) -> bool:
        return self.last_proved


def message(kind: str, **data: object) -> Message:
    payload = {"type": f"mo.tablectl.{kind}.v1", "data": data}
    return Message("tablectl/v1/demo/q-demo/event/round", json.dumps(payload).encode())


async def feed(*messages: Message) -> AsyncIterator[Message]:
    for each in messages:
        yield each


def show_into(lines: list[str], language: Language = "en") -> Show:
    return Show(PlainReader(), language, Output(lambda text: lines.extend(text.splitlines()), False), colour=False)


async def test_what_is_staged_is_said_just_before_its_round() -> None:
    lines: list[str] = []
    show = show_into(lines)
    for plan in islice(plans(7, 1), 2):
        show.stage(plan)
    await show.follow(feed(*[message("round.opened"), message("round.settled")] * 2))
    assert lines[:3] == ["", "opened", "settled"]
    assert lines[4].startswith("staged in the next round: ")
    assert lines[5:] == ["opened", "settled"]


async def test_the_summary_counts_rounds_and_articles() -> None:
    lines: list[str] = []
    show = show_into(lines)
    irregular = message("round.irregular", article="11(2)")
    await show.follow(feed(irregular, message("round.settled"), irregular, message("round.void")))
    show.summary()
    assert lines[-3:] == [
        "DEMO · rounds: 2 · settled: 1 · void: 1",
        "  irregularities  11(2) × 2",
        "  messages        complete",
    ]


async def test_nothing_is_printed_after_the_summary() -> None:
    lines: list[str] = []
    show = show_into(lines)
    show.summary()
    before = len(lines)
    await show.follow(feed(message("round.opened")))
    assert len(lines) == before


async def test_a_deal_is_one_line_however_many_cards_it_has() -> None:
    lines: list[str] = []
    dealt = [message("card.dealt", place=place, index=nth) for nth in (1, 2, 3) for place in (2, 5, "dealer")]
    await show_into(lines).follow(feed(*dealt, message("round.revealed")))
    assert lines == ["    face down  ▮▮▮ place 2   ▮▮▮ place 5   ▮▮▮ the dealer", "revealed"]


async def test_deal_that_was_broken_off_shows_the_cards_that_lie() -> None:
    lines: list[str] = []
    dealt = [message("card.dealt", place=place, index=1) for place in (2, 5)]
    await show_into(lines).follow(feed(*dealt, message("round.void")))
    assert lines == ["    face down  ▮ place 2   ▮ place 5", "void"]


async def test_wait_for_last_round_ends_with_feeds_word_of_it() -> None:
    show = show_into([])
    async with asyncio.TaskGroup() as tasks:
        waiting = tasks.create_task(show.until_ended(2))
        await show.follow(feed(message("round.settled")))
        await asyncio.sleep(0)
        assert not waiting.done()
        await show.follow(feed(message("round.void")))


def test_colours_are_left_out_where_none_are_wanted() -> None:
    lines: list[str] = []
    show_into(lines).header([("seed", "7")], game="Q Poker")
    assert "\x1b" not in "".join(lines)


def test_names_stand_one_under_the_other_in_every_language() -> None:
    for language in LANGUAGES:
        lines: list[str] = []
        show_into(lines, language).header([("broker", "|"), ("seed", "|")], game="Q Poker")
        assert len({cells(line) for line in lines if line.endswith("|")}) == 1


def test_a_line_at_the_head_is_never_broken() -> None:
    lines: list[str] = []
    command = f"tablectl explain 1 --config /{'folder/' * 20}table.toml"
    show_into(lines).header([("look_back", command)], game="Q Poker")
    assert f"  look back  {command}" in lines


async def test_wait_for_proof_ends_with_checkpoint_of_last_event() -> None:
    reader = PlainReader(last_proved=False)
    show = Show(reader, "en", Output(lambda _text: None, False), colour=False)
    async with asyncio.timeout(PATIENCE_S), asyncio.TaskGroup() as tasks:
        waiting = tasks.create_task(show.until_proved())
        await show.follow(feed(message("round.settled")))
        await asyncio.sleep(0)
        assert not waiting.done()
        reader.last_proved = True
        await show.follow(feed(Message("tablectl/v1/demo/q-demo/checkpoint", b'{"type": "checkpoint.new"}')))
