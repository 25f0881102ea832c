"""Whatever is told to the table, in whatever order: what always holds.

A good dealer's next step and arbitrary facts alternate at random: so nonsense meets every phase of a round.
"""

from hypothesis import strategies as st

from tablectl.core.cards import COMMON, PACK, Card, Place
from tablectl.core.dealing.deal import known_cards
from tablectl.core.dealing.pack import PackState
from tablectl.core.effects import RequestDraw, ShuffleCards
from tablectl.core.events import Event
from tablectl.core.events.device import DrawDisplayed, DrawMade, DrawVoided
from tablectl.core.events.round import BetPlaced, RoundBegan, Settled
from tablectl.core.facts import Body, FaultRaised
from tablectl.core.facts.game_requests import (
    CardExposed,
    CardMended,
    CardMisplaced,
    Dealing,
    HandOpened,
    MalfunctionDeclared,
    PackConfirmed,
)
from tablectl.core.facts.reports import CardDrawn, DeviceLost, DrawCommitted, DrawFailed, DrawShown, PacketDelivered
from tablectl.core.facts.table_requests import (
    BetOffered,
    BetTakenBack,
    BettingClosed,
    IrregularityDeclared,
    RoundOpened,
)
from tablectl.core.faults import Code
from tablectl.core.game_step import Game
from tablectl.core.games.football_poker.state import HAND_MOST, TRANSITIONS, FootballPoker, Phase
from tablectl.core.money import parse_money
from tablectl.core.outcomes import Draw, Series
from tests.games.contract.totality import A_PACK, TotalityContract
from tests.support.football_poker import DISPLAY, DRAW, EVEN, ODD, POST, Sitting, new_table
from tests.support.football_poker_dealer import next_body
from tests.support.nonsense import FEW, hand_bodies, names, numbered_places, operations, texts
from tests.support.poker import SHOE, SHUFFLER
from tests.support.secrecy import Secrecy, opened_or_exposed
from tests.support.totality import Book, Told, Watched, Word, hundredths, step_lists, ways_of
from tests.support.ways import BOTH_WAYS

NEXT, AGAIN, ASTRAY = "next", "again", "astray"
"""Stand for the good dealer's next step, a card that was read before, and the last card at a place without a bet."""
DRAW_AGAIN, DRAW_OTHERWISE, SHOW_AGAIN, SHOW_OTHERWISE, FAIL = "draw", "other draw", "show", "other show", "fail"
"""Stand for what the draw system and the display may say of the draw asked for last."""

places: st.SearchStrategy[Place] = st.one_of(numbered_places, st.just(COMMON))
anywhere: st.SearchStrategy[Place] = st.one_of(places, st.sampled_from(["", "1", "banker"]))
devices = st.sampled_from([SHOE, SHUFFLER, DRAW, DISPLAY, "", "wheel"])
FIVE_BETS = st.sampled_from(["upper_range", "lower_range", EVEN, ODD, POST])

BODIES = hand_bodies(devices, anywhere, HAND_MOST) | {
    DrawCommitted: st.builds(DrawCommitted, devices, operations, st.sampled_from(Series), st.integers(-1, 10)),
    DrawFailed: st.builds(DrawFailed, devices, operations, texts),
    DrawShown: st.builds(DrawShown, devices, operations, st.sampled_from(Series), st.integers(-1, 10)),
    BetOffered: st.builds(BetOffered, anywhere, names, st.one_of(FIVE_BETS, texts), st.integers(-1, 300)),
    BetTakenBack: st.builds(BetTakenBack, places, names, FIVE_BETS),
    IrregularityDeclared: st.builds(
        IrregularityDeclared, st.sampled_from(["held_by_another", "common_handled", ""]), anywhere, names
    ),
}
MISCHIEF = st.one_of(
    st.sampled_from([AGAIN, ASTRAY, DRAW_AGAIN, SHOW_AGAIN, SHOW_OTHERWISE, FAIL]),
    st.sampled_from([ASTRAY, ASTRAY, DRAW_OTHERWISE]),
    st.builds(CardDrawn, st.just(SHOE), st.one_of(st.none(), st.sampled_from(FEW))),
    st.builds(CardExposed, st.sampled_from([1, 1, 4, COMMON]), st.integers(1, 3)),
    st.builds(CardMisplaced, st.sampled_from([1, 2, COMMON])),
    st.builds(BetOffered, st.sampled_from([1, 2, 3, COMMON]), st.sampled_from(["ann", "bob"]), FIVE_BETS, st.just(77)),
    st.builds(RoundOpened, st.sampled_from(Dealing)),
    st.sampled_from([HandOpened(1), CardMended(), DeviceLost(SHOE), BettingClosed(), PackConfirmed()]),
    st.sampled_from([MalfunctionDeclared(), FaultRaised(Code.SHUFFLER_JAM, SHUFFLER), PacketDelivered(SHUFFLER, 1)]),
)
"""What goes wrong at a table, with values that make sense."""

STEPS = step_lists(st.just(NEXT), MISCHIEF, st.one_of(*BODIES.values()), forward_of_12=9, least=40)


class FootballPokerLaw:
    """What holds at a Football Poker table."""

    def __init__(self, game: Game[FootballPoker], packs: int) -> None:
        self.game = game
        self.packs = packs
        self.secrecy = Secrecy(game, lambda one, before: opened_or_exposed(one, lying(before)))
        self.made: dict[str, tuple[str, int]] = {}
        self.shown: tuple[str, int] | None = None

    def strays(self, event: Event, book: Book) -> bool:
        """A draw that comes when its round is over is voided."""
        return isinstance(event, DrawVoided) and event.round_id in book.ended and event.reason == "round_over"

    def sees(self, event: Event, book: Book) -> None:
        """No bet before the draw is shown; one draw for each number, and one that counts for each round."""
        match event:
            case RoundBegan():
                self.shown = None
            case DrawMade():
                assert event.draw_id not in self.made
                self.made[event.draw_id] = event.series, event.combination
            case DrawDisplayed():
                assert self.shown is None
                self.shown = event.series, event.combination
                assert self.made[event.draw_id] == self.shown
            case BetPlaced():
                assert self.shown is not None
            case Settled():
                draw = event.round["draw"]
                assert (draw["series"], draw["combination"]) == self.shown
                self.money_is_kept(event, book)
            case _:
                pass

    def money_is_kept(self, event: Settled, book: Book) -> None:
        bets = [(place["place"], b) for place in event.settlement["places"] for b in place["bets"]]
        assert {(at, b["bettor"], b["bet"]): parse_money(b["stake"]) for at, b in bets} == book.laid()
        assert all(b["commission"] == "0.00" or b["bet"].endswith("_range") for _, b in bets)
        assert all(hundredths(b["net"]) >= -parse_money(b["stake"]) for _, b in bets)

    def holds(self, told: Told[FootballPoker], book: Book) -> None:
        self.secrecy.holds(told)
        self.a_shuffle_is_open_exactly_while_the_pack_is_shuffled(told.after.game)
        self.hands_hold_what_the_packs_hold(told.after.game)

    def a_shuffle_is_open_exactly_while_the_pack_is_shuffled(self, after: FootballPoker) -> None:
        shuffling = any(isinstance(command, ShuffleCards) for command in self.game.outstanding(after))
        assert shuffling == (after.pack.state is PackState.SHUFFLING)

    def hands_hold_what_the_packs_hold(self, after: FootballPoker) -> None:
        known = known_cards(after.deal)
        assert all(known.count(card) <= self.packs for card in known)
        assert set(known) <= set(PACK)
        assert all(len(hand.cards) <= HAND_MOST for hand in after.deal.hands)


def lying(state: FootballPoker) -> dict[Place, tuple[Card | None, ...]]:
    """The cards of each hand."""
    return {hand.place: hand.cards for hand in state.deal.hands}


def ways() -> dict[str, set[str]]:
    """The phases that may follow each.

    Where only the common place has a bet, one packet is both the first and the last, and the deal is over at once.
    """
    steps = ways_of(TRANSITIONS)
    at_once = {phase: steps[phase] | steps[Phase.DEALING] for phase in (Phase.BETTING, Phase.CLOSED)}
    return steps | {phase: to for phase, to in at_once.items() if Phase.DEALING in steps[phase]}


class TestTotality(TotalityContract):
    bodies, steps, unused, hides = BODIES, STEPS, A_PACK, True
    set_ups = st.tuples(st.sampled_from(BOTH_WAYS), st.sampled_from([1, 1, 2]), st.sampled_from([DISPLAY, ""]))
    whole = tuple((dealing, 1, DISPLAY) for dealing in BOTH_WAYS)

    def watched(self, set_up: tuple[Dealing, int, str]) -> Watched[FootballPoker]:
        dealing, packs, display = set_up
        sitting = new_table(dealing, places=4, packs=packs, display=display)
        return Watched(sitting, FootballPokerLaw(sitting.game, packs), ways(), ("status", "draw", "places"))

    def meant(self, word: Word, sitting: Sitting, unused: tuple[Card, ...]) -> list[Body]:
        asked = sitting.asked(RequestDraw)
        number = asked[-1].draw_id if asked else 0
        draw = sitting.state.drawing.draw or Draw(Series.UPPER, 1)
        other = Draw(Series.LOWER, draw.combination % 8 + 1)
        match word:
            case "again":
                return [CardDrawn(SHOE, min(known_cards(sitting.state.deal), default=None))]
            case "astray":
                return [CardMisplaced(4)]
            case "draw" | "other draw":
                told = draw if word == DRAW_AGAIN else other
                return [DrawCommitted(DRAW, number, told.series, told.combination)]
            case "show" | "other show":
                told = draw if word == SHOW_AGAIN else other
                return [DrawShown(DISPLAY, number, told.series, told.combination)]
            case "fail":
                return [DrawFailed(DRAW, number, "why")]
            case _:
                return [next_body(sitting, unused)]
