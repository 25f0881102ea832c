"""Trials of draw system and display that a person asks for between rounds."""

from tablectl.core.effects import RunSelfTest, ShowTestPattern
from tablectl.core.facts import DeviceRequest, PatternAsked, SelfTestAsked
from tablectl.core.games.football_poker.state import Phase
from tablectl.core.games.football_poker.turn import Outcome, Turn, refuse
from tablectl.core.table import device, operation


def device_request(turn: Turn, asked: DeviceRequest) -> Outcome:
    """A trial, where the device is one that can be tried and no round needs it. What comes of it, the device reports.

    Rule: 41/2003 art. 2(3): from the draw on, a round needs draw system and display.
    """
    state, settings = turn.state, turn.settings
    named = settings.draw if isinstance(asked, SelfTestAsked) else settings.display
    if not named or asked.device != named:
        return refuse(state, "table", "nothing_to_try", device=asked.device)
    if state.phase is not Phase.IDLE:
        return refuse(state, "table", "round_needs_it", device=named)
    if not device(turn.table, named).attached:
        return refuse(state, "table", "device_away", device=named)
    number = operation(turn.table)
    match asked:
        case SelfTestAsked():
            return state, (RunSelfTest(number),)
        case PatternAsked():
            return state, (ShowTestPattern(number),)
