"""Write docs/reference/authority.md from the requests, as games take them: `python -m scripts.authority_page`."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any, Final

from tablectl import words
from tablectl.config.game_setup import played
from tablectl.console.auth.people import ANYBODY, FLOOR, SUPERVISORS, Role
from tablectl.console.requests.table import VERBS
from tablectl.console.requests.verb import ALWAYS_TWO, SUPERVISED
from tablectl.core import fold
from tablectl.core.actions.authority import Need, need_of
from tablectl.core.actions.forms import offers
from tablectl.core.facts import Fact, Stamp
from tablectl.core.facts.game_requests import CardExposed, CardsCounted
from tablectl.core.facts.reports import DeviceLost
from tablectl.core.facts.table_requests import Request
from tablectl.core.game_step import Game, device_of_kind
from tablectl.core.table import Table
from tablectl.features.dev import transitions_of
from tests.referee.amended import TABLES
from tests.referee.dealers import DEALERS
from tests.referee.evening import Evening

PAGE: Final = Path(__file__).parent.parent / "docs" / "reference" / "authority.md"
AT: Final = Stamp(1_790_000_000_000_000, 0, "boot")
ROUNDS: Final = 2
SEEDS: Final = range(2)
OF_NO_PHASE: Final = ("acknowledge_fault", "bookmark", "correct_round", "amend", "run_self_test", "show_test_pattern")

HEAD: Final = """\
# Who may do what

<!-- Written by `python -m scripts.authority_page`; a test compares. -->

Every request names who may make it. Most are the dealer's or the supervisor's alone. From the **first visible outcome**
of a round on, whatever can undo it takes a supervisor: who has seen what they win or lose doesn't decide alone that it
doesn't count. A supervisor alone is enough; a dealer names one as `second`.

| game | first visible outcome |
|---|---|
| Q Poker | a player's card face up |
| Football Poker | a card face up, or a third card due |
| Wheel of Fortune | the spin has started, valid or not |
| Chinese dice | the banker's first decisive throw |
| 13 Cards | the banker's hand shown |

## Amendments

| what is put right | before the first visible outcome | from it on | once the round is over |
|---|---|---|---|
| what a person entered, or where a card or packet lies | dealer | supervisor | two persons |
| what a device reported: a card's identity, dice, spin, draw | supervisor | supervisor | two persons |

Of two persons one is a supervisor. What the dealer may not ask for alone, as `void_round` or `join_casino`, takes a
supervisor where an amendment puts it in as well.

Amounts by hand (`correct_round`) always take two persons, one of them a supervisor, and `void_round` takes a supervisor
in every phase. That Football Poker's draw is shown by other means than a lost display (`declare_irregularity`, kind
`shown_otherwise`) is a supervisor's word as well. So is a spin (`declare_spin`) at a table that has a sensor, while it
is away or in doubt, and where the indicator differs from it. At a table without a sensor the dealer enters every spin,
and a supervisor has to join only where it is entered anew. An invalid rotation is called (`invalidate_spin`) of a spin
that has started, always with a supervisor.

## Requests, phase by phase

● the dealer or a supervisor alone · **S** a supervisor, alone or as the dealer's second · ●/**S** the dealer alone
until the first visible outcome, a supervisor from then on, where it would undo it · empty: not taken in this phase.
The tables were made by playing rounds and trying every request at every step; requests that a person makes of nothing
but the table itself (`acknowledge_fault`, `bookmark`) stand below.
"""

TAIL: Final = """\
## Requests of no phase

| request | who |
|---|---|
"""

ROLES: Final[Mapping[frozenset[Role], str]] = {ANYBODY: "anybody who is signed on", FLOOR: "dealer or supervisor"}


def page() -> str:
    """The whole page."""
    return "\n".join([HEAD, *map(_section, TABLES), TAIL + "".join(_of_no_phase())])


def _section(game: str) -> str:
    taken, phases = _taken(game), _phases(game)
    rows = [
        f"| `{verb}` | " + " | ".join(_cell(taken[verb].get(phase, set())) for phase in phases) + " |"
        for verb in VERBS
        if verb in taken
    ]
    names = " | ".join(words.text(f"phase.{game}.{phase}", "en") for phase in phases)
    head = f"### {words.text(f'game.{game}', 'en')}\n\n| request | {names} |\n|---|{'---|' * len(phases)}\n"
    return head + "\n".join(rows) + "\n"


def _cell(needs: set[Need]) -> str:
    return "/".join("●" if need is Need.ANY else "**S**" for need in sorted(needs))


def _phases(game: str) -> list[str]:
    return [str(phase) for phase in transitions_of(game)]


def _taken(game: str) -> dict[str, dict[str, set[Need]]]:
    """The requests that were taken: whose word they need, by verb and phase."""
    found: dict[str, dict[str, set[Need]]] = defaultdict(lambda: defaultdict(set))
    for table in _tables(game):
        phase = TABLES[game].phase(table.game)
        for body in _allowed(TABLES[game], table):
            found[_verb_of(body)][phase].add(_need(TABLES[game], table, body))
    return found


def _tables(game: str) -> Iterator[Table[Any]]:
    """Every state of a few rounds, and what it is like with one card exposed, or with its wheel's sensor away."""
    for seed in SEEDS:
        with TemporaryDirectory() as folder:
            random, (make_truth, next_act) = Random(seed), DEALERS[game]
            evening = Evening(TABLES[game], played(game).table, Path(folder))
            truth, over = make_truth(random), 0
            while over < ROUNDS:
                yield evening.table
                yield from _exposed(TABLES[game], evening.table)
                yield from _unread(TABLES[game], evening.table)
                before = evening.round_id
                evening.happens(next_act(random, evening, truth))
                if before is not None and evening.round_id is None:
                    over, truth = over + 1, make_truth(random)
            evening.close()


def _exposed(game: Game[Any], table: Table[Any]) -> Iterator[Table[Any]]:
    for body in _allowed(game, table):
        if isinstance(body, CardExposed):
            yield fold.step(game, table, Fact(body, AT, "console"))[0]
            return


def _unread(game: Game[Any], table: Table[Any]) -> Iterator[Table[Any]]:
    if wheel := device_of_kind(game, "wheel"):
        yield fold.step(game, table, Fact(DeviceLost(wheel), AT, "table"))[0]


def _allowed(game: Game[Any], table: Table[Any]) -> list[Request]:
    """The requests about the game that are lawful now; a count also as one that differs."""
    tried = [offer.body for offer in offers(game, table, AT) if offer.refused is None]
    tried += [replace(body, count=body.count + 1) for body in tried if isinstance(body, CardsCounted)]
    return [body for body in tried if _verb_of(body) not in OF_NO_PHASE]


def _need(game: Game[Any], table: Table[Any], body: Request) -> Need:
    verb = VERBS[_verb_of(body)]
    if verb.second == SUPERVISED or verb.roles == SUPERVISORS:
        return Need.SUPERVISOR
    return need_of(game, table, Fact(body, AT, "console"))


def _verb_of(body: Request) -> str:
    return next(name for name, verb in VERBS.items() if verb.asks is type(body))


def _of_no_phase() -> Iterator[str]:
    for name in OF_NO_PHASE:
        verb = VERBS[name]
        who = "two persons, one of them a supervisor" if verb.second == ALWAYS_TWO else ROLES.get(verb.roles)
        yield f"| `{name}` | {'as above' if verb.judged else who or ' or '.join(sorted(verb.roles))} |\n"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
