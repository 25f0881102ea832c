"""What persons ask for and declare at the console. A request is a fact too: the procedure answers it."""

from tablectl.core.card_requests import CardExposed as CardExposed
from tablectl.core.card_requests import CardMended as CardMended
from tablectl.core.card_requests import CardMisplaced as CardMisplaced
from tablectl.core.card_requests import CardsCounted as CardsCounted
from tablectl.core.card_requests import CardsHeldAway as CardsHeldAway
from tablectl.core.card_requests import CardsPickedUp as CardsPickedUp
from tablectl.core.card_requests import DealCancelled as DealCancelled
from tablectl.core.card_requests import DealFinished as DealFinished
from tablectl.core.card_requests import Dealing as Dealing
from tablectl.core.card_requests import DealingChanged as DealingChanged
from tablectl.core.card_requests import HandOpened as HandOpened
from tablectl.core.card_requests import MalfunctionDeclared as MalfunctionDeclared
from tablectl.core.card_requests import MisdealDeclared as MisdealDeclared
from tablectl.core.card_requests import PackConfirmed as PackConfirmed
from tablectl.core.card_requests import SettingFinished as SettingFinished
from tablectl.core.card_requests import Shuffle as Shuffle
from tablectl.core.card_requests import TiersShown as TiersShown
from tablectl.core.game_requests import AssociateJoined as AssociateJoined
from tablectl.core.game_requests import BankDeclined as BankDeclined
from tablectl.core.game_requests import BankLimitWaived as BankLimitWaived
from tablectl.core.game_requests import BankTaken as BankTaken
from tablectl.core.game_requests import CasinoJoined as CasinoJoined
from tablectl.core.game_requests import DiceEntered as DiceEntered
from tablectl.core.game_requests import PlacePaid as PlacePaid
from tablectl.core.game_requests import SpinConfirmed as SpinConfirmed
from tablectl.core.game_requests import SpinDeclared as SpinDeclared
from tablectl.core.game_requests import SpinInvalidated as SpinInvalidated
from tablectl.core.game_requests import ThrowInvalidated as ThrowInvalidated
from tablectl.core.places import BANKER as BANKER
from tablectl.core.places import COMMON as COMMON
from tablectl.core.places import DEALER as DEALER
from tablectl.core.places import Place as Place
from tablectl.core.table_requests import BetOffered as BetOffered
from tablectl.core.table_requests import BetTakenBack as BetTakenBack
from tablectl.core.table_requests import BettingClosed as BettingClosed
from tablectl.core.table_requests import Correction as Correction
from tablectl.core.table_requests import DecisionDeclared as DecisionDeclared
from tablectl.core.table_requests import FaultAcknowledged as FaultAcknowledged
from tablectl.core.table_requests import IrregularityDeclared as IrregularityDeclared
from tablectl.core.table_requests import PatternAsked as PatternAsked
from tablectl.core.table_requests import PersonSignedOn as PersonSignedOn
from tablectl.core.table_requests import RoundCorrected as RoundCorrected
from tablectl.core.table_requests import RoundOpened as RoundOpened
from tablectl.core.table_requests import RoundVoided as RoundVoided
from tablectl.core.table_requests import SeatLeft as SeatLeft
from tablectl.core.table_requests import SeatTaken as SeatTaken
from tablectl.core.table_requests import SelfTestAsked as SelfTestAsked
from tablectl.core.table_requests import SignOnFailed as SignOnFailed

TableRequest = RoundOpened | RoundVoided | RoundCorrected | IrregularityDeclared | FaultAcknowledged
BetRequest = BetOffered | BetTakenBack | BettingClosed | DecisionDeclared
SeatRequest = SeatTaken | SeatLeft
PackRequest = PackConfirmed | DealingChanged | MalfunctionDeclared
HandRequest = HandOpened | CardExposed | CardMisplaced | CardMended | CardsCounted | MisdealDeclared | CardsHeldAway
TierRequest = DealFinished | DealCancelled | TiersShown | CardsPickedUp | SettingFinished
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
