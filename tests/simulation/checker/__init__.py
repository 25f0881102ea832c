"""Whether a table kept what it promises, judged by what was seen of it from outside and by what lies on its disk.

It knows the forms on the wire and in the journal's file, as the documents give them, and nothing of the program: the
chain, the tree and the sums are computed here anew. Each rule gives a line for whatever breaks it.
"""

from collections.abc import Callable, Sequence
from typing import Final

from tests.simulation.checker.amending import amended_counts, boards_follow, only_who_may_amends
from tests.simulation.checker.asking import answers_are_true, nobody_gets_more, replays_are_whole, who_asks_is_answered
from tests.simulation.checker.case import Case, Lines
from tests.simulation.checker.case import kind_of as kind_of
from tests.simulation.checker.devices import faults_stay, no_device_fills_the_journal, nothing_is_carried_out_twice
from tests.simulation.checker.fairness import evidence_follows
from tests.simulation.checker.feed import (
    a_copy_beside_its_table_is_silent,
    an_earlier_journal_is_taken_over,
    an_old_folder_is_silent,
    checkpoints_agree,
    feed_is_whole,
)
from tests.simulation.checker.proofs import proofs_are_given, proofs_hold
from tests.simulation.checker.records import (
    answered_is_kept,
    asked_is_done_once,
    chain_holds,
    nothing_is_invented,
    past_is_unchanged,
    reports_are_in_order_and_once,
    stored_is_kept,
)
from tests.simulation.checker.rounds import money_is_conserved, program_is_sound, rounds_end_once, something_happened
from tests.simulation.checker.screens import (
    a_restart_changes_nothing,
    nothing_is_said_too_early,
    shown_is_what_happened,
)
from tests.simulation.checker.secrecy import cards_are_secret
from tests.simulation.checker.timers import timers_go_by_the_monotonic_clock
from tests.simulation.history import History

RULES: Final[Sequence[Callable[[Case], Lines]]] = (
    program_is_sound,
    answered_is_kept,
    asked_is_done_once,
    stored_is_kept,
    reports_are_in_order_and_once,
    chain_holds,
    past_is_unchanged,
    nothing_is_invented,
    shown_is_what_happened,
    a_restart_changes_nothing,
    nothing_is_said_too_early,
    feed_is_whole,
    checkpoints_agree,
    an_old_folder_is_silent,
    a_copy_beside_its_table_is_silent,
    an_earlier_journal_is_taken_over,
    nothing_is_carried_out_twice,
    faults_stay,
    no_device_fills_the_journal,
    replays_are_whole,
    answers_are_true,
    nobody_gets_more,
    who_asks_is_answered,
    proofs_hold,
    proofs_are_given,
    cards_are_secret,
    money_is_conserved,
    rounds_end_once,
    amended_counts,
    only_who_may_amends,
    boards_follow,
    evidence_follows,
    timers_go_by_the_monotonic_clock,
    something_happened,
)


def check(history: History) -> list[str]:
    """Everything in which the table didn't keep what it promises, each with the rule that it breaks."""
    case = Case(history)
    return [f"{rule.__name__}: {line}" for rule in RULES for line in _said_by(rule, case)]


def _said_by(rule: Callable[[Case], Lines], case: Case) -> Lines:
    """What a rule says; a history that it can't read is a flaw as well, and keeps its seed."""
    try:
        yield from rule(case)
    except (LookupError, TypeError, ValueError) as error:
        yield f"it can't judge what happened: {error!r}"
