"""Dealers of the five games: what comes next follows from what the table shows and from the plan of the round."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from typing import Any, Final

from tablectl.core.cards import BANKER, COMMON, DEALER
from tablectl.core.games.football_poker.hands import total_of
from tablectl.features.demo.games import act_of
from tablectl.features.demo.games.chinese_dice import plans as dice_plans
from tablectl.features.demo.games.football_poker import plans as football_plans
from tablectl.features.demo.games.q_poker import plans as q_poker_plans
from tablectl.features.demo.games.thirteen_cards import SEATED
from tablectl.features.demo.games.thirteen_cards import plans as thirteen_plans
from tablectl.features.demo.games.wheel_of_fortune import plans as wheel_plans
from tablectl.players.moves import Ask, Draw, Wait
from tablectl.players.moves import Player as MovePlayer
from tablectl.rule_tables import game_record, part
from tests.simulation.hall import IDLE, Act, Hall, Player, lying, moved, number_of
from tests.simulation.history import Form

RANKS: Final = "23456789TJQKA"
POST: Final = frozenset({0, 9})


@dataclass(slots=True)
class Plans:
    """The rounds that are planned, by their numbers; rounds that never end well don't use one up."""

    made: Iterator[Any]
    _known: list[Any] = field(default_factory=list[Any])

    def __getitem__(self, number: int) -> Any:
        missing = max(number, 1) - len(self._known)
        if missing > 0:
            self._known += islice(self.made, missing)
        return self._known[max(number, 1) - 1]


def missing_bets(sight: Form, plan: Any, tried: set[tuple[str, int]]) -> list[tuple[int, Any]]:
    """The bets of the plan that don't lie yet and were not refused."""
    laid = {(bet["place"], bet["bettor"], bet["bet"]) for bet in sight["round"]["bets"]}
    return [
        (nth, bet)
        for nth, bet in enumerate(plan.bets)
        if (bet.place, bet.bettor, bet.bet) not in laid and (sight["round_id"], nth) not in tried
    ]


def reads(sight: Form) -> bool:
    """Whether the table has a shoe that reads, and it is there."""
    return any(each["name"] == "shoe" and each["attached"] for each in sight["devices"])


def by_hand(sight: Form) -> bool:
    """Whether the dealer has to say what is dealt."""
    dealing = sight["round"]["dealing"]
    return dealing == "by_hand" or (dealing == "shoe" and not reads(sight))


def opened(hall: Hall, sight: Form, plan: Any) -> Act:
    """A round as planned; by hand where its cards would come out of a shoe that nobody reads."""
    way = str(plan.dealing)
    if way == "shoe" and sight["round"]["pack"] != "ready":
        return hall.ask(sight, "confirm_pack", shuffle="hand")
    return hall.ask(sight, "open_round", dealing="by_hand" if way == "shoe" and not reads(sight) else way)


async def deal_by_hand(hall: Hall, sight: Form, pack: Sequence[str], most: int) -> None:
    """Deals until so many cards lie, whatever the table knows of them, and says so."""
    round_id = sight["round_id"]
    for card in pack[len(hall.lying(round_id)) : most]:
        hall.lies(round_id, card)
    await hall.ask(sight, "finish_deal")


@dataclass(slots=True)
class QPoker:
    """A pack, three cards to each place with a bet and to the dealer, and everybody decides."""

    hall: Hall
    plans: Plans
    tried: set[tuple[str, int]] = field(default_factory=set[tuple[str, int]])

    def next(self, sight: Form) -> Act:
        hall, table = self.hall, sight["round"]
        plan = self.plans[number_of(sight)]
        ask = partial(hall.ask, sight)
        match sight["phase"]:
            case "idle":
                return opened(hall, sight, self.plans[rounds(hall) + 1])
            case "paying":
                return hall.ask(sight, "pay_place")
            case "betting":
                return self._bet(sight, plan, table)
            case "closed" | "dealing" if by_hand(sight):
                return deal_by_hand(hall, sight, plan.pack, 3 * (len({bet["place"] for bet in table["bets"]}) + 1))
            case _ if table["count_due"]:
                return ask("count_cards", count=len(hall.lying(sight["round_id"])))
            case "closed" | "dealing":
                return self._deal(sight, plan)
            case "opening":
                place = next(h["place"] for h in table["hands"] if not h["opened"] and h["place"] != DEALER)
                return self._turn_up(sight, place)
            case "deciding":
                bet = next(b for b in table["bets"] if b["bet"] == "versus_dealer" and not b["decision"])
                decision = hall.chance.choice(("play", "play", "withdraw"))
                return ask("decide", place=bet["place"], bettor=bet["bettor"], decision=decision)
            case _:
                return self._turn_up(sight, DEALER)

    async def _bet(self, sight: Form, plan: Any, table: Form) -> None:
        missing = missing_bets(sight, plan, self.tried)
        self.hall.drawn.setdefault(sight["round_id"], [])
        if missing:
            nth, bet = missing[0]
            self.tried.add((sight["round_id"], nth))
            await self.hall.ask(sight, "bet", **bet.offered())
        elif table["pack"] != "ready":
            await self.hall.wait(moved(sight))
        else:
            await self.hall.ask(sight, "close_betting")

    async def _deal(self, sight: Form, plan: Any) -> None:
        hall, round_id, before = self.hall, sight["round_id"], lying(sight)
        packet = 3 if sight["round"]["dealing"] == "shuffler" else 1
        start = len(hall.lying(round_id))
        cards = plan.pack[start : start + packet]
        if packet == 1:
            read = self._read(sight, cards[0])
            hall.lies(round_id, cards[0], read)
            await hall.do(lambda: hall.devices["shoe"].draw(read), lambda now: lying(now) > before or over(now))
        else:
            for card in cards:
                hall.lies(round_id, card)
            await hall.do(
                lambda: hall.devices["shuffler"].deliver_packet(packet), lambda now: lying(now) > before or over(now)
            )

    def _read(self, sight: Form, card: str) -> str:
        """What the shoe takes the card for."""
        wrong = self.hall.slips.otherwise("card", {"card": card})
        if wrong is None:
            return card
        self.hall.slips.note(sight, "card", wrong, {"card": card})
        return str(wrong["card"])

    async def _turn_up(self, sight: Form, place: Any) -> None:
        hall, cards = self.hall, self._hand(sight, place)
        said = None
        if sight["round"]["dealing"] == "shoe":
            said = await hall.ask(sight, "open_hand", place=place)
        if said is None or said.code == "cards_unknown":
            await hall.ask(await hall.look() or sight, "open_hand", place=place, cards=cards)

    def _hand(self, sight: Form, place: Any) -> list[str]:
        """What lies before a place."""
        cards = self.hall.lying(sight["round_id"])
        order = [hand["place"] for hand in sight["round"]["hands"]]
        if sight["round"]["dealing"] == "shuffler":
            nth = order.index(place)
            return list(cards[3 * nth : 3 * nth + 3])
        return list(cards[order.index(place) :: len(order)][:3])


def over(sight: Form) -> bool:
    """Whether no round is open."""
    return sight["phase"] in {IDLE, "paying"}


def free_seats(table: Form, places: Iterable[int]) -> list[int]:
    """The places where nobody sits."""
    taken = {seat["place"] for seat in table["seats"]}
    return [place for place in places if place not in taken]


def rounds(hall: Hall) -> int:
    """The number of the last round that was played."""
    return max((int(name.rpartition("-")[2]) for name in hall.drawn), default=0)


@dataclass(slots=True)
class Football:
    """Two cards to each place with a bet and to the common one, a draw, and a third card where the rules have it."""

    hall: Hall
    plans: Plans
    tried: set[tuple[str, int]] = field(default_factory=set[tuple[str, int]])

    def next(self, sight: Form) -> Act:
        hall, table = self.hall, sight["round"]
        if sight["round_id"]:
            hall.drawn.setdefault(sight["round_id"], [])
        match sight["phase"]:
            case "idle":
                return opened(hall, sight, self.plans[rounds(hall) + 1])
            case "paying":
                return hall.ask(sight, "pay_place")
            case "drawing":
                return hall.wait(lambda now: bool(now["phase"] != "drawing"))
            case "betting" if missing := missing_bets(sight, self.plans[number_of(sight)], self.tried):
                nth, bet = missing[0]
                self.tried.add((sight["round_id"], nth))
                return hall.ask(sight, "bet", **bet.offered())
            case "closed" | "dealing" | "thirds" if by_hand(sight):
                return deal_by_hand(hall, sight, self.plans[number_of(sight)].pack, self._due(sight))
            case _ if table["count_due"]:
                return hall.ask(sight, "count_cards", count=len(hall.lying(sight["round_id"])))
            case "betting" if table["pack"] != "ready":
                return hall.wait(moved(sight))
            case "betting":
                return hall.ask(sight, "close_betting")
            case "closed" | "dealing":
                return self._deal(sight, first=True)
            case "thirds":
                return self._deal(sight, first=False)
            case _:
                return self._turn_up(sight)

    async def _deal(self, sight: Form, *, first: bool) -> None:
        hall, round_id, before = self.hall, sight["round_id"], lying(sight)
        packet = 2 if first and sight["round"]["dealing"] == "shuffler" else 1
        start = len(hall.lying(round_id))
        cards = self.plans[number_of(sight)].pack[start : start + packet]
        for card in cards:
            hall.lies(round_id, card)
        seen = lambda now: lying(now) > before or over(now)  # noqa: E731
        if sight["round"]["dealing"] == "shoe":
            await hall.do(lambda: hall.devices["shoe"].draw(cards[0]), seen)
        else:
            await hall.do(lambda: hall.devices["shuffler"].deliver_packet(packet), seen)

    async def _turn_up(self, sight: Form) -> None:
        looking = sight["phase"] == "looking"
        hands = [hand for hand in sight["round"]["hands"] if not hand["opened"]]
        hand = next(hand for hand in hands if not looking or None in hand["cards"])
        cards = self._hand(sight, hand["place"])[: len(hand["cards"])]
        await self.hall.ask(sight, "open_hand", place=hand["place"], cards=cards)

    def _due(self, sight: Form) -> int:
        """How many cards lie once the first cards are dealt, or the third ones."""
        if sight["phase"] == "thirds":
            return 2 * len(sight["round"]["hands"]) + len(self._with_third(sight))
        return 2 * len({bet["place"] for bet in sight["round"]["bets"]} | {COMMON})

    def _first(self, sight: Form) -> dict[Any, list[str]]:
        """The first two cards of each place, in the order dealt."""
        cards = self.hall.lying(sight["round_id"])
        return {hand["place"]: cards[2 * nth : 2 * nth + 2] for nth, hand in enumerate(sight["round"]["hands"])}

    def _with_third(self, sight: Form) -> list[Any]:
        """The places that get a third card, in the order dealt."""
        first = self._first(sight)
        return [place for place, two in first.items() if len(two) == 2 and total_of(tuple(two)) in POST]  # type: ignore[arg-type]

    def _hand(self, sight: Form, place: Any) -> list[str]:
        """What lies before a place: two of the first cards, and the third one where it got one."""
        first, later = self._first(sight), self._with_third(sight)
        thirds = dict(zip(later, self.hall.lying(sight["round_id"])[2 * len(first) :], strict=False))
        return [*first[place], *([thirds[place]] if place in thirds else [])]


@dataclass(slots=True)
class Wheel:
    """Bets on symbols, and a spin that may have to be made again."""

    hall: Hall
    plans: Plans
    tried: set[tuple[str, int]] = field(default_factory=set[tuple[str, int]])

    def next(self, sight: Form) -> Act:
        hall, table = self.hall, sight["round"]
        if sight["round_id"]:
            hall.drawn.setdefault(sight["round_id"], [])
        match sight["phase"]:
            case "idle":
                return hall.ask(sight, "open_round")
            case "paying":
                return hall.ask(sight, "pay_place")
            case "betting" if missing := missing_bets(sight, self.plans[number_of(sight)], self.tried):
                nth, bet = missing[0]
                self.tried.add((sight["round_id"], nth))
                return hall.ask(sight, "bet", **bet.offered())
            case "betting":
                return hall.ask(sight, "close_betting")
            case "closed" if table["wheel"]["turning"]:
                return hall.wait(moved(sight))
            case "closed":
                return hall.do(lambda: hall.devices["wheel"].spin(hall.chance.uniform(3.2, 4.5)), moved(sight))
            case "spinning" if table["wheel"]["doubt"]:
                return self._state(sight)
            case "spinning":
                return hall.wait(moved(sight))
            case _:
                return hall.ask(sight, "confirm_spin")

    async def _state(self, sight: Form) -> None:
        """What the wheel did, which stands by now, by a supervisor's word."""
        truth = self.hall.devices["wheel"].truth
        section = None if truth.on_peg else truth.section
        await self.hall.state(sight, turns=min(truth.turns_milli // 1000, 3), section=section)


@dataclass(slots=True)
class Dice:
    """Eight seats, a banker among them, stakes, and throws until everybody is paid."""

    hall: Hall
    plans: Plans
    tried: set[tuple[str, int]] = field(default_factory=set[tuple[str, int]])

    def next(self, sight: Form) -> Act:
        hall, table = self.hall, sight["round"]
        if sight["phase"] == IDLE:
            return self._between(sight, table)
        if table["round_id"] is None:  # an amendment has moved money of a round that is over
            return hall.ask(sight, "pay_place")
        hall.drawn.setdefault(sight["round_id"], [])
        if sight["phase"] == "betting":
            return self._bet(sight, table)
        if table["due"]["to"] == "throw":
            faces = [hall.chance.randint(1, 6) for _ in range(3)]
            return hall.throw(sight, faces)
        return hall.ask(sight, "pay_place", place=table["due"]["place"])

    def _bet(self, sight: Form, table: Form) -> Act:
        plan = self.plans[number_of(sight)]
        for nth, stake in enumerate(plan.stakes):
            if (sight["round_id"], nth) not in self.tried:
                self.tried.add((sight["round_id"], nth))
                place = (table["banker"]["place"] - 1 + stake.steps) % 8 + 1
                bettor = stake.bettor or f"bettor-{place}"
                return self.hall.ask(sight, "bet", place=place, bettor=bettor, bet="place", stake=stake.stake)
        return self.hall.ask(sight, "close_betting")

    def _between(self, sight: Form, table: Form) -> Act:
        ask, banker, due = partial(self.hall.ask, sight), table["banker"], table["due"]
        capital = self.plans[rounds(self.hall) + 1].capital
        if free := free_seats(table, range(1, 9)):
            return ask("take_seat", place=free[0], bettor=f"bettor-{free[0]}")
        if due is not None:
            return self._offer_bank(sight, due)
        if banker is None:
            return self._offer_again(sight)
        if banker["capital"] in {"0", "0.00"}:
            least = banker["least_capital"] if float(banker["least_capital"]) > float(capital) else capital
            return ask("take_bank", place=banker["place"], bettor=banker["bettor"], capital=least)
        return ask("open_round")

    async def _offer_bank(self, sight: Form, due: Form) -> None:
        said = await self.hall.ask(sight, "take_bank", place=due["place"], bettor=due["bettor"], capital="5000")
        if said is not None and not said.accepted:
            again = await self.hall.look() or sight
            await self.hall.ask(again, "decline_bank", place=due["place"])

    async def _offer_again(self, sight: Form) -> None:
        """Nobody took the bank: the law lets some take it yet, and the table knows whom."""
        for seat in sight["round"]["seats"]:
            now = await self.hall.look() or sight
            if now["phase"] == IDLE and now["round"]["banker"] is None:
                await self.hall.ask(now, "take_bank", place=seat["place"], bettor=seat["bettor"], capital="5000")


@dataclass(slots=True)
class Thirteen:
    """A banker and two or three players, fifty-two cards, and thirteen of them to set before each."""

    hall: Hall
    plans: Plans
    tried: set[tuple[str, int]] = field(default_factory=set[tuple[str, int]])

    def next(self, sight: Form) -> Act:
        hall, table = self.hall, sight["round"]
        hall.haste = 1.0
        if sight["round_id"]:
            hall.drawn.setdefault(sight["round_id"], [])
        match sight["phase"]:
            case "idle":
                return self._between(sight, table)
            case "paying":
                return hall.ask(sight, "pay_place")
            case "betting" if missing := missing_bets(sight, self.plans[number_of(sight)], self.tried):
                nth, bet = missing[0]
                self.tried.add((sight["round_id"], nth))
                return hall.ask(sight, "bet", **bet.offered())
            case "betting" | "closed":
                faces = list(self.plans[number_of(sight)].dice)
                return hall.throw(sight, faces)
            case "dealing" if table["count_due"]:
                return hall.ask(sight, "count_cards", count=len(hall.lying(sight["round_id"])))
            case "dealing":
                hall.haste = 0.1
                return self._deal(sight)
            case "banker_setting":
                return self._show(sight, BANKER)
            case "players_setting":
                return self._set(sight)
            case _:
                return self._compare(sight)

    def _between(self, sight: Form, table: Form) -> Act:
        ask = partial(self.hall.ask, sight)
        if free := free_seats(table, range(2, 5)):
            return ask("take_seat", place=free[0], bettor=SEATED[free[0]])
        if table["boxed"]:
            return ask("open_round")
        if table["pack"] == "shuffling":
            return self.hall.wait(moved(sight))
        return ask("confirm_pack", shuffle="machine" if table["pack"] == "ready" else "hand")

    async def _deal(self, sight: Form) -> None:
        hall, round_id, before = self.hall, sight["round_id"], lying(sight)
        card = self.plans[number_of(sight)].pack[len(hall.lying(round_id)) % 52]
        hall.lies(round_id, card)
        await hall.do(
            lambda: hall.devices["shoe"].draw(card), lambda now: now["phase"] != "dealing" or lying(now) > before
        )

    def _set(self, sight: Form) -> Act:
        table = sight["round"]
        playing = sorted({bet["place"] for bet in table["bets"]})
        if table["called"] or table["call_time"]:
            return self._late(sight)
        for place in playing:
            if place not in table["picked_up"]:
                return self.hall.ask(sight, "pick_up_cards", place=place)
        for place in playing:
            if place not in table["set"]:
                return self.hall.ask(sight, "finish_setting", place=place)
        return self.hall.wait(moved(sight))

    def _late(self, sight: Form) -> Act:
        """Nobody hears a buzzer while the time is over and not called; then those who aren't set are late."""
        table = sight["round"]
        if not table["called"]:
            return self.hall.ask(sight, "call_time")
        late = next(bet["place"] for bet in table["bets"] if bet["place"] not in (*table["set"], *table["late"]))
        return self.hall.ask(sight, "confirm_late", place=late)

    def _compare(self, sight: Form) -> Act:
        table = sight["round"]
        shown = {hand["place"] for hand in table["hands"] if hand["opened"]}
        due = [bet["place"] for bet in table["bets"] if bet["place"] not in shown]
        return self._show(sight, due[0]) if due else self.hall.wait(moved(sight))

    async def _show(self, sight: Form, place: Any) -> None:
        places = (BANKER, 2, 3, 4)
        nth = (places.index(place) - places.index(sight["round"]["first"])) % 4
        cards = self.hall.lying(sight["round_id"])[nth:52:4]
        if len(cards) == 13:
            await self.hall.ask(sight, "show_tiers", place=place, rows=rows_of(cards))


def rows_of(cards: list[str]) -> list[list[str]]:
    """Thirteen cards in three rows, the higher the further back: quickly set, and now and then foul."""
    ranked = sorted(cards, key=lambda card: (RANKS.index(card[0]), card))
    return [ranked[:3], ranked[3:8], ranked[8:]]


@dataclass(slots=True)
class ByMoves:
    """Makes the moves of a player of `tablectl.players`."""

    hall: Hall
    plans: Plans
    player: MovePlayer

    def next(self, sight: Form) -> Act:
        hall, number = self.hall, number_of(sight)
        plan = self.plans[number or rounds(hall) + 1]
        if sight["round_id"]:
            hall.drawn.setdefault(sight["round_id"], [])
        match self.player(sight, plan, len(hall.lying(sight["round_id"]))):
            case Ask(verb, fields):
                return hall.ask(sight, verb, **fields)
            case Draw(card):
                hall.lies(sight["round_id"], card)
                return hall.do(lambda: hall.devices["shoe"].draw(card), moved(sight))
            case Wait():
                return hall.wait(moved(sight))


def player_of(name: str, hall: Hall) -> Player:
    """Whoever plays a game, by the name of its demonstration."""
    record = game_record(name.replace("-", "_"))
    if record.player:
        return ByMoves(hall, Plans(act_of(name).plans(hall.seed, 0.0)), part(record.player))
    return _PLAYERS[name](hall)


_PLAYERS: Final[Mapping[str, Callable[[Hall], Player]]] = {
    "q-poker": lambda hall: QPoker(hall, Plans(q_poker_plans(hall.seed, 0.0))),
    "football-poker": lambda hall: Football(hall, Plans(football_plans(hall.seed, 0.0))),
    "wheel-of-fortune": lambda hall: Wheel(hall, Plans(wheel_plans(hall.seed, 0.0))),
    "chinese-dice": lambda hall: Dice(hall, Plans(dice_plans(hall.seed, 0.0))),
    "thirteen-cards": lambda hall: Thirteen(hall, Plans(thirteen_plans(hall.seed, 0.0))),
}
"""Those of the games whose players look and act at once."""
