"""Dealers who do everything right: the next act of a game, from what everybody sees and what lies on the table."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from random import Random
from typing import Any, Final

from tests.referee.evening import Act, Evening, Fields
from tests.referee.football_poker import total
from tests.referee.forms import RANKS, SUITS, rank

STAKES: Final = ("100", "200", "300")
PEOPLE: Final = ("ann", "ben", "cy", "di")
UNREAD: Final = 0.06
"""How often a card isn't read."""
DECLINED: Final = 0.3
"""How often who is due doesn't take the bank."""
DEALER, BANKER = "dealer", "banker"
PACK: Final = tuple(rank + suit for rank in RANKS for suit in SUITS)


@dataclass(slots=True)
class Truth:
    """What lies on the table in one round.

    Args:
        bets: still to be made.
        pack: still to be drawn.
        hands: the cards of each place, as they really lie.
        draw: as it is drawn and displayed.
        fresh: whether this round's pack was put in.
        unread: the places of which a card wasn't read.
        declined: whether the bank was declined before this round.
    """

    bets: list[dict[str, Any]]
    pack: list[str]
    hands: dict[Any, list[str]] = field(default_factory=dict)
    draw: dict[str, Any] = field(default_factory=dict)
    fresh: bool = False
    unread: set[Any] = field(default_factory=set)
    declined: bool = False

    def deal(self, random: Random, place: Any) -> Act:
        """The next card, to this place; the reader reads most."""
        card = self.pack.pop()
        self.hands.setdefault(place, []).append(card)
        if random.random() < UNREAD:
            self.unread.add(place)
            return Act("card", {"card": None})
        return Act("card", {"card": card})


def _bet(truth: Truth) -> Act:
    return Act("bet", truth.bets.pop()) if truth.bets else Act("close_betting")


def _cards(random: Random) -> list[str]:
    return random.sample(PACK, len(PACK))


def q_poker_truth(random: Random) -> Truth:
    """Two places, one or two bets each."""
    places = random.sample(range(1, 8), 2)
    bets: list[dict[str, Any]] = [
        {"place": place, "bettor": bettor, "bet": bet, "stake": random.choice(STAKES)}
        for place, bettor in zip(places, random.sample(PEOPLE, 2), strict=True)
        for bet in random.choice((["versus_dealer"], ["pair_or_better", "versus_dealer"]))
    ]
    return Truth(bets, _cards(random))


def q_poker_next(random: Random, evening: Evening, truth: Truth) -> Act:
    """Return the next act: three cards to each place and the dealer."""
    sight = evening.sight
    hands = {hand["place"]: hand for hand in sight["hands"]}
    match evening.phase:
        case "idle":
            return Act("open_round") if sight["pack"] == "ready" else Act("confirm_pack", {"shuffle": "hand"})
        case "betting":
            return _bet(truth)
        case "closed" | "dealing":
            order = [*sorted({bet["place"] for bet in sight["bets"]}), DEALER]
            return truth.deal(random, order[sum(map(len, truth.hands.values())) % len(order)])
        case "opening" | "showdown":
            places = [place for place, hand in hands.items() if not hand["opened"]]
            place = next((each for each in places if each != DEALER), DEALER)
            return Act("open_hand", {"place": place, "cards": [*truth.hands[place]]})
        case "deciding":
            bet = next(b for b in sight["bets"] if b["bet"] == "versus_dealer" and not b["decision"])
            decision = random.choice(("play", "play", "withdraw"))
            return Act("decide", {"place": bet["place"], "bettor": bet["bettor"], "decision": decision})
        case phase:
            raise AssertionError(phase)


FOOTBALL_BETS: Final = ("upper_range", "lower_range", "even", "odd", "post")
COMMON: Final = "common"


def football_truth(random: Random) -> Truth:
    """Two places, one of them sometimes the common one, one or two bets each."""
    places = random.sample((*range(1, 11), COMMON), 2)
    bets: list[dict[str, Any]] = [
        {"place": place, "bettor": bettor, "bet": bet, "stake": random.choice(STAKES)}
        for place, bettor in zip(places, random.sample(PEOPLE, 2), strict=True)
        for bet in random.sample(FOOTBALL_BETS, random.randint(1, 2))
    ]
    draw = {"series": random.choice(("upper", "lower")), "combination": random.randint(1, 8)}
    return Truth(bets, _cards(random), draw=draw)


def football_next(random: Random, evening: Evening, truth: Truth) -> Act:
    """Return the next act: two cards to each place with a bet and the common one, a third where it is due."""
    sight = evening.sight
    order = [*sorted({bet["place"] for bet in sight["bets"]} - {COMMON}), COMMON]
    match evening.phase:
        case "idle":
            act = Act("open_round") if truth.fresh else Act("confirm_pack", {"shuffle": "hand"})
            truth.fresh = True
            return act
        case "drawing":
            return Act("shown_draw" if sight["draw"] else "draw", truth.draw)
        case "betting":
            return _bet(truth)
        case "closed" | "dealing":
            return truth.deal(random, order[sum(map(len, truth.hands.values())) // 2])
        case "thirds":
            return truth.deal(random, next(place for place in order if _wants_third(truth.hands[place])))
        case "looking":
            hidden = {hand["place"] for hand in sight["hands"] if hand["cards"][0] is None}
            place = next(place for place in order if place in hidden & truth.unread)
            return Act("open_hand", {"place": place, "cards": [*truth.hands[place]]})
        case "opening":
            opened = {hand["place"] for hand in sight["hands"] if hand["opened"]}
            place = random.choice([place for place in order if place not in opened])
            return Act("open_hand", {"place": place, "cards": [*truth.hands[place]]})
        case phase:
            raise AssertionError(phase)


def _wants_third(hand: list[str]) -> bool:
    return len(hand) == 2 and total(hand) in {0, 9}


def wheel_truth(random: Random) -> Truth:
    """Three bets."""
    return Truth(
        [
            {"place": place, "bettor": bettor, "bet": f"symbol_{random.randint(1, 4)}", "stake": random.choice(STAKES)}
            for place, bettor in zip((1, 2, 3), random.sample(PEOPLE, 3), strict=True)
        ],
        [],
    )


def wheel_next(random: Random, evening: Evening, truth: Truth) -> Act:
    """Return the next act: a spin, repeated where it is too short or on a peg."""
    match evening.phase:
        case "idle":
            return Act("open_round")
        case "betting":
            return _bet(truth)
        case "closed":
            return Act("spin_started")
        case "spinning":
            return Act(
                "spin", {"turns": random.choice((2, 3, 4, 5, 5)), "section": random.choice((None, *range(1, 53)))}
            )
        case "stopped":
            return Act("confirm_spin")
        case phase:
            raise AssertionError(phase)


SEATS: Final = {1: "ann", 3: "ben", 5: "cy"}


def dice_truth(random: Random) -> Truth:
    """Bets of whoever isn't the banker, at their own places."""
    return Truth([{"bet": "place", "stake": random.choice(STAKES)} for _ in range(2)], [])


def dice_next(random: Random, evening: Evening, truth: Truth) -> Act:
    """Return the next act: a bank, throws and payments."""
    sight = evening.sight
    if evening.phase == "idle":
        return _between_banks(random, sight, truth)
    match evening.phase:
        case "betting":
            others = [place for place in SEATS if place != sight["banker"]["place"]]
            taken = [bet["place"] for bet in sight["bets"]]
            free = [place for place in others if place not in taken]
            if not truth.bets or not free:
                return Act("close_betting")
            return Act("bet", {**truth.bets.pop(), "place": free[0], "bettor": SEATS[free[0]]})
        case _ if sight["due"]["to"] == "throw":
            return Act("dice", {"dice": [random.randint(1, 6) for _ in range(3)]})
        case _:
            return Act("pay_place", {"place": sight["due"]["place"]})


def _between_banks(random: Random, sight: Fields, truth: Truth) -> Act:
    seated = {seat["place"] for seat in sight["seats"]}
    for place, bettor in SEATS.items():
        if place not in seated:
            return Act("take_seat", {"place": place, "bettor": bettor})
    banker, due = sight["banker"], sight["due"]
    if due is not None and not truth.declined and random.random() < DECLINED:
        truth.declined = True
        return Act("decline_bank", {"place": due["place"]})
    if due is not None:
        return Act("take_bank", {"place": due["place"], "bettor": due["bettor"], "capital": "500"})
    if banker is None or banker["limit_reached"]:
        return Act("take_bank", {"place": 1, "bettor": SEATS[1], "capital": "500"})
    if banker["capital"] in {"0", "0.00"}:
        least = max(float(banker["least_capital"]), 500)
        return Act("take_bank", {"place": banker["place"], "bettor": banker["bettor"], "capital": f"{least:.2f}"})
    return Act("open_round")


SITTING: Final = {2: "ann", 3: "ben", 4: "cy"}


def thirteen_truth(random: Random) -> Truth:
    """Two or three players."""
    places = random.sample(tuple(SITTING), random.randint(1, 3))
    bets: list[dict[str, Any]] = [
        {"place": place, "bettor": SITTING[place], "bet": "place", "stake": random.choice(("100", "200"))}
        for place in places
    ]
    return Truth(bets, _cards(random))


def thirteen_next(random: Random, evening: Evening, truth: Truth) -> Act:
    """Return the next act: thirteen cards to each place."""
    sight = evening.sight
    playing = sorted({bet["place"] for bet in sight["bets"]})
    match evening.phase:
        case "idle":
            return _between_deals(sight)
        case "betting" if truth.bets:
            return _bet(truth)
        case "betting" | "closed":
            return Act("dice", {"dice": [random.randint(1, 6) for _ in range(4)]})
        case "dealing":
            places: list[Any] = [BANKER, 2, 3, 4]
            nth = places.index(sight["first"])
            order = places[nth:] + places[:nth]
            return truth.deal(random, order[sum(map(len, truth.hands.values())) % 4])
        case "banker_setting":
            return _shows(truth, BANKER)
        case "players_setting":
            return Act("finish_setting", {"place": next(place for place in playing if place not in sight["set"])})
        case "comparing":
            shown = {hand["place"] for hand in sight["hands"] if hand["opened"]}
            return _shows(truth, next(place for place in playing if place not in shown))
        case phase:
            raise AssertionError(phase)


def _between_deals(sight: Fields) -> Act:
    seated = {seat["place"] for seat in sight["seats"]}
    for place, bettor in SITTING.items():
        if place not in seated:
            return Act("take_seat", {"place": place, "bettor": bettor})
    if sight["boxed"]:
        return Act("open_round")
    return Act("confirm_pack", {"shuffle": "machine" if sight["pack"] == "ready" else "hand"})


def _shows(truth: Truth, place: Any) -> Act:
    ranked = sorted(truth.hands[place], key=lambda card: (rank(card), card))
    return Act("show_tiers", {"place": place, "rows": [ranked[:3], ranked[3:8], ranked[8:]]})


Next = Callable[[Random, Evening, Truth], Act]

DEALERS: Final[Mapping[str, tuple[Callable[[Random], Truth], Next]]] = {
    "q_poker": (q_poker_truth, q_poker_next),
    "football_poker": (football_truth, football_next),
    "wheel_of_fortune": (wheel_truth, wheel_next),
    "chinese_dice": (dice_truth, dice_next),
    "thirteen_cards": (thirteen_truth, thirteen_next),
}
