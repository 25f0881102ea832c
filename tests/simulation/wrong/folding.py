"""Daemons that make something wrong of what happened: of cards, faults, draws and money."""

import json
from dataclasses import replace
from typing import Any

import drivers.link.connection
import tablectl.core.fold
import tablectl.core.games.football_poker.game
import tablectl.core.games.q_poker.public
import tablectl.core.table_step
import tablectl.daemon.daemon
import tablectl.daemon.table_fold
from tablectl.core.effects import Announce, RequestDraw
from tablectl.core.events.round import Settled
from tablectl.core.facts.reports import CardDrawn
from tablectl.core.table import fault, without_fault
from tablectl.daemon.devices.allowance import Allowance
from tablectl.daemon.host.log import logger
from tablectl.daemon.table import LiveTable
from tests.simulation.wrong import Patch

_TABLE: Any = tablectl.daemon.table_fold


def does_again_what_was_asked_again() -> list[Patch]:
    return [(tablectl.core.fold, "answered", lambda *_: None)]


def counts_again_what_was_told_again() -> list[Patch]:
    return [
        (tablectl.core.fold, "_came_again", lambda _table, _fact: False),
        (drivers.link.connection, "_read", lambda _delivered: None),
    ]


def shows_cards_early() -> list[Patch]:
    return [(tablectl.core.games.q_poker.public, "lies_up", lambda _hand, _nth: True)]


def writes_cards_into_the_log() -> list[Patch]:
    def log(events: Any) -> None:
        for event in events:
            form = json.loads(event.payload)
            if "cards" in form["data"]:
                logger("round").info("revealed", cards=form["data"]["cards"])

    return [(tablectl.daemon.daemon, "log_events", log)]


def forgets_a_latch() -> list[Patch]:
    def cleared(table: Any, effect: Any) -> Any:
        standing = fault(table, effect.code, effect.device)
        if standing is None:
            return table, ()
        return without_fault(table, standing), (tablectl.core.table_step._gone(standing, "table"),)  # pyright: ignore[reportPrivateUsage]

    return [(tablectl.core.table_step, "_cleared", cleared)]


def forgets_faults_at_its_end() -> list[Patch]:
    recover = LiveTable.recover

    def forgetful(self: Any, *given: Any) -> int:
        folded: int = recover(self, *given)
        self.state = self.folding.state = replace(self.state, faults=())
        return folded

    return [(LiveTable, "recover", forgetful)]


def draws_again_after_a_restart() -> list[Patch]:
    game = tablectl.core.games.football_poker.game.FootballPokerGame
    outstanding = game.outstanding

    def anew(self: Any, state: Any) -> Any:
        commands = outstanding(self, state)
        return tuple(
            replace(each, draw_id=each.draw_id + 1) if isinstance(each, RequestDraw) else each for each in commands
        )

    return [(game, "outstanding", anew)]


def settles_out_of_balance() -> list[Patch]:
    write_event = _TABLE.write_event

    def generous(event: Any, *rest: Any, **named: Any) -> tuple[str, bytes]:
        topic, payload = write_event(event, *rest, **named)
        if isinstance(event, Settled):
            payload = payload.replace(b'"net":"-', b'"net":"', 1)
        return topic, payload

    return [(tablectl.daemon.table_fold, "write_event", generous)]


def ends_a_round_twice() -> list[Patch]:
    step = tablectl.core.fold.step

    def twice(*folded: Any) -> Any:
        after, effects = step(*folded)
        ends = [effect for effect in effects if isinstance(effect, Announce) and isinstance(effect.event, Settled)]
        return after, (*effects, *ends)

    return [(tablectl.core.fold, "step", twice)]


def tells_a_card_twice() -> list[Patch]:
    tell = LiveTable.tell

    def stutter(self: Any, given: Any, stored: Any = None) -> None:
        tell(self, given, stored)
        if isinstance(given.body, CardDrawn):
            tell(self, given)

    return [(LiveTable, "tell", stutter)]


def lets_a_device_flood() -> list[Patch]:
    return [(Allowance, "__call__", lambda self, body, **named: self._tell(body, **named))]
