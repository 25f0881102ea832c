"""Requests and declarations of persons at the console.

A request is a fact too: the procedure answers it.
"""

from tablectl.core.facts.card_requests import (
    CardExposed,
    CardMended,
    CardMisplaced,
    CardsCounted,
    CardsHeldAway,
    CardsPickedUp,
    DealCancelled,
    DealFinished,
    DealingChanged,
    HandOpened,
    LatenessConfirmed,
    MalfunctionDeclared,
    MisdealDeclared,
    PackConfirmed,
    PackCut,
    SettingFinished,
    TiersShown,
    TimeCalled,
)
from tablectl.core.facts.game_requests import (
    AssociateJoined,
    BankDeclined,
    BankLimitWaived,
    BankTaken,
    CasinoJoined,
    DiceEntered,
    PlacePaid,
    SpinConfirmed,
    SpinDeclared,
    SpinInvalidated,
    ThrowInvalidated,
)
from tablectl.core.facts.table_requests import (
    BetOffered,
    BetsRepeated,
    BetTakenBack,
    BettingClosed,
    DecisionDeclared,
    FaultAcknowledged,
    IrregularityDeclared,
    MaterialNamed,
    PatternAsked,
    RoundCorrected,
    RoundEnded,
    RoundOpened,
    RoundVoided,
    SeatLeft,
    SeatTaken,
    SelfTestAsked,
)

TableRequest = (
    RoundOpened | RoundEnded | RoundVoided | RoundCorrected | IrregularityDeclared | FaultAcknowledged | MaterialNamed
)
BetRequest = BetOffered | BetsRepeated | BetTakenBack | BettingClosed | DecisionDeclared
SeatRequest = SeatTaken | SeatLeft
PackRequest = PackConfirmed | PackCut | DealingChanged | MalfunctionDeclared
HandRequest = HandOpened | CardExposed | CardMisplaced | CardMended | CardsCounted | MisdealDeclared | CardsHeldAway
TierRequest = (
    DealFinished | DealCancelled | TiersShown | CardsPickedUp | SettingFinished | TimeCalled | LatenessConfirmed
)
WheelRequest = SpinDeclared | SpinConfirmed | SpinInvalidated
DiceRequest = DiceEntered | ThrowInvalidated
BankRequest = BankTaken | BankDeclined | BankLimitWaived | CasinoJoined | AssociateJoined | PlacePaid
DeviceRequest = SelfTestAsked | PatternAsked
Request = (
    TableRequest
    | BetRequest
    | SeatRequest
    | PackRequest
    | HandRequest
    | TierRequest
    | WheelRequest
    | DiceRequest
    | BankRequest
    | DeviceRequest
)
"""Every request, in the groups that games take or don't."""
