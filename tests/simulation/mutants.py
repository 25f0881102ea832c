"""Daemons that break a promise: each does one thing wrongly, and the checker has to catch it.

They are made in this process, by putting a wrong function in the place of a right one, for as long as a block lasts.
"""

from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

from tablectl.core.dealing.pack import Pack
from tests.simulation.beside import BESIDE
from tests.simulation.process import doors
from tests.simulation.relapse import RELAPSE
from tests.simulation.slips import SLIPS
from tests.simulation.takeover import EARLIER
from tests.simulation.wrong import Patch, amending, folding, proving, storing, telling, timing, weighing

ASKING: Final = frozenset({"asking", "kill"})
DOUBTING: Final = frozenset({"doubting", "kill"})
SLIPPING: Final = frozenset({SLIPS, "kill"})


@dataclass(frozen=True, slots=True)
class Mutant:
    """A daemon that does one thing wrongly.

    Args:
        makes: what stands in whose place.
        caught_by: the rules of the checker, one of which has to notice.
        game: the game at which it shows.
        kinds: the accidents under which it shows.
        seed: the one that brought it to light when it was last looked for.
    """

    makes: Callable[[], list[Patch]]
    caught_by: frozenset[str]
    game: str = "q-poker"
    kinds: frozenset[str] = frozenset({"kill"})
    seed: int = 1


@contextmanager
def at_large(mutant: Mutant) -> Generator[None]:
    """The daemons of this process are the mutant's until the end of the block."""
    doors()  # First, or the stand-in for `proof_of` would take the place of a mutant's at the first run.
    patches = mutant.makes()
    kept = [(owner, name, getattr(owner, name)) for owner, name, _ in patches]
    for owner, name, wrong in patches:
        setattr(owner, name, wrong)
    try:
        yield
    finally:
        for owner, name, right in kept:
            setattr(owner, name, right)


MUTANTS: Final[Mapping[str, Mutant]] = {
    "writes an earlier build's event anew": Mutant(
        storing.writes_an_earlier_builds_event_anew,
        frozenset({"an_earlier_journal_is_taken_over"}),
        game="wheel-of-fortune",
        kinds=frozenset({EARLIER}),
    ),
    "answers before the commit": Mutant(
        storing.answers_before_commit,
        frozenset({"answered_is_kept", "shown_is_what_happened"}),
        seed=10,
    ),
    "acknowledges devices before the commit": Mutant(
        storing.acknowledges_devices_before_commit,
        frozenset({"stored_is_kept"}),
        game="chinese-dice",
    ),
    "publishes before the commit": Mutant(
        storing.publishes_before_commit, frozenset({"nothing_is_said_too_early"}), seed=3
    ),
    "synchronous=NORMAL": Mutant(storing.syncs_seldom, frozenset({"answered_is_kept", "shown_is_what_happened"})),
    "ignores a failed write": Mutant(
        storing.ignores_a_failed_write,
        frozenset({"answered_is_kept", "shown_is_what_happened", "chain_holds"}),
        kinds=frozenset({"disk fails"}),
    ),
    "goes on after a failed note": Mutant(
        storing.goes_on_after_a_failed_note,
        frozenset({"program_is_sound"}),
        game="wheel-of-fortune",
        kinds=frozenset({"disk fails"}),
        seed=17,
    ),
    "does again what was asked again": Mutant(
        folding.does_again_what_was_asked_again,
        frozenset({"asked_is_done_once"}),
        kinds=frozenset({"network"}),
        seed=7,
    ),
    "counts again what was told again": Mutant(
        folding.counts_again_what_was_told_again,
        frozenset({"reports_are_in_order_and_once"}),
        game="chinese-dice",
        kinds=frozenset({"kill"}),
        seed=13,
    ),
    "shows cards early": Mutant(folding.shows_cards_early, frozenset({"cards_are_secret"})),
    "writes cards into the log": Mutant(folding.writes_cards_into_the_log, frozenset({"cards_are_secret"})),
    "lets a device flood": Mutant(
        folding.lets_a_device_flood,
        frozenset({"no_device_fills_the_journal"}),
        kinds=frozenset({"chatter"}),
        seed=4,
    ),
    "forgets with its snapshot what was asked": Mutant(
        storing.forgets_with_its_snapshot_what_was_asked,
        frozenset({"asked_is_done_once", "answered_is_kept"}),
        kinds=frozenset({"kill", "repeating"}),
        seed=8,
    ),
    "takes one answer of the broker for all": Mutant(
        telling.takes_one_answer_for_all,
        frozenset({"feed_is_whole"}),
        kinds=frozenset({"chatter", "kill"}),
        seed=2,
    ),
    "forgets what waits": Mutant(
        telling.forgets_what_waits, frozenset({"feed_is_whole"}), kinds=frozenset({"broker stops"})
    ),
    "takes an old folder for its own": Mutant(
        telling.takes_an_old_folder_for_its_own,
        frozenset({"an_old_folder_is_silent"}),
        kinds=frozenset({"kill", RELAPSE}),
    ),
    "opens rounds on an old folder": Mutant(
        telling.opens_rounds_on_an_old_folder,
        frozenset({"an_old_folder_is_silent"}),
        kinds=frozenset({"kill", RELAPSE}),
    ),
    "goes on after its table on a copied folder": Mutant(
        telling.goes_on_after_its_table_on_a_copy,
        frozenset({"a_copy_beside_its_table_is_silent"}),
        kinds=frozenset({BESIDE}),
    ),
    "makes old events anew": Mutant(
        telling.makes_old_events_anew, frozenset({"feed_is_whole"}), kinds=frozenset({"broker stops"})
    ),
    "publishes the newest first": Mutant(
        telling.publishes_the_newest_first, frozenset({"feed_is_whole"}), kinds=frozenset({"broker stops"})
    ),
    "forgets a latch": Mutant(
        folding.forgets_a_latch, frozenset({"faults_stay"}), kinds=frozenset({"unplug", "jam"}), seed=2
    ),
    "forgets faults at its end": Mutant(
        folding.forgets_faults_at_its_end, frozenset({"faults_stay"}), kinds=frozenset({"kill", "jam", "unplug"})
    ),
    "forgets the round": Mutant(storing.forgets_the_round, frozenset({"a_restart_changes_nothing"}), seed=3),
    "forgets that the pack is shuffled": Mutant(
        storing.coming_back_with(pack=Pack()), frozenset({"a_restart_changes_nothing"})
    ),
    "forgets how often the wheel was spun in vain": Mutant(
        storing.coming_back_with(invalid=7),
        frozenset({"a_restart_changes_nothing"}),
        game="wheel-of-fortune",
        seed=2,
    ),
    "drops its last record": Mutant(storing.drops_its_last_record, frozenset({"past_is_unchanged"})),
    "draws again after a restart": Mutant(
        folding.draws_again_after_a_restart,
        frozenset({"nothing_is_carried_out_twice"}),
        game="football-poker",
        seed=21,
    ),
    "settles out of balance": Mutant(folding.settles_out_of_balance, frozenset({"money_is_conserved"})),
    "settles the bank out of balance": Mutant(
        folding.settles_out_of_balance, frozenset({"money_is_conserved"}), game="chinese-dice"
    ),
    "ends a round twice": Mutant(folding.ends_a_round_twice, frozenset({"rounds_end_once"})),
    "breaks the chain": Mutant(storing.breaks_the_chain, frozenset({"chain_holds"})),
    "speaks before its session": Mutant(telling.speaks_before_its_session, frozenset({"nothing_is_said_too_early"})),
    "is ready at once": Mutant(
        telling.is_ready_at_once,
        frozenset({"nothing_is_said_too_early"}),
        kinds=frozenset({"kill", "unplug"}),
        seed=2,
    ),
    "tells a card twice": Mutant(folding.tells_a_card_twice, frozenset({"nothing_is_invented"})),
    "does again what a subscriber asked again": Mutant(
        folding.does_again_what_was_asked_again,
        frozenset({"asked_is_done_once"}),
        kinds=ASKING,
        seed=2,
    ),
    "replays without the last event": Mutant(
        telling.replays_without_the_last, frozenset({"replays_are_whole"}), kinds=ASKING
    ),
    "replays without bets": Mutant(telling.replays_without_bets, frozenset({"replays_are_whole"}), kinds=ASKING),
    "gives everybody everything": Mutant(
        telling.gives_everybody_everything, frozenset({"nobody_gets_more"}), kinds=ASKING
    ),
    "hears everybody": Mutant(telling.hears_everybody, frozenset({"nobody_gets_more"}), kinds=ASKING),
    "tells an old table": Mutant(telling.tells_an_old_table, frozenset({"answers_are_true"}), kinds=ASKING, seed=3),
    "hears nobody": Mutant(telling.hears_nobody, frozenset({"who_asks_is_answered"}), kinds=ASKING),
    "proves in a tree of another size": Mutant(
        proving.proves_in_a_tree_of_another_size, frozenset({"proofs_hold"}), kinds=DOUBTING
    ),
    "proves the event beside": Mutant(proving.proves_the_event_beside, frozenset({"proofs_hold"}), kinds=DOUBTING),
    "leaves an event out of a proof": Mutant(proving.leaves_an_event_out, frozenset({"proofs_hold"}), kinds=DOUBTING),
    "proves under what it never signed": Mutant(
        proving.proves_under_what_it_never_signed, frozenset({"proofs_hold"}), kinds=DOUBTING
    ),
    "proves the first round always": Mutant(
        proving.proves_the_first_round_always,
        frozenset({"proofs_hold"}),
        kinds=DOUBTING,
        seed=16,
    ),
    "proves nothing": Mutant(proving.proves_nothing, frozenset({"proofs_are_given"}), kinds=DOUBTING),
    "proves to everybody": Mutant(proving.proves_to_everybody, frozenset({"proofs_are_given"}), kinds=DOUBTING),
    "forgets a change of an amendment": Mutant(
        amending.forgets_a_change, frozenset({"amended_counts"}), kinds=SLIPPING
    ),
    "amends, and settles with the old facts": Mutant(
        amending.settles_with_the_old_facts, frozenset({"amended_counts"}), kinds=SLIPPING, seed=3
    ),
    "keeps the old money of an amended round": Mutant(
        amending.keeps_the_old_money, frozenset({"amended_counts"}), kinds=SLIPPING, seed=2
    ),
    "keeps an event that counts no more": Mutant(
        amending.keeps_an_event_that_counts_no_more, frozenset({"money_is_conserved"}), kinds=SLIPPING
    ),
    "lets anybody amend": Mutant(amending.lets_anybody_amend, frozenset({"only_who_may_amends"}), kinds=SLIPPING),
    "lets one person amend what is over": Mutant(
        amending.lets_one_person_amend_what_is_over, frozenset({"only_who_may_amends"}), kinds=SLIPPING
    ),
    "leaves the board as it was": Mutant(
        amending.leaves_the_board_as_it_was, frozenset({"boards_follow"}), kinds=SLIPPING
    ),
    "draws again for an amendment": Mutant(
        amending.draws_again,
        frozenset({"nothing_is_carried_out_twice"}),
        game="football-poker",
        kinds=SLIPPING,
    ),
    "forgets the evidence at a restart": Mutant(
        weighing.forgets_the_evidence_at_a_restart, frozenset({"evidence_follows"}), game="wheel-of-fortune"
    ),
    "weighs the past again after a restart": Mutant(
        weighing.weighs_the_past_again_after_a_restart, frozenset({"evidence_follows"}), game="wheel-of-fortune"
    ),
    "counts times by the wall clock": Mutant(
        timing.counts_by_the_wall_clock,
        frozenset({"timers_go_by_the_monotonic_clock"}),
        game="thirteen-cards",
        kinds=frozenset({"clock jumps"}),
        seed=8,
    ),
    "lets no time run out": Mutant(
        timing.never_runs_out,
        frozenset({"timers_go_by_the_monotonic_clock"}),
        game="thirteen-cards",
        kinds=frozenset({"clock jumps"}),
        seed=7,
    ),
    "signs what nobody has": Mutant(
        telling.signs_what_nobody_has,
        frozenset({"checkpoints_agree"}),
        kinds=frozenset({"broker stops", "broker slow"}),
    ),
}
"""By what each does wrongly."""


def caught(mutant: Mutant, lives: Callable[[int], list[str]], seeds: int) -> int | None:
    """A seed whose run is caught by a rule that the mutant breaks: its own, or else the first; None where none is.

    Args:
        lives: lives through a run of this seed and gives its flaws.
    """
    with at_large(mutant):
        tried: list[int] = [mutant.seed, *range(1, seeds + 1)]
        return next((seed for seed in tried if _breaks(mutant, lives(seed))), None)


def _breaks(mutant: Mutant, flaws: list[str]) -> bool:
    return any(flaw.partition(":")[0] in mutant.caught_by for flaw in flaws)
