"""The numbered catalogue of faults.

A number never changes its meaning. What a fault means and what the dealer and the technician do stands in the
catalogues of `words` under `fault.<key>.text`, `.dealer` and `.technician`.
"""

from collections.abc import Mapping
from enum import IntEnum, StrEnum

from tablectl.lazy_dataclass import dataclass


class Severity(StrEnum):
    """How bad it is."""

    NOTICE = "notice"
    WARNING = "warning"
    ERROR = "error"


class Authority(StrEnum):
    """Role that may clear a fault once its cause is gone.

    `AUTO` means that nobody needs to.
    """

    AUTO = "auto"
    DEALER = "dealer"
    SUPERVISOR = "supervisor"
    TECHNICIAN = "technician"


class Code(IntEnum):
    """Number of a fault.

    The ranges are 1xx links, 2xx shoe, 3xx shuffler, 4xx draw, 5xx wheel, 6xx dice and buzzer, 7xx to 9xx the table.
    """

    LINK_LOST = 101
    PORT_MISSING = 102
    PORT_BUSY = 103
    SILENT = 104
    WRONG_DEVICE = 105
    CORRUPT_FRAMES = 106
    EVENT_GAP = 107
    BACKLOG_BURST = 108
    UNANSWERED = 109
    REFUSED_BY_DEVICE = 110
    UNKNOWN_MESSAGE = 111
    RESTARTED = 112
    PORT_CHANGED = 113
    DEVICE_FLOODS = 114

    SHOE_CANNOT_READ = 201
    SHOE_OVERDRAW = 202
    SHOE_BUTTON_MISUSE = 203
    SHOE_REVERSE_AT_EXIT = 204
    SHOE_REVERSE_MIDWAY = 205
    SHOE_CARD_CODE = 206
    SHOE_DRAW_TIMEOUT = 207
    SHOE_REPEATS_DISAGREE = 208
    SHOE_UNCONFIRMED = 209
    SHOE_IMPOSSIBLE_DUPLICATE = 210
    SHOE_CARDS_DISAGREE = 211
    SHOE_LOCKED = 212
    SHOE_CARD_AFTER_CUT = 213
    SHOE_UNKNOWN_ERROR = 214

    SHUFFLER_COUNT_SHORT = 301
    SHUFFLER_COUNT_OVER = 302
    SHUFFLER_MISSING_CARD = 303
    SHUFFLER_DUPLICATE_CARD = 304
    SHUFFLER_FOREIGN_CARD = 305
    SHUFFLER_CARD_FACE_UP = 306
    SHUFFLER_UNREADABLE_CARD = 307
    SHUFFLER_JAM = 308
    SHUFFLER_FEED_FAIL = 309
    SHUFFLER_EXIT_BLOCKED = 310
    SHUFFLER_TIMEOUT = 311
    SHUFFLER_RNG = 312
    SHUFFLER_CAMERA = 313
    SHUFFLER_LID_OPEN = 314
    SHUFFLER_DECK_CHANGED = 315
    SHUFFLER_ORDER_RECEIVED = 316
    SHUFFLER_UNKNOWN_ERROR = 317
    SHUFFLER_FAILED_DEALING = 318

    DRAW_RNG_REPETITION = 401
    DRAW_RNG_PROPORTION = 402
    DRAW_RNG_STARTUP = 403
    DRAW_ENTROPY_SLOW = 404
    DRAW_VALUES_OUT_OF_RANGE = 405
    DRAW_ID_CONFLICT = 406
    DRAW_OUT_OF_TURN = 407
    DRAW_TIMEOUT = 408
    DRAW_STORAGE = 409
    DISPLAY_MISMATCH = 410
    DISPLAY_SEGMENT = 411
    DISPLAY_STALE = 412
    DRAW_UNKNOWN_ERROR = 413

    WHEEL_POSITION_UNKNOWN = 501
    WHEEL_INDEX_MISSING = 502
    WHEEL_INDEX_EXTRA = 503
    WHEEL_DRIFT = 504
    WHEEL_DRIFT_BLOCKS = 505
    WHEEL_QUADRATURE = 506
    WHEEL_ENCODER_WORD = 507
    WHEEL_SAMPLE_GAP = 508
    WHEEL_IMPOSSIBLE_SPEED = 509
    WHEEL_SECOND_SENSOR = 510
    WHEEL_CALIBRATION = 511
    WHEEL_SPIN_TIMEOUT = 512
    WHEEL_SPIN_OUT_OF_TURN = 513
    WHEEL_UNEXPECTED_MOTION = 514
    WHEEL_MOVED_AFTER_STOP = 515
    WHEEL_INDICATOR_DIFFERS = 516

    DICE_MOTION = 601
    DICE_NO_ACK = 602
    DICE_SHAKE_TIMEOUT = 603
    DICE_SHAKE_WEAK = 604
    DICE_COVER_OPEN = 605
    DICE_COUNT = 606
    DICE_LOW_CONFIDENCE = 607
    DICE_READERS_DISAGREE = 608
    DICE_MOVED = 609
    DICE_READ_TIMEOUT = 610
    DICE_OUT_OF_TURN = 611
    BUZZER_NO_CURRENT = 621
    BUZZER_STUCK_ON = 622
    BUZZER_MUTED = 623
    BUZZER_UNVERIFIED = 624

    STORAGE_LOW = 701
    STORAGE_FAILED = 702
    SECOND_COPY_BEHIND = 703
    JOURNAL_REPAIRED = 704
    JOURNAL_DAMAGED = 705
    USB_UNEXPECTED = 711
    CLOCK_UNSTEADY = 712
    PROGRAM_CHANGED = 721
    CERTIFICATE_ENDS = 731
    CERTIFICATE_UNUSABLE = 732

    BROKER_AWAY = 801
    BROKER_REFUSED = 802
    TABLE_TAKEN = 803
    LOG_FORKED = 804

    CARD_OUT_OF_ROUND = 901


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of the catalogue.

    Args:
        key: its name in the text catalogues.
        severity: how bad it is.
        clears: who may clear it.
        stops_rounds: whether no new round and no bet is taken while it stands.
        spoils_deal: whether it is a malfunction of the device that deals (Q Poker article 11(5)).
    """

    key: str
    severity: Severity
    clears: Authority = Authority.AUTO
    stops_rounds: bool = False
    spoils_deal: bool = False


def _error(key: str, clears: Authority = Authority.AUTO, *, stops_rounds: bool = False) -> Entry:
    return Entry(key, Severity.ERROR, clears, stops_rounds)


def _warning(key: str, clears: Authority = Authority.AUTO) -> Entry:
    return Entry(key, Severity.WARNING, clears)


def _spoiler(key: str) -> Entry:
    return Entry(key, Severity.ERROR, Authority.SUPERVISOR, stops_rounds=False, spoils_deal=True)


CATALOGUE: Mapping[Code, Entry] = {
    Code.LINK_LOST: _error("link_lost"),
    Code.PORT_MISSING: _error("port_missing"),
    Code.PORT_BUSY: _error("port_busy"),
    Code.SILENT: _error("silent"),
    Code.WRONG_DEVICE: _error("wrong_device"),
    Code.CORRUPT_FRAMES: _warning("corrupt_frames", Authority.TECHNICIAN),
    Code.EVENT_GAP: _error("event_gap", Authority.SUPERVISOR),
    Code.BACKLOG_BURST: _warning("backlog_burst", Authority.SUPERVISOR),
    Code.UNANSWERED: _error("unanswered"),
    Code.REFUSED_BY_DEVICE: _warning("refused_by_device", Authority.DEALER),
    Code.UNKNOWN_MESSAGE: _warning("unknown_message", Authority.TECHNICIAN),
    Code.RESTARTED: _warning("restarted", Authority.DEALER),
    Code.PORT_CHANGED: _error("port_changed", Authority.SUPERVISOR),
    Code.DEVICE_FLOODS: _error("device_floods", Authority.TECHNICIAN),
    Code.SHOE_CANNOT_READ: _error("shoe_cannot_read"),
    Code.SHOE_OVERDRAW: _error("shoe_overdraw"),
    Code.SHOE_BUTTON_MISUSE: _error("shoe_button_misuse"),
    Code.SHOE_REVERSE_AT_EXIT: _error("shoe_reverse_at_exit"),
    Code.SHOE_REVERSE_MIDWAY: _error("shoe_reverse_midway"),
    Code.SHOE_CARD_CODE: _error("shoe_card_code"),
    Code.SHOE_DRAW_TIMEOUT: _error("shoe_draw_timeout"),
    Code.SHOE_REPEATS_DISAGREE: _warning("shoe_repeats_disagree", Authority.DEALER),
    Code.SHOE_UNCONFIRMED: _warning("shoe_unconfirmed", Authority.DEALER),
    Code.SHOE_IMPOSSIBLE_DUPLICATE: _error("shoe_impossible_duplicate", Authority.SUPERVISOR, stops_rounds=True),
    Code.SHOE_CARDS_DISAGREE: _error("shoe_cards_disagree", Authority.SUPERVISOR, stops_rounds=True),
    Code.SHOE_LOCKED: Entry("shoe_locked", Severity.NOTICE),
    Code.SHOE_CARD_AFTER_CUT: _warning("shoe_card_after_cut", Authority.DEALER),
    Code.SHOE_UNKNOWN_ERROR: _error("shoe_unknown_error"),
    Code.SHUFFLER_COUNT_SHORT: _spoiler("shuffler_count_short"),
    Code.SHUFFLER_COUNT_OVER: _spoiler("shuffler_count_over"),
    Code.SHUFFLER_MISSING_CARD: _spoiler("shuffler_missing_card"),
    Code.SHUFFLER_DUPLICATE_CARD: _spoiler("shuffler_duplicate_card"),
    Code.SHUFFLER_FOREIGN_CARD: _spoiler("shuffler_foreign_card"),
    Code.SHUFFLER_CARD_FACE_UP: _spoiler("shuffler_card_face_up"),
    Code.SHUFFLER_UNREADABLE_CARD: _spoiler("shuffler_unreadable_card"),
    Code.SHUFFLER_JAM: _spoiler("shuffler_jam"),
    Code.SHUFFLER_FEED_FAIL: _spoiler("shuffler_feed_fail"),
    Code.SHUFFLER_EXIT_BLOCKED: _spoiler("shuffler_exit_blocked"),
    Code.SHUFFLER_TIMEOUT: _spoiler("shuffler_timeout"),
    Code.SHUFFLER_RNG: _spoiler("shuffler_rng"),
    Code.SHUFFLER_CAMERA: _spoiler("shuffler_camera"),
    Code.SHUFFLER_LID_OPEN: _spoiler("shuffler_lid_open"),
    Code.SHUFFLER_DECK_CHANGED: _spoiler("shuffler_deck_changed"),
    Code.SHUFFLER_ORDER_RECEIVED: _error("shuffler_order_received", Authority.TECHNICIAN, stops_rounds=True),
    Code.SHUFFLER_UNKNOWN_ERROR: _spoiler("shuffler_unknown_error"),
    Code.SHUFFLER_FAILED_DEALING: _spoiler("shuffler_failed_dealing"),
    Code.DRAW_RNG_REPETITION: _error("draw_rng_repetition", Authority.SUPERVISOR, stops_rounds=True),
    Code.DRAW_RNG_PROPORTION: _error("draw_rng_proportion", Authority.SUPERVISOR, stops_rounds=True),
    Code.DRAW_RNG_STARTUP: _error("draw_rng_startup", Authority.SUPERVISOR, stops_rounds=True),
    Code.DRAW_ENTROPY_SLOW: _error("draw_entropy_slow"),
    Code.DRAW_VALUES_OUT_OF_RANGE: _error("draw_values_out_of_range", Authority.TECHNICIAN, stops_rounds=True),
    Code.DRAW_ID_CONFLICT: _error("draw_id_conflict", Authority.TECHNICIAN, stops_rounds=True),
    Code.DRAW_OUT_OF_TURN: _warning("draw_out_of_turn", Authority.SUPERVISOR),
    Code.DRAW_TIMEOUT: _error("draw_timeout"),
    Code.DRAW_STORAGE: _error("draw_storage", Authority.TECHNICIAN, stops_rounds=True),
    Code.DISPLAY_MISMATCH: _error("display_mismatch", Authority.SUPERVISOR, stops_rounds=True),
    Code.DISPLAY_SEGMENT: _error("display_segment", Authority.TECHNICIAN),
    Code.DISPLAY_STALE: _error("display_stale"),
    Code.DRAW_UNKNOWN_ERROR: _error("draw_unknown_error", Authority.TECHNICIAN),
    Code.WHEEL_POSITION_UNKNOWN: _error("wheel_position_unknown"),
    Code.WHEEL_INDEX_MISSING: _error("wheel_index_missing", Authority.TECHNICIAN),
    Code.WHEEL_INDEX_EXTRA: _error("wheel_index_extra", Authority.TECHNICIAN),
    Code.WHEEL_DRIFT: _warning("wheel_drift", Authority.TECHNICIAN),
    Code.WHEEL_DRIFT_BLOCKS: _error("wheel_drift_blocks", Authority.TECHNICIAN, stops_rounds=True),
    Code.WHEEL_QUADRATURE: _error("wheel_quadrature", Authority.TECHNICIAN),
    Code.WHEEL_ENCODER_WORD: _error("wheel_encoder_word", Authority.TECHNICIAN),
    Code.WHEEL_SAMPLE_GAP: _warning("wheel_sample_gap"),
    Code.WHEEL_IMPOSSIBLE_SPEED: _error("wheel_impossible_speed", Authority.TECHNICIAN),
    Code.WHEEL_SECOND_SENSOR: _error("wheel_second_sensor", Authority.TECHNICIAN, stops_rounds=True),
    Code.WHEEL_CALIBRATION: _error("wheel_calibration", Authority.TECHNICIAN, stops_rounds=True),
    Code.WHEEL_SPIN_TIMEOUT: _warning("wheel_spin_timeout"),
    Code.WHEEL_SPIN_OUT_OF_TURN: _warning("wheel_spin_out_of_turn", Authority.DEALER),
    Code.WHEEL_UNEXPECTED_MOTION: _warning("wheel_unexpected_motion", Authority.SUPERVISOR),
    Code.WHEEL_MOVED_AFTER_STOP: _warning("wheel_moved_after_stop", Authority.DEALER),
    Code.WHEEL_INDICATOR_DIFFERS: _warning("wheel_indicator_differs", Authority.TECHNICIAN),
    Code.DICE_MOTION: _error("dice_motion", Authority.DEALER),
    Code.DICE_NO_ACK: _error("dice_no_ack"),
    Code.DICE_SHAKE_TIMEOUT: _error("dice_shake_timeout", Authority.DEALER),
    Code.DICE_SHAKE_WEAK: _warning("dice_shake_weak", Authority.DEALER),
    Code.DICE_COVER_OPEN: _error("dice_cover_open"),
    Code.DICE_COUNT: _error("dice_count", Authority.SUPERVISOR),
    Code.DICE_LOW_CONFIDENCE: _warning("dice_low_confidence", Authority.DEALER),
    Code.DICE_READERS_DISAGREE: _error("dice_readers_disagree", Authority.SUPERVISOR),
    Code.DICE_MOVED: _warning("dice_moved", Authority.SUPERVISOR),
    Code.DICE_READ_TIMEOUT: _warning("dice_read_timeout", Authority.DEALER),
    Code.DICE_OUT_OF_TURN: _warning("dice_out_of_turn", Authority.DEALER),
    Code.BUZZER_NO_CURRENT: _error("buzzer_no_current", Authority.TECHNICIAN),
    Code.BUZZER_STUCK_ON: _error("buzzer_stuck_on", Authority.TECHNICIAN),
    Code.BUZZER_MUTED: _error("buzzer_muted", Authority.SUPERVISOR),
    Code.BUZZER_UNVERIFIED: _warning("buzzer_unverified", Authority.DEALER),
    Code.STORAGE_LOW: _error("storage_low", stops_rounds=True),
    Code.STORAGE_FAILED: _error("storage_failed", Authority.TECHNICIAN, stops_rounds=True),
    Code.SECOND_COPY_BEHIND: _warning("second_copy_behind"),
    Code.JOURNAL_REPAIRED: _warning("journal_repaired", Authority.TECHNICIAN),
    Code.JOURNAL_DAMAGED: _error("journal_damaged"),
    Code.USB_UNEXPECTED: _error("usb_unexpected", Authority.TECHNICIAN, stops_rounds=True),
    Code.CLOCK_UNSTEADY: _warning("clock_unsteady", Authority.TECHNICIAN),
    Code.PROGRAM_CHANGED: _error("program_changed", Authority.TECHNICIAN, stops_rounds=True),
    Code.CERTIFICATE_ENDS: _warning("certificate_ends"),
    Code.CERTIFICATE_UNUSABLE: _error("certificate_unusable"),
    Code.BROKER_AWAY: _warning("broker_away"),
    Code.BROKER_REFUSED: _warning("broker_refused"),
    Code.TABLE_TAKEN: _error("table_taken", stops_rounds=True),
    Code.LOG_FORKED: _error("log_forked", stops_rounds=True),
    Code.CARD_OUT_OF_ROUND: _warning("card_out_of_round", Authority.DEALER),
}
