"""How many screens may be open, and for whom some are kept."""

from contextlib import AsyncExitStack

from starlette.types import Message
from starlette.websockets import WebSocket

from tablectl.console.screens import Screens
from tests.console.rig import house

MOST = 8


async def _nothing() -> Message:
    raise AssertionError("nobody reads here")


async def _nobody(_message: Message) -> None:
    raise AssertionError("nobody is told anything here")


def _socket(address: str) -> WebSocket:
    return WebSocket({"type": "websocket", "client": (address, 1), "headers": []}, _nothing, _nobody)


async def test_screens_far_away_leave_a_quarter_to_those_at_table() -> None:
    async with house() as here, AsyncExitStack() as open_:
        screens = Screens(here.table, MOST, 5.0, 5.0)
        far, near = _socket("192.0.2.9"), _socket("127.0.0.1")
        for machine in ("192.0.2.6", "192.0.2.7", "192.0.2.8"):
            for _ in range(MOST // 4):
                assert screens.full(_socket(machine).scope) is None
                await open_.enter_async_context(screens.one(_socket(machine)))
            assert screens.full(_socket(machine).scope) is not None
        assert (refused := screens.full(far.scope)) is not None
        assert (refused.status, refused.code) == (503, "overloaded")
        for _ in range(MOST // 4):
            assert screens.full(near.scope) is None
            await open_.enter_async_context(screens.one(_socket("127.0.0.1")))
        assert screens.full(near.scope) is not None
