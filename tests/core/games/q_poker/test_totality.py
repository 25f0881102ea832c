"""Whatever is told to the table, in whatever order: what always holds.

A good dealer's next step and arbitrary facts alternate at random: so nonsense meets every phase of a round.
"""

from hypothesis import strategies as st

from tablectl.core.cards import ASIDE, DEALER, PACK, Card, Place
from tablectl.core.dealing.deal import known_cards
from tablectl.core.dealing.pack import PackState
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
from tablectl.core.facts.game_requests import (
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
from tablectl.core.games.q_poker.state import HAND_SIZE, TRANSITIONS, QPoker
from tablectl.core.money import parse_money
from tests.games.contract.totality import A_PACK, TotalityContract
from tests.support.nonsense import FEW, hand_bodies, names, numbered_places, operations, texts
from tests.support.poker import SHOE, SHUFFLER
from tests.support.q_poker import PAIR, VERSUS, Sitting, new_table
from tests.support.q_poker_dealer import next_body
from tests.support.secrecy import Secrecy, opened_or_exposed
from tests.support.totality import Book, Told, Watched, Word, step_lists, ways_of
from tests.support.ways import BOTH_WAYS

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
        self.a_shuffle_is_open_exactly_while_the_pack_is_shuffled(told.after.game)
        self.hands_hold_what_one_pack_holds(told.after.game)

    def a_shuffle_is_open_exactly_while_the_pack_is_shuffled(self, after: QPoker) -> None:
        assert bool(self.game.outstanding(after)) == (after.pack.state is PackState.SHUFFLING)

    def hands_hold_what_one_pack_holds(self, after: QPoker) -> None:
        known = known_cards(after.deal)
        assert len(known) == len(set(known))
        assert set(known) <= set(PACK)
        assert all(len(hand.cards) <= HAND_SIZE for hand in after.deal.hands if hand.place != ASIDE)


def lying(state: QPoker) -> dict[Place, tuple[Card | None, ...]]:
    """The cards of each hand."""
    return {hand.place: hand.cards for hand in state.deal.hands}


class TestTotality(TotalityContract):
    bodies, steps, set_ups, whole, unused = BODIES, STEPS, st.sampled_from(BOTH_WAYS), BOTH_WAYS, A_PACK
    hides = True

    def watched(self, set_up: Dealing) -> Watched[QPoker]:
        sitting = new_table(set_up, places=4)
        return Watched(sitting, QPokerLaw(sitting.game), ways_of(TRANSITIONS), ("status", "dealer", "places"))

    def meant(self, word: Word, sitting: Sitting, unused: tuple[Card, ...]) -> list[Body]:
        match word:
            case "again":
                return [CardDrawn(SHOE, min(known_cards(sitting.state.deal), default=None))]
            case "astray":
                return [CardMisplaced(4)]
            case _:
                return [next_body(sitting, unused)]
