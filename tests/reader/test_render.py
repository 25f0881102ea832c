"""Messages in words."""

import json
import re
from collections.abc import Mapping
from typing import Any, get_args

import pytest

from tablectl import words
from tablectl.core.bets.settle import settle_line
from tablectl.core.cards import BANKER, COMMON, DEALER, Card
from tablectl.core.events import KINDS, Event
from tablectl.core.events.amendments import Amended, Reopened
from tablectl.core.events.audit import (
    BookmarkSet,
    CertificateEnds,
    ClockSet,
    ConfigChanged,
    HandedOver,
    LogKeyChanged,
    LogStarted,
    MaterialChanged,
    Overridden,
    PlayedBefore,
    ProgramChecked,
    RoundsRecalled,
    SessionOver,
    SessionStarted,
    SignedOn,
    SignOnRefused,
)
from tablectl.core.events.device import (
    DiceShown,
    DrawDisplayed,
    DrawMade,
    DrawVoided,
    EvidenceGrown,
    FairnessAlarm,
    FaultGone,
    FaultSeen,
    FaultSeenBy,
    SpinBegan,
    SpinInvalid,
    SpinResult,
)
from tablectl.core.events.round import (
    BetPlaced,
    BetRefused,
    BettingOver,
    BetWithdrawn,
    CardDealt,
    CardOutOfRound,
    CardShown,
    Consequence,
    Corrected,
    CorrectedNet,
    CorrectedSettlement,
    CutReached,
    Decided,
    Irregular,
    PartBet,
    PartSettled,
    Regiven,
    ReturnedStake,
    Revealed,
    RoundBegan,
    RoundPaid,
    Settled,
    Voided,
)
from tablectl.core.events.text import saying
from tablectl.core.money import Outcome
from tablectl.core.outcomes import Direction, Flaw, Series
from tablectl.history.language import Speech, columns
from tablectl.history.render import Renderer
from tablectl.history.settlement_table import settled_lines
from tablectl.rule_tables import settlers
from tablectl.words import LANGUAGES, Language
from tablectl.words.terminal import cells
from tests.reader.messages import envelope

R = "20261120-0003"
ROUND = {
    "dealer": ["Qs", "7h", "2c"],
    "places": [
        {
            "place": 1,
            "cards": ["As", "Ks", "Qd"],
            "bets": [
                {"bettor": "ann", "bet": "pair_or_better", "stake": "100"},
                {"bettor": "ann", "bet": "versus_dealer", "stake": "200", "decision": "play"},
            ],
        },
        {"place": 2, "cards": ["9h", "9d", "Tc"], "bets": [{"bettor": "陳", "bet": "pair_or_better", "stake": "0.50"}]},
    ],
}


def settled(played: Mapping[str, Any] = ROUND) -> Settled:
    line = settle_line(json.dumps({"game": "q_poker", "round": played}).encode(), 1, settlers())
    settlement = json.loads(line.text)
    return Settled(R, "q_poker", {}, played, settlement, "89/2004", "t0", "t1", ())


DRAW = (R, "5", "upper", 6, (6, 7, 8, 1), (2, 3, 4, 5))
DRAWN = "Upper Range 6; upper 6-7-8-1, lower 2-3-4-5"
BET = (R, 3, "ann", "pair_or_better", "100.00")
CORRECTED = Corrected(
    R,
    "log7-0000000000000009",
    "misread",
    "lei, rui",
    CorrectedSettlement("corrected", (CorrectedNet("a", "-150.00"), CorrectedNet("b", "50.00")), "100.00"),
    (Regiven("a", "-50.00"),),
    "50.00",
)
TOLD: list[tuple[Event, str]] = [
    (
        Amended(R, ("5eed0001-0000000000000007",), "dan", "sue", "misread", (), "deciding", (), (), ()),
        f"round {R} amended: misread (dan, sue)",
    ),
    (
        Reopened(R, "5eed0001-0000000000000009", "dan", "sue", "misread", "deciding"),
        f"round {R} open again: misread (dan, sue)",
    ),
    (
        PartSettled(R, "q_poker", "pair_or_better", (PartBet(3, "a", "100.00", "win", "600.00", "0.00", BET[3]),)),
        "pair and winning combinations: paid and collected before the round ends",
    ),
    (
        RoundPaid(R, "5eed0001-0000000000000009", None, "dan", (Regiven("a", "5.00"),)),
        "paid and collected, all places (dan)",
    ),
    (RoundPaid(R, "5eed0001-0000000000000009", 3, "dan", ()), "paid and collected: place 3 (dan)"),
    (
        PlayedBefore("sue", "5eed0001", "mo.tablectl.round.settled.v1", "2026-11-20T00:00:00.000000Z", {}),
        "under log 5eed0001, told later: mo.tablectl.round.settled.v1, 2026-11-20T00:00:00.000000Z",
    ),
    (RoundBegan(R, "q_poker", "89/2004", (1, 2, 3)), f"round {R} opened: Q Poker, rules 89/2004, places 1–3"),
    (RoundBegan(R, "q_poker", "89/2004", (1, 2, 4)), f"round {R} opened: Q Poker, rules 89/2004, places 1, 2, 4"),
    (BettingOver(R, "first_card", "300.00"), "no more bets (the first card); staked 300.00"),
    (Revealed(R, 3, (Card("As"), Card("Td"), Card("2c")), "high_card"), "place 3: A♠ 10♦ 2♣  high card"),
    (Revealed(R, DEALER, (Card("As"), Card("Td"), Card("2c")), None), "the dealer: A♠ 10♦ 2♣"),
    (Decided(R, 3, "ann", "withdraw"), "place 3, ann: withdraws"),
    (
        Irregular(R, "11(2)", "card_exposed", saying("irregular.q_poker.card_exposed", place=3), Consequence.CONTINUES),
        "irregular, article 11(2): A player's card was exposed by mistake: place 3. → the round goes on",
    ),
    (settled(), f"round {R} settled"),
    (
        Voided(R, "dealer_card_exposed", "11(3)", "lei", (ReturnedStake("ann", 3, "versus_dealer", "5.00"),)),
        f"round {R} void, article 11(3): A card of the dealer's hand was exposed by mistake. (lei)",
    ),
    (Voided(R, "fire alarm", "table", "lei", ()), f"round {R} void, rule of the table: fire alarm (lei)"),
    (BetPlaced(*BET), "bet: place 3, ann, pair and winning combinations, 100.00"),
    (BetWithdrawn(*BET), "bet taken back: place 3, ann, pair and winning combinations, 100.00"),
    (
        BetRefused(*BET, "6(2)", saying("refuse.q_poker.betting_over")),
        "bet refused, article 6(2): place 3, ann, pair and winning combinations, 100.00. Betting is closed.",
    ),
    (CardDealt(R, 3, 2), "card 2 face down: place 3"),
    (CardShown(R, DEALER, 1, (Card("As"),)), "card 1 shown by mistake: the dealer A♠"),
    (CardShown(R, 3, 1, ()), "card 1 shown by mistake: place 3"),
    (CutReached(R), "the cut card came"),
    (CardOutOfRound(None, "shoe"), "a card that was not due, face down: the shoe"),
    (DrawMade(*DRAW), f"drawn: {DRAWN}"),
    (DrawDisplayed(*DRAW, read_back=True), f"on the display: {DRAWN}"),
    (DrawDisplayed(*DRAW, read_back=False), f"on the display: {DRAWN} — acknowledged, not read back"),
    (DrawVoided(*DRAW, "fire alarm"), f"draw void, fire alarm: {DRAWN}"),
    (DrawVoided(R, "5", None, None, (), (), "switched off"), "no draw was made: switched off"),
    (SpinBegan(R, "ccw"), "the wheel turns counter-clockwise"),
    (SpinBegan(None, ""), "the wheel turns"),
    (SpinBegan(R, "cw", release_rpm=54.3), "the wheel turns clockwise  let go at 54.3 rpm"),
    (
        SpinResult(R, "cw", 4.25, 14, 3, 2.125, on_peg=False, reasons=(), calibration="v1"),
        "the wheel shows section 14, symbol 3, 2.125° from the nearest peg; turns 4.25 clockwise",
    ),
    (
        SpinResult(R, "", 4.0, 52, 7, None, on_peg=False, reasons=(), calibration=""),
        "the wheel shows section 52, symbol 7; turns 4",
    ),
    (
        SpinInvalid(R, "cw", 2.999, None, None, 0.1, True, ("fewer_than_three_turns", "on_peg"), "v1"),
        "invalid rotation, fewer than three full turns, the indicator rests on a peg; turns 2.999 clockwise",
    ),
    (DiceShown(R, 3, (4, 4, 2), True, "pair+2"), "dice 4-4-2  place 3  pair + 2"),
    (DiceShown(R, BANKER, (1, 2, 4), True, None), "dice 1-2-4  the banker"),
    (DiceShown(R, None, (1, 2, 4, 6), True, None), "dice 1-2-4-6"),
    (DiceShown(R, 3, (4, 2), False, None, "outside"), "invalid throw, a die fell outside: dice 4-2  place 3"),
    (DiceShown(None, None, (), False, None, "out_of_turn"), "invalid throw, thrown out of turn: dice ?"),
    (Revealed(R, COMMON, (Card("As"), Card("Td")), None), "the common place: A♠ 10♦"),
    (
        FaultSeen(801, "", "warning", saying("fault.broker_away.text"), "table", "no answer"),
        "fault 801 (warning): The message server cannot be reached — no answer",
    ),
    (
        FaultSeen(101, "shoe", "error", saying("fault.link_lost.text"), "table"),
        "fault 101 (error): The link to the device is lost — the shoe",
    ),
    (
        FaultGone(101, "shoe", "error", saying("fault.link_lost.text"), "table"),
        "fault 101 is over: The link to the device is lost",
    ),
    (
        FaultSeenBy(101, "shoe", "error", saying("fault.link_lost.text"), "lei"),
        "fault 101 acknowledged by lei: The link to the device is lost",
    ),
    (
        EvidenceGrown(
            "sections",
            "W-1",
            "2.043210987",
            90,
            "5.204119983",
            saying("fairness.grown", log10_e="2.0", threshold="5.2"),
        ),
        "sections of wheel W-1: Evidence that chance alone doesn't explain what came has grown tenfold: it is 2.0; an"
        " alarm is given at 5.2.",
    ),
    (
        FairnessAlarm(
            "direction", "W-1 ccw", "5.3", 90, "5.2", saying("fairness.alarmed", log10_e="5.3", threshold="5.2")
        ),
        "wheel W-1, counter-clockwise: ALARM: chance alone doesn't explain what came. The evidence is 5.3, the house's"
        " alarm is at 5.2. Examine the device, the procedure and the video; it is no proof against anybody.",
    ),
    (LogStarted("table", "log7", None), "log log7 began; before it: none"),
    (LogKeyChanged("table", "old", "new", "sha256:01", "sha256:02", "note"), "the log's key was changed: sha256:02"),
    (HandedOver("table", "given", "a1", "b2"), "the table is handed over from session a1 to session b2: given"),
    (SignedOn("lei", "dealer"), "lei signed on: dealer"),
    (SignOnRefused("console", "lei", 1, locked=False), "wrong PIN: lei, 1 in a row"),
    (SignOnRefused("console", "", 10, locked=False), "wrong PIN: somebody unknown, 10 in a row"),
    (SignOnRefused("console", "lei", 5, locked=True), "locked out after 5 wrong PINs: lei"),
    (
        SessionStarted("table", "power_lost", "0.2", "", "r", "h2"),
        "session began, version 0.2; the one before: power lost",
    ),
    (SessionOver("table", "a1", "stopped"), "session ended: stopped"),
    (
        ProgramChecked("table", "hourly", "ok", "0.2", "d", 9, 0, (), "k"),
        "program verified (hourly), version 0.2: as signed",
    ),
    (
        ProgramChecked("cctv", "request", "mismatch", "0.2", "d", 9, 2, ("/a: changed", "/b: missing"), "k"),
        "program NOT as signed (on request): /a: changed; /b: missing",
    ),
    (CertificateEnds("table", "mqtt.cert_file", "f", "T2", 7), "the table's certificate at the broker: valid until T2"),
    (ClockSet("table", "T1", "T2"), "the clock was set from T1 to T2"),
    (ConfigChanged("table", "0.2", "h2", "0.1", "h1"), "version or settings changed: 0.1 → 0.2"),
    (CORRECTED, f"round {R} corrected: misread (lei, rui); it was event log7-0000000000000009"),
    (
        Overridden(R, "lei, rui", f"settlement {R}", "misread", (Regiven("a", "-50.00"),), "50.00"),
        f"lei, rui overrode: settlement {R} (misread)",
    ),
    (RoundsRecalled("cctv", (R, "0001")), "cctv recalled 2 rounds"),
    (MaterialChanged("lei", "pack", "P-17", "P-16", "T1", fit=True), "lei: pack P-17 is used from now on"),
    (MaterialChanged("lei", "pack", "P-17", "P-17", "T1", fit=False), "lei: pack P-17 is taken out of use"),
    (BookmarkSet("cctv", "see camera 4", None), "cctv set a bookmark: see camera 4"),
]


@pytest.mark.parametrize(("event", "said"), TOLD)
def test_event_is_told_in_one_line_with_time_and_number(event: Event, said: str) -> None:
    first, *_ = Renderer().lines(envelope(event))
    assert first == f"00:00:00.123  #57  {said}"


def test_corrected_round_is_announced_to_those_it_concerns() -> None:
    _, *rest = Renderer().lines(envelope(CORRECTED))
    assert [line.strip() for line in rest] == ["a: -50.00, now -150.00 in all", "the house: 50.00, now 100.00 in all"]


def test_correction_states_every_net_and_the_houses() -> None:
    event = Overridden(
        R, "lei, rui", f"settlement {R}", "misread", (Regiven("a", "-50.00"), Regiven("b", "20.00")), "30.00"
    )
    _, *rest = Renderer().lines(envelope(event))
    assert [line.strip() for line in rest] == ["a: -50.00", "b: 20.00", "the house: 30.00"]


def test_every_kind_of_event_is_told_above() -> None:
    assert {type(event) for event, _ in TOLD} == set(KINDS) == set(get_args(Event))


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("event", [event for event, _ in TOLD])
def test_every_event_is_told_in_every_language(event: Event, language: Language) -> None:
    lines = Renderer(language).lines(envelope(event))
    assert KINDS[type(event)][1] not in lines[0]
    assert not re.search(r"[{}]|\w_\w", "".join(lines))
    if language == "zh-Hant":
        assert re.search(r"[\u4e00-\u9fff]", lines[0])


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    ("family", "names"),
    [
        ("series", list(Series)),
        ("direction", list(Direction)),
        ("spin_flaw", [*Flaw, "fewer_than_three_turns", "on_peg", "interference"]),
        (
            "dice_flaw",
            ["cocked", "stacked", "outside", "missing", "extra", "unsure", "moved", "away", "out_of_turn"],
        ),
        ("place", [DEALER, BANKER, COMMON]),
        ("device", ["shoe", "shuffler", "draw", "display", "wheel", "dice", "buzzer"]),
    ],
)
def test_what_devices_report_has_its_words(family: str, names: list[str], language: Language) -> None:
    texts = words.catalogue(language)
    assert [name for name in names if f"{family}.{name}" not in texts] == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_game_that_is_settled_has_its_name(language: Language) -> None:
    texts = words.catalogue(language)
    assert [game for game in settlers().by_game if f"game.{game}" not in texts] == []


def test_unknown_reason_or_flaw_is_shown_as_it_is() -> None:
    spin = SpinInvalid(R, "cw", 3.5, None, None, None, False, ("wobble",), "")
    assert "invalid rotation, wobble; turns 3.5 clockwise" in Renderer().lines(envelope(spin))[0]
    throw = DiceShown(R, 3, (4, 4, 2), False, None, "burnt")
    assert "invalid throw, burnt: dice 4-4-2  place 3" in Renderer().lines(envelope(throw))[0]


def test_what_spin_or_throw_leaves_unsaid_is_question_mark() -> None:
    stopped = SpinResult(R, "cw", 3.5, None, None, None, False, (), "")
    assert "section ?, symbol ?; turns 3.5 clockwise" in Renderer().lines(envelope(stopped))[0]
    invalid = SpinInvalid(R, "cw", 3.5, None, None, None, False, (), "")
    assert "invalid rotation, ?; turns 3.5 clockwise" in Renderer().lines(envelope(invalid))[0]
    throw = DiceShown(R, 3, (4, 4, 2), False, None)
    assert "invalid throw, ?: dice 4-4-2  place 3" in Renderer().lines(envelope(throw))[0]


@pytest.mark.parametrize(
    ("language", "said"), [("en", "the driver ended"), ("pt", "o controlador terminou"), ("zh-Hant", "驅動程式已結束")]
)
def test_a_device_s_own_words_are_told_in_each_language(language: Language, said: str) -> None:
    seen = FaultSeen(101, "shoe", "error", saying("fault.link_lost.text"), "table", "the driver ended")
    assert Renderer(language).lines(envelope(seen))[0].endswith(f" — {said}")


def test_what_is_simulated_says_so() -> None:
    line = Renderer().lines(envelope(CutReached(R), simulated=True))[0]
    assert line == "00:00:00.123  #57  SIMULATED  the cut card came"
    assert "模擬" in Renderer("zh-Hant").lines(envelope(CutReached(R), simulated=True))[0]


TABLE = """\
    place       hand                 bettor  bet             stake  outcome        net
    the dealer  Q♠ 7♥ 2♣  high card                                 qualifies
    place 1     A♠ K♠ Q♦  straight   ann     pair or better    100  win        +600.00
                                     ann     against dealer    200  win        +300.00
    place 2     9♥ 9♦ 10♣  pair      陳      pair or better   0.50  win          +0.50
"""


def test_settled_round_is_a_table() -> None:
    assert Renderer().lines(envelope(settled()))[1:] == TABLE.splitlines()


WIDEST: dict[str, Any] = {
    "dealer": ["Js", "7h", "2c"],
    "places": [
        {
            "place": 1,
            "cards": cards,
            "bets": [
                {"bettor": "Amélia", "bet": "pair_or_better", "stake": "1000.00"},
                {"bettor": "Amélia", "bet": "versus_dealer", "stake": "1000.00", "decision": decision},
            ],
        }
        for cards in (["Th", "9h", "8h"], ["Ts", "Tc", "Td"], ["Ad", "Qh", "Tc"])
        for decision in ("play", "withdraw")
    ],
}


@pytest.mark.parametrize("language", LANGUAGES)
def test_narrow_screen_shows_each_hand_above_its_bets(language: Language) -> None:
    wide, narrow = (Renderer(language, width=width).lines(envelope(settled()))[1:] for width in (None, 66))
    assert max(map(cells, wide)) > 66 >= max(map(cells, narrow))
    assert [word for line in narrow for word in line.split()] == [word for line in wide for word in line.split()]
    assert len(narrow) > len(wide)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("nth", range(len(WIDEST["places"])))
def test_settled_round_of_large_stakes_fits_a_hundred_columns(language: Language, nth: int) -> None:
    played = {**WIDEST, "places": [WIDEST["places"][nth]]}
    lines = Renderer(language).lines(envelope(settled(played)))[1:]
    assert len(lines) == 4
    assert max(map(cells, lines)) <= 100


def test_returned_stakes_follow_a_void_round() -> None:
    voided = Voided(R, "fire alarm", "table", "lei", (ReturnedStake("ann", 3, "versus_dealer", "5.00"),))
    assert Renderer().lines(envelope(voided))[1:] == ["    goes back: place 3, ann, against the dealer, 5.00"]


def test_banker_their_bank_and_the_commission_are_in_the_table() -> None:
    data = {
        "game": "chinese_dice",
        "round": {
            "banker": {"place": 1, "bettor": "b", "capital": "1000", "throws": [[1, 2, 4], [6, 6, 2]]},
            "places": [{"place": 2, "bets": [], "throws": [None, [5, 5, 3]]}],
        },
        "settlement": {
            "banker": {"combination": "pair+2", "place": 1},
            "places": [
                {
                    "place": 2,
                    "combination": "pair+3",
                    "bets": [{"bettor": "a", "stake": "100", "outcome": "win", "net": "95.00", "commission": "5.00"}],
                }
            ],
            "bank": [{"layer": "banker", "bettor": "b", "amount": "1000", "net": "-100.00", "commission": "0.00"}],
        },
    }
    lines = settled_lines(Speech(), data)
    assert [line.split() for line in lines[1:]] == [
        ["the", "banker", "1-2-4", "6-6-2", "pair", "+", "2"],
        ["place", "2", "5-5-3", "pair", "+", "3", "a", "100", "win", "+95.00", "5.00"],
        ["bank", "b", "1000", "-100.00", "0.00"],
    ]


def test_rows_of_thirteen_cards_and_bets_on_wheel_are_shown() -> None:
    rows = [["2s", "2d", "5c"], ["Ah", "Kh"], ["3c"]]
    thirteen = {
        "game": "thirteen_cards",
        "round": {"banker": {"rows": rows}, "places": [{"place": 2, "rows": None}]},
        "settlement": {"banker": {"natural": "dragon"}, "places": [{"place": 2, "bets": []}]},
    }
    assert "2♠ 2♦ 5♣ | A♥ K♥ | 3♣  dragon" in settled_lines(Speech(), thirteen)[1]
    wheel = {
        "game": "wheel_of_fortune",
        "round": {"spin": {}, "bets": []},
        "settlement": {"bets": [{"bettor": "a", "bet": "symbol_3", "stake": "50", "outcome": "lose", "net": "-50.00"}]},
    }
    assert settled_lines(Speech(), wheel)[0].split() == ["bettor", "bet", "stake", "outcome", "net"]
    assert settled_lines(Speech(), wheel)[1].split() == ["a", "symbol", "3", "50", "loss", "-50.00"]


def test_message_of_a_later_version_is_shown_as_it_is() -> None:
    message = {
        "type": "mo.tablectl.round.paused.v1",
        "sequence": "0000000000000009",
        "data": {"round_id": R, "why": "tea"},
    }
    assert Renderer().lines(message) == [f"#9  round.paused.v1 round_id={R} why=tea"]


@pytest.mark.parametrize("data", [None, [], "text", {}, {"round_id": 1, "places": 7}, {"settlement": {"places": 3}}])
def test_message_of_an_unexpected_form_is_shown_too(data: object) -> None:
    for kind in ("round.opened.v1", "round.settled.v1", "fault.raised.v1", "status.v1"):
        assert Renderer().lines({"type": f"mo.tablectl.{kind}", "data": data})[0].startswith(kind)


def test_card_that_is_not_one_is_not_shown_as_one() -> None:
    assert Speech().cards(["As", None, "Xx", 7]) == "A♠ ?? ?? ??"


def test_colour_adds_nothing_but_codes() -> None:
    message = envelope(settled())
    coloured = Renderer(colour=True).lines(message)
    assert "\x1b[31m" in "".join(coloured)
    assert [re.sub(r"\x1b\[[0-9;]*m", "", line) for line in coloured] == Renderer().lines(message)


def test_columns_count_a_chinese_character_as_two() -> None:
    assert columns([("莊荷", "1"), ("ab", "22")], right={1}) == ["莊荷   1", "ab    22"]


@pytest.mark.parametrize("outcome", list(Outcome))
def test_every_outcome_has_a_word(outcome: Outcome) -> None:
    assert Speech("pt").term("outcome", outcome.value) != outcome.value
