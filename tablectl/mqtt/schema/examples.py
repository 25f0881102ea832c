"""Examples of events and states, one of each kind, for the AsyncAPI document."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

from tablectl.core import events as say
from tablectl.core.cards import Card
from tablectl.core.dealing.pack import PackState
from tablectl.core.events.amendments import Amended, AmendedFact, AskedAgain, Reopened
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
from tablectl.core.facts import ClockState
from tablectl.core.facts.game_requests import Dealing
from tablectl.core.faults import Authority, Severity
from tablectl.core.games.q_poker.hands import Combination as QPokerHand
from tablectl.core.games.q_poker.settlement import Decision
from tablectl.core.games.q_poker.state import Phase
from tablectl.core.protocols import DeviceCounters
from tablectl.mqtt.publisher import PublisherHealth
from tablectl.mqtt.schema import rounds, states

ROUND_ID: Final = "1c0ffee1-000012"
_AT: Final = "2026-11-20T04:05:06.000007Z"
READ: Final = Card("Qs")
"""A card that a shoe read."""

_UPPER, _LOWER = (3, 4, 5, 6), (7, 8, 1, 2)
_FOUND: Final = "52-even-1 sha256:317ed67abebf37be"
_PROGRAM: Final = "14ac3e6bb91949828c2ff9f2bdf7f60187b5f12e2aafb1344ca449b48fef5d26"
_RULES_HASH: Final = "9d5d5c5f4a1a9a8b5f2c7a90c3a3f0f1b6a0f7a2f7d7a6d1b41f6a3d0e6c2b17"
_KEY: Final = "8fxreU2lk0c3sGNH6Raqp5BRPYqaHAaTw3gF9wXYJJQ="
_NEXT_KEY: Final = "1eKxVMtFCqzzIf0ahTqRzQWE8IbRRUCKWQSqq0Hk2mA="
_PRINT: Final = "sha256:4338a51a75ecd8a5d66d1281064e278483e9a139888891a1a706d0e0b1acb735"
_NEXT_PRINT: Final = "sha256:9c5b94c2b5c0b6a1c9b2a4a7c0b2e41f5d8e3b7a6f4d1c2e8b9a0f1e2d3c4b5a"
_ANNOUNCED: Final = f"tablectl/macau-1/qp-07/1c0ffee1\nkey change\n{_KEY}\n{_NEXT_KEY}\n\n— … …\n"
_LINK: Final = saying("fault.link_lost.text")
_GROWN: Final = saying("fairness.grown", log10_e="2.0", threshold="5.2")
_ALARMED: Final = saying("fairness.alarmed", log10_e="5.2", threshold="5.2")
_CLOSED: Final = saying("refuse.any.betting_over")

_PLACES: Final = [
    {
        "place": 1,
        "cards": ["As", "Ks", "Qd"],
        "bets": [
            {"bettor": "a", "bet": "pair_or_better", "stake": "100.00"},
            {"bettor": "a", "bet": "versus_dealer", "stake": "200.00", "decision": "play"},
        ],
    }
]
_PAID: Final = {"outcome": "win", "net": "600.00", "commission": "0.00"}
_BEAT_DEALER: Final = {"outcome": "win", "net": "300.00", "commission": "0.00"}
_SETTLEMENT: Final[Mapping[str, Any]] = {
    "status": "settled",
    "dealer": {"hand": "high_card", "qualifies": True},
    "places": [
        {
            "place": 1,
            "hand": "straight",
            "bets": [
                {"bettor": "a", "bet": "pair_or_better", "stake": "100.00", **_PAID},
                {"bettor": "a", "bet": "versus_dealer", "stake": "200.00", **_BEAT_DEALER},
            ],
        }
    ],
}

EVENTS: Final[tuple[say.Event, ...]] = (
    RoundBegan(ROUND_ID, "q_poker", "89/2004", (1, 2, 3, 4, 5, 6, 7), _RULES_HASH),
    BettingOver(ROUND_ID, "dealer", "300.00"),
    Revealed(ROUND_ID, 1, (Card("As"), Card("Ks"), Card("Qd")), "straight"),
    Decided(ROUND_ID, 1, "a", "play"),
    Irregular(
        ROUND_ID,
        "11(3)",
        "card_exposed",
        saying("irregular.q_poker.card_exposed", place=1),
        Consequence.CONTINUES,
        1,
        "ana",
    ),
    Settled(
        ROUND_ID,
        "q_poker",
        {},
        {"dealer": ["Qs", "7h", "2c"], "places": _PLACES},
        _SETTLEMENT,
        "89/2004",
        _AT,
        _AT,
        ("11(3)",),
    ),
    Voided(ROUND_ID, "the fire alarm rang", "table", "rui", (ReturnedStake("a", 1, "versus_dealer", "200.00"),)),
    Corrected(
        ROUND_ID,
        "1c0ffee1-0000000000000131",
        "a bet was read wrongly",
        "rui, ana",
        CorrectedSettlement("corrected", (CorrectedNet("a", "800.00"),), "-800.00"),
        (Regiven("a", "-100.00"),),
        "100.00",
    ),
    Amended(
        ROUND_ID,
        ("1c0ffee1-0000000000000121", "1c0ffee1-0000000000000122"),
        "ana",
        "rui",
        "a bet was typed wrongly",
        (AmendedFact(41, None, "bet", {"stake": "100.00"}, {"stake": "200.00"}),),
        "idle",
        (AskedAgain(47, "open_hand", {"place": 1}, "9(1)", "cards_unknown", _CLOSED),),
        (Regiven("a", "100.00"),),
        (),
    ),
    Reopened(ROUND_ID, "1c0ffee1-0000000000000131", "ana", "rui", "the count was typed wrongly", "opening"),
    PartSettled(
        ROUND_ID,
        "q_poker",
        "pair_or_better",
        (PartBet(1, "a", "100.00", "win", "600.00", "0.00", "pair_or_better"),),
    ),
    RoundPaid(ROUND_ID, "1c0ffee1-0000000000000131", None, "ana", ()),
    BetPlaced(ROUND_ID, 1, "a", "versus_dealer", "200.00"),
    BetWithdrawn(ROUND_ID, 1, "a", "versus_dealer", "200.00"),
    BetRefused(ROUND_ID, 1, "a", "versus_dealer", "200.00", "5.3", _CLOSED),
    CardDealt(ROUND_ID, "dealer", 3),
    CardShown(ROUND_ID, 1, 2, (Card("Ks"),)),
    CutReached(ROUND_ID),
    CardOutOfRound(None, "shoe"),
    DrawMade(ROUND_ID, "8095625611902451723", "upper", 3, _UPPER, _LOWER, "D-0042"),
    DrawDisplayed(ROUND_ID, "8095625611902451723", "upper", 3, _UPPER, _LOWER, read_back=True),
    DrawVoided(ROUND_ID, "8095625611902451723", "upper", 3, _UPPER, _LOWER, "the fire alarm rang"),
    SpinBegan(ROUND_ID, "cw", release_rpm=54.3),
    SpinResult(ROUND_ID, "cw", 6.021, 11, 1, 1.674, on_peg=False, reasons=(), calibration=_FOUND, serial="W-0007"),
    SpinInvalid(ROUND_ID, "cw", 5.685, None, None, 0.496, on_peg=True, reasons=("on_peg",), calibration=_FOUND),
    DiceShown(ROUND_ID, 2, (5, 5, 3), valid=True, combination="pair+3"),
    FaultSeen(101, "shoe", "error", _LINK, "table", "the port is gone; plug it in"),
    FaultGone(101, "shoe", "error", _LINK, "table"),
    FaultSeenBy(101, "shoe", "error", _LINK, "ana"),
    EvidenceGrown("sections", _FOUND, "2.043210987", 512, "5.204119983", _GROWN),
    FairnessAlarm("sections", _FOUND, "5.210987654", 2048, "5.204119983", _ALARMED),
    LogStarted("table", "1c0ffee1", None, _KEY),
    SessionStarted("table", "power_lost", "0.1.0", _PROGRAM, _RULES_HASH, "1e026031a2db888f"),
    SessionOver("table", "5e551011", "stopped"),
    ProgramChecked("table", "hourly", "ok", "0.1.0", _PROGRAM, 4733, 0, (), f"sha256:{_PROGRAM[::-1]}"),
    ClockSet("table", "2026-03-01T20:15:00.000000Z", "2026-03-01T20:15:02.500000Z"),
    CertificateEnds("table", "mqtt.cert_file", _PROGRAM, "2026-03-08T20:15:00.000000Z", 7),
    PlayedBefore(
        "table", "1c0ffee0", "mo.tablectl.round.void.v1", "2026-03-01T20:15:00.000000Z", {"reason": "the wheel broke"}
    ),
    LogKeyChanged("table", _KEY, _NEXT_KEY, _PRINT, _NEXT_PRINT, _ANNOUNCED),
    HandedOver("table", "given", "5e551011", "5e551012"),
    SignedOn("ana", "dealer"),
    SignOnRefused("console", "ana", 5, locked=True),
    ConfigChanged("table", "0.1.0", "1e026031a2db888f", "0.1.0", "93fb6d74a2db888f"),
    Overridden(
        ROUND_ID,
        "rui, ana",
        f"settlement {ROUND_ID}",
        "a bet was read wrongly",
        (Regiven("a", "-100.00"),),
        "100.00",
    ),
    RoundsRecalled("recorder", (ROUND_ID,)),
    MaterialChanged("ana", "pack", "P-17", "P-16", "2026-11-20T04:05:06.000000Z", fit=True),
    BookmarkSet("recorder", "the bettor at place 1 disputes", "1c0ffee1-0000000000000005"),
)

_FAULT: Final = states.StandingFault(
    101,
    "shoe",
    Severity.ERROR,
    _LINK,
    saying("fault.link_lost.dealer"),
    saying("fault.link_lost.technician"),
    "the port is gone; plug it in",
    present=True,
    times=1,
    acknowledged_by=None,
    clears=Authority.AUTO,
)
_ROUND: Final = rounds.QPoker(
    ROUND_ID,
    Phase.DECIDING,
    Dealing.SHOE,
    PackState.IN_PLAY,
    count_due=False,
    misplaced=None,
    surplus=0,
    bets=(rounds.DecidableBet(1, "a", "versus_dealer", "200.00", Decision.PLAY),),
    hands=(
        rounds.NamedHand(1, opened=True, dead=False, cards=("As", "Ks", "Qd"), hand=QPokerHand.HIGH_CARD),
        rounds.NamedHand("dealer", opened=False, dead=False, cards=(None, None, None), hand=None),
    ),
)

STATES: Final[Mapping[str, Any]] = MappingProxyType(
    {
        "status": {
            "state": states.TableState.READY,
            "session": "5e551011",
            "log": "1c0ffee1",
            "since": _AT,
            "version": "0.1.0",
        },
        "meta.info": states.TableInfo(
            "0.1.0",
            "q_poker",
            "89/2004",
            _RULES_HASH,
            ("shoe", "shuffler"),
            "1e026031a2db888f7703830e8b410a8f7d0d1c49bbdaebe9104eb633441a33f0",
            1,
            "1c0ffee1",
            _KEY,
            _PRINT,
        ),
        "health": states.Health(
            states.ClockHealth(ClockState.SYNCED, 850),
            states.JournalHealth(208, 143),
            0.000412,
            0,
            PublisherHealth(3600.5, 143, 143, 1, 0, 0),
            {"shoe": DeviceCounters(4096, 372, 0, 186, 1.25)},
        ),
        "device.status": states.DeviceStatus(
            "shoe",
            states.LinkState.LOST,
            "the port is gone; plug it in",
            states.DeviceIdentity("Angel Eye", "", ""),
            "",
            simulated=False,
            last_frame_age_s=12.5,
            faults=(_FAULT,),
        ),
        "round.state": states.RoundState(ROUND_ID, "deciding", saying("prompt.q_poker.decisions", places="1"), _ROUND),
        "round.phase": states.RoundPhase(ROUND_ID, "deciding", saying("prompt.q_poker.decisions", places="1"), _AT),
        "board": states.Board(
            "q_poker",
            (states.BoardResult(ROUND_ID, _AT, "high_card"),),
            1,
            {"pair": {"count": 0, "expected": 0.169}, "high_card": {"count": 1, "expected": 0.744}},
        ),
        "fairness": states.Fairness(
            142,
            (
                states.Weighed(
                    "hands",
                    "dealer",
                    "1.043210987",
                    512,
                    "2.204119983",
                    alarmed=False,
                    leading=states.Leading(
                        "single", "pair", ("pair",), 118, "0.169411765", "0.150123457", "0.317654321"
                    ),
                ),
            ),
        ),
    }
)
