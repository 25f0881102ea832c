"""Cards on their way to the hands, whatever the game: what can be known of them with one pack and with several."""

import pytest

from tablectl.core.cards import Card
from tablectl.core.dealing.deal import (
    Comparison,
    Deal,
    Lie,
    cards_on_table,
    compare_named,
    counted_in,
    doubted,
    face_down,
    fits,
    identified,
    known_cards,
    laid,
    lie_of,
    set_apart,
    to_dead_hand,
    too_many,
    with_seen,
    with_shown,
)
from tablectl.core.dealing.hands import Hand, hand_of
from tablectl.core.effects import RaiseFault
from tablectl.core.facts.game_requests import CardExposed
from tablectl.core.facts.reports import CardDrawn
from tablectl.core.faults import Code

ACE, KING, QUEEN, JACK = (Card(name) for name in ("As", "Ks", "Qs", "Js"))
DOWN = Hand(1, (ACE, KING))
UP = Hand(2, (QUEEN, JACK), opened=True)
BLANK = Hand(3, (None, None))
TABLE = Deal((DOWN, UP, BLANK), last=3)


def read(deal: Deal, card: Card, packs: int = 1, used: tuple[Card, ...] = ()) -> tuple[Card | None, list[int]]:
    """The card that is believed, and the faults that were seen."""
    _, believed, effects = identified(deal, CardDrawn("shoe", card), packs=packs, used=used)
    return believed, [effect.code for effect in effects if isinstance(effect, RaiseFault)]


@pytest.mark.parametrize("packs", [1, 2, 8])
def test_a_card_is_believed_as_often_as_there_are_packs(packs: int) -> None:
    deal = Deal(tuple(Hand(place, (ACE,)) for place in range(1, packs)))
    assert read(deal, ACE, packs) == (ACE, [])
    full = Deal((*deal.hands, Hand(99, (ACE,))))
    assert read(full, ACE, packs) == (None, [Code.SHOE_IMPOSSIBLE_DUPLICATE])
    assert known_cards(identified(full, CardDrawn("shoe", ACE), packs=packs)[0]) == ()


def test_card_of_an_earlier_round_counts_as_one_of_packs() -> None:
    assert read(Deal(), ACE, used=(ACE,)) == (None, [Code.SHOE_IMPOSSIBLE_DUPLICATE])
    assert read(Deal(), ACE, 2, used=(ACE,)) == (ACE, [])


def test_doubted_card_keeps_its_name_only_where_everybody_sees_it() -> None:
    deal = set_apart(TABLE, (ACE,), 7)
    assert known_cards(doubted(deal, ACE)) == (KING, QUEEN, JACK)
    assert known_cards(doubted(deal, QUEEN)) == (ACE, KING, QUEEN, JACK, ACE)


def test_a_card_that_lies_open_somewhere_is_no_secret_elsewhere() -> None:
    assert face_down(TABLE) == {ACE, KING}
    assert face_down(Deal((UP, Hand(4, (QUEEN, ACE))))) == {ACE}


def test_cards_are_counted_in_and_set_apart_with_their_record() -> None:
    deal = counted_in(Deal(laid((1, 2))), 2, (ACE, None), 5)
    assert (hand_of(deal.hands, 2), deal.last, deal.dealt_at) == (Hand(2, (ACE, None)), 2, 5)
    apart = set_apart(deal, (KING,), 6)
    assert (apart.surplus, apart.last, apart.dealt_at, cards_on_table(apart)) == ((KING,), "", 6, 3)


@pytest.mark.parametrize(
    ("given", "packs", "comparison"),
    [
        ((), 1, Comparison.UNKNOWN),
        ((Card("2s"),), 1, Comparison.NO_HAND),
        ((Card("2s"), Card("zz")), 1, Comparison.NO_HAND),
        ((Card("2s"), Card("2s")), 1, Comparison.NO_HAND),
        ((Card("2s"), Card("2s")), 2, Comparison.AGREED),
        ((QUEEN, Card("2s")), 1, Comparison.TWICE),
        ((QUEEN, Card("2s")), 2, Comparison.AGREED),
        ((QUEEN, QUEEN), 2, Comparison.TWICE),
        ((ACE, Card("2s")), 1, Comparison.AGREED),
        ((ACE, ACE), 2, Comparison.AGREED),
        ((ACE, QUEEN), 1, Comparison.TWICE),
        ((Card("2s"), Card("3s")), 1, Comparison.AGREED),
    ],
)
def test_what_a_person_names_for_cards_that_nobody_read(
    given: tuple[Card, ...], packs: int, comparison: Comparison
) -> None:
    assert compare_named(TABLE, BLANK, given, packs=packs) is comparison


@pytest.mark.parametrize(
    ("given", "comparison"),
    [((), Comparison.AGREED), ((KING, ACE), Comparison.AGREED), ((ACE, Card("2s")), Comparison.CONTRADICTION)],
)
def test_what_a_person_names_for_cards_that_were_read(given: tuple[Card, ...], comparison: Comparison) -> None:
    assert compare_named(TABLE, DOWN, given) is comparison


def test_cards_that_are_too_many_are_those_that_others_have() -> None:
    assert too_many(TABLE, BLANK, (QUEEN, Card("2s"))) == {QUEEN}
    assert too_many(TABLE, BLANK, (Card("2s"), Card("3s")), used=(Card("3s"),)) == {Card("3s")}
    assert too_many(TABLE, BLANK, (QUEEN, Card("2s")), packs=2) == frozenset()


def test_shown_card_matches_what_was_read_or_is_free() -> None:
    assert fits(TABLE, DOWN, CardExposed(1, 2, KING))
    assert fits(TABLE, DOWN, CardExposed(1, 2))
    assert not fits(TABLE, DOWN, CardExposed(1, 2, ACE))
    assert fits(TABLE, BLANK, CardExposed(3, 1, Card("2s")))
    assert not fits(TABLE, BLANK, CardExposed(3, 1, QUEEN))
    assert fits(TABLE, BLANK, CardExposed(3, 1, QUEEN), packs=2)
    assert fits(TABLE, BLANK, CardExposed(3, 1, ACE))


def test_card_seen_face_up_was_misread_face_down() -> None:
    shown, card = with_shown(TABLE, BLANK, CardExposed(3, 1, ACE))
    assert (card, shown.hands) == (ACE, (Hand(1, (None, KING)), UP, Hand(3, (ACE, None), shown=(1,))))
    assert with_shown(TABLE, BLANK, CardExposed(3, 1, ACE), packs=2)[0].hands[0] == DOWN
    beside = Deal((Hand(1, (ACE, None)),))
    assert with_shown(beside, beside.hands[0], CardExposed(1, 2, ACE))[0].hands == (Hand(1, (None, ACE), shown=(2,)),)
    opened = with_seen(set_apart(TABLE, (JACK,), 1), Hand(3, (KING, JACK), opened=True))
    assert (opened.hands[0], opened.surplus) == (Hand(1, (ACE, None)), (None,))


@pytest.mark.parametrize(
    ("place", "movable", "exists", "lie"),
    [
        (1, True, True, Lie.LIVE),
        (3, True, True, Lie.RIGHT),
        (5, True, True, Lie.DEAD),
        (9, True, False, Lie.NOWHERE),
        (1, False, True, Lie.NOTHING),
    ],
)
def test_what_it_means_where_the_last_card_lies(place: int, movable: bool, exists: bool, lie: Lie) -> None:
    assert lie_of(TABLE, place, movable=movable, exists=exists) is lie


def test_card_goes_to_dead_hand_with_what_showed_of_it() -> None:
    dealt = Deal((Hand(1, (ACE, KING), shown=(1, 2)), Hand(5, (JACK,), dead=True)), last=1)
    moved = to_dead_hand(dealt, 5, 1)
    assert moved.hands == (Hand(1, (ACE,), shown=(1,)), Hand(5, (JACK, KING), dead=True, shown=(2,)))
    assert moved.last == ""
    apart = to_dead_hand(set_apart(dealt, (QUEEN,), 1), 6, 1)
    assert apart.hands[-1] == Hand(6, (QUEEN,), dead=True)
    assert (apart.surplus, apart.last) == ((), "")
