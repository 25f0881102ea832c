"""The page of figures wants what the benches judge by."""

from typing import Final

import pytest

from bench import (
    amendments,
    feed_catch_up,
    footprint,
    frames,
    hands,
    latency,
    links,
    pages,
    rounds,
    settle,
    starts,
    wheel,
)
from bench.__main__ import BENCHES
from bench.cables import MOST_GROWN_KIB
from tablectl.daemon.host import systemd
from tests.docs.pages import ROOT

PAGE: Final = (ROOT / "docs" / "performance.md").read_text("utf-8")
WANTED: Final = (
    ("latency", f"median ≤ {latency.MEDIAN_TARGET}, p99 ≤ {latency.P99_TARGET} times the floor"),
    ("footprint", f"{footprint.START_TARGET_S} s; {footprint.IDLE_TARGET_PERCENT} % of a core;"),
    ("footprint", f"{footprint.RESIDENT_TARGET} and {footprint.PRIVATE_TARGET} times the floor"),
    ("settle", f"{1e6 / settle.MOST_US:,.0f} rounds a second, {1e6 / settle.MOST_RARE_US:,.0f};"),
    ("hands", f"three cards ≤ {hands.THIRD} times treys"),
    ("rounds", f"≤ {rounds.FOLD_TARGET_US:g} µs the median step, ≤ {rounds.SPIN_TARGET_US:g} µs a spin"),
    ("a start after 1,000,000 records", f"≤ {starts.MOST_MIB:g} MiB"),
    ("the same, until it asks", f"≤ {systemd.MORE_S} s"),
    ("amendments", f"median ≤ {amendments.TARGET_MS:g} ms"),
    ("100,000 messages after an outage", f"(≥ {100 / feed_catch_up.TARGET:.0f} %)"),
    ("shoe, a copy and its vote", f"≤ {frames.TARGET_PERCENT:g} %"),
    ("a wheel at 1 kHz", f"(≤ {wheel.TARGET_PERCENT} %)"),
    ("a QSB at 512 Hz", f"(≤ {wheel.TARGET_PERCENT} %)"),
    ("shoe, the write of a card", f"(≤ {links.MEDIAN_TARGET:g})"),
    ("the same, p99", f"(≤ {links.P99_TARGET:g})"),
    ("memory grown by that", f"(≤ {MOST_GROWN_KIB:g} KiB)"),
    ("a fact on the page, median", f"(≤ {pages.BEYOND_TARGET_MS:g} ms beyond it)"),
    ("first paint of the dealer's page", f"(≤ {pages.PAINT_TARGET_MS / 1000:g} s)"),
    ("the table on it", f"(≤ {pages.TABLE_TARGET_MS / 1000:g} s)"),
    ("a frame of the turning wheel", f"(≤ {pages.FRAME_TARGET_MS:g} ms)"),
    ("a frame of the winner on the players' display", f"(≤ {pages.FRAME_TARGET_MS:g} ms)"),
)  # fmt: skip
"""How a row of the page begins, and what it wants."""


@pytest.mark.parametrize(("row", "wanted"), WANTED)
def test_the_page_wants_what_the_bench_judges_by(row: str, wanted: str) -> None:
    rows = [line for line in PAGE.splitlines() if line.startswith(f"| {row}")]
    assert [line for line in rows if wanted in line]


def test_the_page_has_a_line_for_each_bench() -> None:
    table = PAGE.partition("| bench |")[2].partition("\n\n")[0]
    named = {name.strip() for line in table.splitlines()[2:] for name in line.split("|")[1].split(",")}
    assert named == set(BENCHES)
