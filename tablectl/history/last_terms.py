"""Terms of play of a journal's last session.

They are for a reader who has the journal and no configuration.
"""

from typing import Any, Final

from tablectl.config.game_setup import played
from tablectl.core.facts import SessionBegan
from tablectl.core.game_step import Game
from tablectl.journal.encoding import WireError, read_fact
from tablectl.journal.reading.ranges import records_between
from tablectl.journal.reading.reader import JournalReader
from tablectl.rule_tables import GAMES

STEP: Final = 1024
_BEGAN: Final = b'"fact":"session_began"'


class NoTermsError(Exception):
    """The journal doesn't say what was played, or another build's journal says it."""


def last_game(reader: JournalReader) -> Game[Any]:
    """The game by the terms of the journal's last session, looked for from its end.

    Raises:
        NoTermsError: it doesn't say.
        UnreadableError: the journal can't be read.
    """
    head = reader.head()
    upper = head.record if head else 0
    while upper > 0:
        lower = max(1, upper - STEP + 1)
        began = [each.body for each in records_between(reader, lower, upper) if _BEGAN in each.body[:64]]
        if began:
            return _game(began[-1])
        upper = lower - 1
    raise NoTermsError("the journal doesn't say by which rules it was played: name the configuration with --config")


def _game(body: bytes) -> Game[Any]:
    try:
        fact = read_fact(body).body
        if isinstance(fact, SessionBegan) and fact.terms and fact.game in GAMES:
            return played(fact.game).by_terms(fact.terms)
    except (WireError, ValueError):
        pass
    raise NoTermsError("the journal doesn't say by which rules it was played: name the configuration with --config")
