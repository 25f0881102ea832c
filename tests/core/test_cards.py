import pytest

from tablectl.core.cards import PACK, RANKS, SUITS, Card, parse_card, parse_cards, pretty, rank_of, suit_of


def test_a_pack_has_every_rank_in_every_suit_once() -> None:
    assert len(PACK) == 52
    assert set(PACK) == {rank + suit for rank in RANKS for suit in SUITS}


@pytest.mark.article("q_poker", "4.1")
def test_suits_rank_spades_hearts_clubs_diamonds() -> None:
    assert [suit_of(parse_card("A" + suit)) for suit in "shcd"] == [4, 3, 2, 1]


@pytest.mark.article("q_poker", "4.2")
def test_ranks_run_from_the_ace_down_to_the_two() -> None:
    names = ["A", "K", "Q", "J", "T", "9", "8", "7", "6", "5", "4", "3", "2"]
    assert [rank_of(parse_card(name + "d")) for name in names] == list(range(14, 1, -1))


@pytest.mark.parametrize("card", PACK)
def test_every_card_is_read_from_its_name(card: Card) -> None:
    assert parse_card(card) == card


@pytest.mark.parametrize("text", ["", "A", "As ", "sA", "1s", "10s", "AS", "as", "Ax", "A♠", "Ass", "Ａs", "\x00s"])
def test_anything_but_the_52_names_is_refused_by_name(text: str) -> None:
    with pytest.raises(ValueError, match="isn't a card: a rank of AKQJT98765432, then a suit of shcd"):
        parse_card(text)


def test_several_cards_keep_their_order() -> None:
    assert parse_cards(["2d", "As", "Th"]) == ("2d", "As", "Th")


def test_a_card_is_shown_with_its_sign() -> None:
    assert [pretty(parse_card(text)) for text in ("As", "Th", "2c", "Jd")] == ["A♠", "10♥", "2♣", "J♦"]
