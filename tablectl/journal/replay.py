"""Replay of a journal: each session's facts folded by the terms that it played by.

The terms are the game's rule table and the table's settings for it; a session's first fact has them. A round that was
begun by some isn't continued with others, which could refuse what the first ones accepted.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import islice
from typing import Any, Final, Generic, TypeVar, cast

from tablectl.core import fold
from tablectl.core.effects import Announce, Effects, Refuse
from tablectl.core.events import KINDS, TYPE_PREFIX
from tablectl.core.facts import Fact, LogBegan, SessionBegan
from tablectl.core.facts.amendments import Basis
from tablectl.core.game_step import Game, shown_phase, shown_round, shown_waiting
from tablectl.core.table import Table
from tablectl.journal.encoding import plain, read_fact
from tablectl.journal.procedure import PROCEDURE, procedure_of
from tablectl.journal.records import Record

S = TypeVar("S")

_MOST_CHANGES: Final = 3
_ABOUT: Final = frozenset({"rules.instrument", "rules.date", "rules.source"})
"""What a rule table says of itself, by which nothing is played."""


class OtherTermsError(Exception):
    """A round is open in the journal that was begun by other terms."""


class OtherProcedureError(OtherTermsError):
    """Rounds were played under another procedure version, with no snapshot after them."""

    def __init__(self, round_id: str, procedure: int) -> None:
        super().__init__(
            f"round {round_id} was begun under procedure {procedure}, and this build folds procedure {PROCEDURE}: "
            "start the version that wrote it, finish or void the round, and update then"
        )


class StrangerError(OtherTermsError):
    """The journal is of another table or game: `its`, not `ours`."""

    def __init__(self, its: str, ours: str) -> None:
        super().__init__(
            f"the journal in it is of {its}, not of {ours}; set a new log up in a folder of its own ([paths] state)"
        )
        self.its, self.ours = its, ours


class PastError(Exception):
    """This build doesn't make of the journal what was made of it when it was written."""


class Past(Generic[S]):
    """The game as each session of a journal played it.

    Args:
        game: as it is configured now; what sessions played that don't say.
        by_terms: the game from the text of its terms; None takes what is configured for all.
    """

    def __init__(self, game: Game[S], by_terms: Callable[[str], Game[S]] | None = None) -> None:
        self._now = self._game = game
        self._terms_now = terms_of(game)
        self.by_terms = by_terms
        self._procedure = PROCEDURE

    @property
    def is_earlier(self) -> bool:
        """Return True if the current session was played under an earlier procedure."""
        return self._procedure != PROCEDURE

    def at(self, fact: Fact) -> Game[S]:
        """Return the game as it was played when this fact was recorded.

        The facts are given in the order of the journal.

        Raises:
            PastError: the terms in the journal can't be read.
        """
        if isinstance(fact.body, SessionBegan):
            self._go_to(fact.body.terms)
        return self._game

    def begin(self, table: Table[S]) -> None:
        """Go on from this state: a snapshot, or a table that has seen nothing.

        Raises:
            PastError: the terms in it can't be read.
        """
        self._go_to(table.terms)

    def _go_to(self, terms: str) -> None:
        self._procedure = procedure_of(terms)
        if self._procedure > PROCEDURE:
            raise PastError(
                f"it was written under procedure {self._procedure}, and this build knows {PROCEDURE}: "
                "start the version that wrote it"
            )
        if self.by_terms is None or terms in {"", self._terms_now}:
            self._game = self._now
            return
        try:
            self._game = self.by_terms(terms)
        except ValueError as error:
            raise PastError(f"the terms of a session can't be read: {error}") from None

    def then(self, fact: Fact) -> Game[S]:
        """Return the game by the terms of the round that an amendment is about.

        For any other fact it is the current session's game.

        Raises:
            PastError: the terms in the journal can't be read.
        """
        if not isinstance(fact.basis, Basis):
            return self._game
        earlier = Past(self._now, self.by_terms)
        earlier.begin(fact.basis.opening)
        return earlier._game

    def folded(self, table: Table[S], records: Iterable[Record]) -> Table[S]:
        """Return the table after these records too.

        Events keep the numbers they were stored under, whatever this build makes.

        Raises:
            OtherProcedureError: a round was begun under another procedure.
            PastError: a request that had its consequences is refused now, or terms can't be read.
            WireError: a fact can't be read.
        """
        self.begin(table)
        for record in records:
            table = self._after(table, record)
        return table

    def _after(self, table: Table[S], record: Record) -> Table[S]:
        first = record.events[0].sequence if record.events else table.announced + 1
        fact = read_fact(record.body)
        game = self.at(fact)
        after, effects = fold.step(game, replace(table, announced=first - 1), fact, self.then(fact))
        if not self.is_earlier:
            _see_that_it_counts(record, effects)
            return after
        self.see_that_none_is_open(after)
        return replace(after, announced=first - 1 + len(record.events))

    def see_that_none_is_open(self, table: Table[S]) -> None:
        """Looks whether a round is open in a session of an earlier procedure.

        Raises:
            OtherProcedureError: one is.
        """
        if open_round := self._game.round_id(table.game):
            raise OtherProcedureError(open_round, self._procedure)

    def see_that_it_can_go_on(self, table: Table[S]) -> None:
        """Looks whether the round that is open at the end was begun by the terms of now.

        Both are compared as this build reads them: a setting that an update brought stands on both sides.

        Raises:
            OtherTermsError: it wasn't; the text says what was changed.
        """
        open_round = self._now.round_id(table.game)
        if open_round is None:
            return
        then, now = json.loads(terms_of(self._game)), json.loads(self._terms_now)
        if changes := list(islice(_changes("", then, now), _MOST_CHANGES + 1)):
            more = " and more" if len(changes) > _MOST_CHANGES else ""
            said = ", ".join(changes[:_MOST_CHANGES]) + more
            raise OtherTermsError(
                f"round {open_round} is open, and the configuration was changed since it began: {said}; "
                "put that back until the round is over"
            )


def round_form(game: Game[S], table: Table[S]) -> Mapping[str, Any]:
    """The round as everybody sees it, plain: the content of `round/state`.

    It never has a card that lies face down.
    """
    return {
        "round_id": shown_round(game, table),
        "phase": shown_phase(game, table),
        "waiting": plain(shown_waiting(game, table)),
        "round": plain(game.public(table.game)),
    }


def terms_of(game: Game[Any]) -> str:
    """Encode a game's terms and the procedure version as JSON."""
    return json.dumps({"procedure": PROCEDURE, **plain(game)}, ensure_ascii=False, separators=(",", ":"))


def see_whose(bodies: Iterable[bytes], site: str, name: str, game: str) -> None:
    """Looks whether a journal that begins with these facts is this table's.

    Raises:
        StrangerError: it isn't.
        WireError: a fact can't be read.
    """
    for fact in map(read_fact, bodies):
        match fact.body:
            case LogBegan(_, its_site, its_name) if (its_site, its_name) != (site, name):
                raise StrangerError(f"{its_site}/{its_name}", f"{site}/{name}")
            case SessionBegan(game=played) if played != game:
                raise StrangerError(played, game)
            case _:
                pass


def _see_that_it_counts(record: Record, effects: Effects) -> None:
    """Check that a request refused now was refused when it was recorded.

    Then it had no events that it wouldn't have now.

    Raises:
        PastError: it was accepted then.
    """
    refused = next((effect for effect in effects if isinstance(effect, Refuse)), None)
    if refused is None or not all(event.payload for event in record.events):
        return  # A pruned payload can't say any more what it was.
    now = [TYPE_PREFIX + KINDS[type(effect.event)][1] for effect in effects if isinstance(effect, Announce)]
    if any(json.loads(event.payload)["type"] not in now for event in record.events):
        why = f"{refused.article}, {refused.code}"
        raise PastError(
            f"record {record.number} was accepted when it was made, and is refused now ({why}): "
            "start the version that wrote it"
        )


def _changes(path: str, then: object, now: object) -> Iterator[str]:
    """Each value that isn't what it was, by its path."""
    if isinstance(then, dict) and isinstance(now, dict):
        before, after = cast("dict[str, object]", then), cast("dict[str, object]", now)
        for key in [*before, *(key for key in after if key not in before)]:
            yield from _changes(f"{path}.{key}" if path else key, before.get(key), after.get(key))
    elif then != now and path not in _ABOUT:
        yield f"{path} was {json.dumps(then)} and is {json.dumps(now)}"
