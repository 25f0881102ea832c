"""Whatever is told to the table, in whatever order: what always holds.

A good dealer's next step and arbitrary facts alternate at random: so nonsense meets every phase of a round.
"""

from typing import get_args

from hypothesis import given
from hypothesis import strategies as st

from tablectl.core.cards import ASIDE, DEALER, PACK, Card, Place
from tablectl.core.dealing.deal import known_cards
from tablectl.core.dealing.pack import PackState
from tablectl.core.effects import Effects, ShuffleCards
from tablectl.core.events import Event
from tablectl.core.events.round import Decided, RoundBegan, Settled
from tablectl.core.facts import (
    Body,
    CertificateExpiring,
    ClockStepped,
    FairnessWeighed,
    FaultRaised,
    ProgramVerified,
    SessionEnded,
)
from tablectl.core.facts.card_requests import (
    CardExposed,
    CardMended,
    CardMisplaced,
    CardsHeldAway,
    Dealing,
    HandOpened,
    MalfunctionDeclared,
    PackConfirmed,
    Shuffle,
)
from tablectl.core.facts.reports import (
    CardDrawn,
    CutCardReached,
    DeviceLost,
    DeviceNoted,
    PacketDelivered,
    ShuffleStarted,
)
from tablectl.core.facts.table_requests import (
    BetOffered,
    BetTakenBack,
    BettingClosed,
    DecisionDeclared,
    PersonSignedOn,
    RoundOpened,
)
from tablectl.core.faults import Code
from tablectl.core.game_step import Game
from tablectl.core.games.q_poker.shapes import settle_form
from tablectl.core.games.q_poker.state import HAND_SIZE, TRANSITIONS, QPoker
from tablectl.core.json_form import Json
from tablectl.core.money import parse_money
from tests.support.nonsense import FEW, hand_bodies, names, numbered_places, operations, texts
from tests.support.poker import SHOE, SHUFFLER
from tests.support.q_poker import PAIR, VERSUS, Sitting, new_table, rules, versus
from tests.support.q_poker_dealer import next_body
from tests.support.secrecy import Secrecy, opened_or_exposed, words
from tests.support.totality import (
    Book,
    Step,
    Told,
    Watched,
    Word,
    assert_replay_is_the_same,
    often,
    play,
    step_lists,
    take_all,
    ways_of,
)
from tests.support.ways import BOTH_WAYS, both_ways

NEXT, AGAIN, ASTRAY = "next", "again", "astray"
"""Stand for the good dealer's next step, a card that was read before, and the last card at a place without a bet."""

anywhere: st.SearchStrategy[Place] = st.one_of(numbered_places, st.sampled_from([DEALER, "", "1", "banker"]))
devices = st.sampled_from([SHOE, SHUFFLER, "", "wheel"])

BODIES = hand_bodies(devices, anywhere, HAND_SIZE) | {
    SessionEnded: st.builds(SessionEnded, texts, texts),
    CertificateExpiring: st.builds(CertificateExpiring, st.text(), st.text(), st.integers(0, 2**52), st.integers()),
    FairnessWeighed: st.builds(
        FairnessWeighed, st.text(), st.text(), st.text(), st.integers(0, 2**52), st.text(), st.booleans()
    ),
    ClockStepped: st.builds(ClockStepped, st.integers(0, 2**52), st.integers(0, 2**52)),
    ProgramVerified: st.builds(
        ProgramVerified,
        texts,
        st.sampled_from(["ok", "unsigned", "mismatch"]),
        texts,
        texts,
        st.just(1),
        st.just(0),
        st.tuples(texts),
        texts,
    ),
    CutCardReached: st.builds(CutCardReached, devices),
    DeviceNoted: st.builds(DeviceNoted, devices, texts),
    ShuffleStarted: st.builds(ShuffleStarted, devices, operations),
    PersonSignedOn: st.builds(PersonSignedOn, names, texts),
    PackConfirmed: st.builds(PackConfirmed, st.sampled_from(Shuffle)),
    BetOffered: st.builds(
        BetOffered, numbered_places, names, st.sampled_from([PAIR, VERSUS, "tie", ""]), st.integers(-1, 300)
    ),
    BetTakenBack: st.builds(BetTakenBack, numbered_places, names, st.sampled_from([PAIR, VERSUS, "tie"])),
    BettingClosed: st.builds(BettingClosed),
    DecisionDeclared: st.builds(
        DecisionDeclared, numbered_places, names, st.sampled_from(["play", "withdraw", "raise", ""])
    ),
    CardMended: st.builds(CardMended),
    MalfunctionDeclared: st.builds(MalfunctionDeclared),
    CardsHeldAway: st.builds(CardsHeldAway, numbered_places, names),
}
MISCHIEF = st.one_of(
    st.sampled_from([AGAIN, ASTRAY]),
    st.just(ASTRAY),
    st.builds(CardDrawn, st.just(SHOE), st.one_of(st.none(), st.sampled_from(FEW))),
    st.builds(CardExposed, st.sampled_from([1, 1, 4, DEALER]), st.integers(1, 3)),
    st.builds(CardMisplaced, st.sampled_from([1, 2, DEALER])),
    st.builds(BetOffered, st.integers(1, 3), st.sampled_from(["ann", "bob"]), st.just(PAIR), st.just(7)),
    st.builds(BetOffered, st.integers(1, 3), st.sampled_from(["ann", "bob"]), st.just(VERSUS), st.just(100)),
    st.builds(DecisionDeclared, st.integers(1, 2), st.sampled_from(["ann", "bob"]), st.just("withdraw")),
    st.builds(RoundOpened, st.sampled_from(Dealing)),
    st.sampled_from([HandOpened(1), CardMended(), DeviceLost(SHOE), BettingClosed()]),
    st.sampled_from([MalfunctionDeclared(), FaultRaised(Code.SHUFFLER_JAM, SHUFFLER), PacketDelivered(SHUFFLER, 3)]),
)
"""What goes wrong at a table, with values that make sense."""

STEPS = step_lists(st.just(NEXT), MISCHIEF, st.one_of(*BODIES.values()), forward_of_12=8, least=40)
"""Two thirds of what isn't a step forward makes sense at some time; the rest is anything at all."""


def test_every_kind_of_fact_is_told() -> None:
    assert set(BODIES) == set(get_args(Body))


class QPokerLaw:
    """What holds at a Q Poker table."""

    def __init__(self, game: Game[QPoker]) -> None:
        self.game = game
        self.secrecy = Secrecy(game, lambda one, before: opened_or_exposed(one, lying(before)))
        self.decisions: dict[tuple[Place, str], str] = {}

    def strays(self, event: Event, book: Book) -> bool:
        return False

    def sees(self, event: Event, book: Book) -> None:
        match event:
            case RoundBegan():
                self.decisions = {}
            case Decided():
                assert (event.place, event.bettor) not in self.decisions
                self.decisions[event.place, event.bettor] = event.decision
            case Settled():
                self.decisions_are_kept(event)
                settled = {
                    (place["place"], bet["bettor"], bet["bet"]): parse_money(bet["stake"])
                    for place in event.round["places"]
                    for bet in place["bets"]
                }
                assert settled == book.laid()
            case _:
                pass

    def decisions_are_kept(self, event: Settled) -> None:
        settled = {
            (place["place"], bet["bettor"]): bet["decision"]
            for place in event.round["places"]
            for bet in place["bets"]
            if bet["bet"] == VERSUS
        }
        assert settled == self.decisions

    def holds(self, told: Told[QPoker], book: Book) -> None:
        self.secrecy.holds(told)
        self.commands_are_only_asked_for_while_they_are_open(told.after.game, told.effects)
        self.hands_hold_what_one_pack_holds(told.after.game)

    def commands_are_only_asked_for_while_they_are_open(self, after: QPoker, effects: Effects) -> None:
        outstanding = self.game.outstanding(after)
        assert all(effect in outstanding for effect in effects if isinstance(effect, ShuffleCards))
        assert bool(outstanding) == (after.pack.state is PackState.SHUFFLING)

    def hands_hold_what_one_pack_holds(self, after: QPoker) -> None:
        known = known_cards(after.deal)
        assert len(known) == len(set(known))
        assert set(known) <= set(PACK)
        assert all(len(hand.cards) <= HAND_SIZE for hand in after.deal.hands if hand.place != ASIDE)


def lying(state: QPoker) -> dict[Place, tuple[Card | None, ...]]:
    """The cards of each hand."""
    return {hand.place: hand.cards for hand in state.deal.hands}


def watched(dealing: Dealing) -> Watched[QPoker]:
    """A table that has just begun, watched."""
    sitting = new_table(dealing, places=4)
    return Watched(sitting, QPokerLaw(sitting.game), ways_of(TRANSITIONS), settle, ("status", "dealer", "places"))


def settle(form: Json, overrides: Json) -> str:
    return settle_form(form, overrides, rules())


def played(dealing: Dealing, steps: list[Step], unused: list[Card]) -> Sitting:
    """A watched table after these steps."""
    table = watched(dealing)
    sitting = table.sitting
    assert isinstance(sitting, Sitting)

    def meant(word: Word) -> list[Body]:
        match word:
            case "again":
                return [CardDrawn(SHOE, min(known_cards(sitting.state.deal), default=None))]
            case "astray":
                return [CardMisplaced(4)]
            case _:
                return [next_body(sitting, tuple(unused))]

    play(table, steps, meant)
    return sitting


@often
@given(st.sampled_from(BOTH_WAYS), STEPS, st.permutations(PACK))
def test_whatever_is_told_the_law_holds_at_every_step(dealing: Dealing, steps: list[Step], unused: list[Card]) -> None:
    played(dealing, steps, unused)


@both_ways
def test_the_steps_that_are_watched_lead_through_whole_rounds(dealing: Dealing) -> None:
    sitting = played(dealing, [(NEXT, None, None)] * 70, [*PACK])
    assert len(sitting.all_of(Settled)) > 3


@given(st.sampled_from(BOTH_WAYS), STEPS, st.permutations(PACK), st.integers(0, 70))
def test_replay_from_any_point_gives_same_table_and_same_effects(
    dealing: Dealing, steps: list[Step], unused: list[Card], cut: int
) -> None:
    assert_replay_is_the_same(played(dealing, steps, unused), cut)


@given(st.lists(st.one_of(*BODIES.values()), max_size=40), st.sampled_from(BOTH_WAYS))
def test_nonsense_alone_is_taken_without_an_error(bodies: list[Body], dealing: Dealing) -> None:
    take_all(watched(dealing), bodies)


def test_the_watch_sees_a_card_that_is_told() -> None:
    table = new_table().begin(versus()).deal()
    hidden = table.game.unrevealed(table.state)
    assert hidden <= words(table.state)
    assert not hidden & words(table.events)
