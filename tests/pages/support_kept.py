"""Tables and their dealer's page that one test after the other finds as if they were new."""

from collections.abc import Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from multiprocessing.context import ForkServerContext
from pathlib import Path
from typing import Any, Final

from playwright.async_api import Page

from tests.pages.support import PINS, Screens, Table, at_table
from tests.support.daemon import RefusedError
from tests.support.proxy import Proxy

GAMES: Final = frozenset({"q-poker", "wheel-of-fortune"})
"""Those at which a void round leaves nothing behind: no seats, no bank, no draw."""

PAST: Final = ("seen", "result", "faults")
"""What a table shows of its past."""

NO_BROKER: Final = 801
"""The one fault that every table has."""


@dataclass(frozen=True, slots=True)
class Kept:
    """A table that is kept.

    Args:
        guarded: whether the dealer's page keeps its guard against hasty taps.
        fresh: what it showed when it was new.
    """

    table: Table
    page: Page
    stack: AsyncExitStack
    guarded: bool
    fresh: Mapping[str, Any]

    async def is_new_again(self) -> bool:
        """Ends its round; whether it then shows what it showed when it was new."""
        table = self.table
        if table.daemon.process is None:
            return False
        try:
            if (await table.state())["round_id"] is not None:
                await table.ask("void_round", reason="over", second={"person": "rui", "pin": PINS["rui"]})
            if (await table.state())["payment"]:
                await table.ask("pay_place")
        except RefusedError:
            return False
        state = await table.state()
        return {fault["code"] for fault in state["faults"]} <= {NO_BROKER} and _shown(state) == self.fresh


@dataclass(slots=True)
class KeptTables:
    """The tables that no test has just now, one for each game with and without the page's guard.

    Args:
        screens: of their dealers; what goes wrong there is the test's during which it does.
    """

    forks: ForkServerContext
    folder: Path
    screens: Screens
    free: dict[tuple[str, bool], Kept] = field(default_factory=dict[tuple[str, bool], Kept])
    made: int = 0

    async def take(self, game: str, *, guarded: bool) -> Kept:
        """A table of this game that is as good as new."""
        kept = self.free.pop((game, guarded), None) or await self._make(game, guarded=guarded)
        kept.table.before = 0
        kept.table.before = len(await kept.table.events())
        kept.table.dealer = kept.page
        return kept

    async def give_back(self, kept: Kept) -> None:
        """Keeps a table that is as good as new, and closes any other."""
        which = (kept.table.game, kept.guarded)
        if which not in self.free and await kept.is_new_again():
            self.free[which] = kept
        else:
            await kept.stack.aclose()

    async def close(self) -> None:
        """Closes all that are here."""
        for kept in self.free.values():
            await kept.stack.aclose()

    async def _make(self, game: str, *, guarded: bool) -> Kept:
        stack = AsyncExitStack()
        self.made += 1
        folder = self.folder / f"table{self.made}"
        table = await stack.enter_async_context(at_table(self.forks, folder, game, guarded=guarded))
        table.wire = Proxy(table.daemon.port, table.daemon.port)  # straight, so that no task of it outlives a test
        page = await self.screens.open()
        stack.push_async_callback(page.context.close)
        return Kept(table, page, stack, guarded, _shown(await table.state()))


def _shown(state: Mapping[str, Any]) -> Mapping[str, Any]:
    return {name: value for name, value in state.items() if name not in PAST}
