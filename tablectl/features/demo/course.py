"""The course of a demonstration's round: move by move, with what goes wrong in it."""

from collections.abc import Awaitable, Callable, Collection, Iterator
from typing import Any

from tablectl.features.demo import customs
from tablectl.features.demo.console import IDLE, View
from tablectl.features.demo.playing import Playing
from tablectl.features.demo.script import Company
from tablectl.players.moves import Move, Player

Strikes = Callable[[Playing, View, Move], Awaitable[bool]]
"""What goes wrong around a move; returns whether it was made, or became void."""


async def regular(_playing: Playing, _view: View, _move: Move) -> bool:
    """Nothing goes wrong."""
    return False


async def play_by(
    player: Player,
    company: Company,
    plan: Any,
    strikes: Strikes = regular,
    needs: Collection[str] = (),
    dice: Iterator[tuple[int, ...]] | None = None,
) -> None:
    """Have a game's player play one round to its end, whatever that is, and tidy up.

    Args:
        strikes: what goes wrong.
        needs: the devices that have to be there before.
        dice: what the throws show that are left to chance.

    Raises:
        DemoError: the table did something that the rules don't explain.
    """
    playing, begun = Playing(company, player, plan, dice or iter(())), False
    view = await company.screen.until(
        "all devices are there", lambda now: now.attached.issuperset(needs) and now.phase == IDLE
    )
    while not (begun and view.phase == IDLE):
        begun = begun or view.phase != IDLE
        move = playing.next(view)
        if not (await customs.come_up(playing, view, move) or await strikes(playing, view, move)):
            await playing.make(move)
        view = await company.look()
    await customs.come_up_afterwards(playing, view)
    for name in needs:
        if name not in view.attached:
            await company.plug_in(name)
    await company.sign()
    await company.pace.take(3.0)
