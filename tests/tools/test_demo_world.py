"""Cards lie where people put them."""

from tablectl.core.cards import parse_cards
from tablectl.features.demo.deal import World


def test_cards_come_from_the_top_of_the_pack() -> None:
    world = World(list(parse_cards(("As", "Kd", "2c", "3h"))))
    assert world.take() == ("As",)
    assert world.take(2) == ("Kd", "2c")


def test_hand_is_known_in_dealing_order_to_its_opener() -> None:
    world = World([])
    for card in parse_cards(("As", "Kd", "2c")):
        world.lay(3, (card,))
    assert world.turn_up(3) == ("As", "Kd", "2c")


def test_a_pushed_card_leaves_its_hand_and_is_counted_once() -> None:
    world = World([])
    world.lay(1, parse_cards(("As", "Kd")))
    world.push(1, 1, 5)
    assert (world.turn_up(1), world.turn_up(5), world.card_count()) == (("As",), ("Kd",), 2)
