"""Money and instants: integers inside, text outside; and what can become of a bet."""

import re
from datetime import datetime, timedelta
from decimal import Decimal
from enum import StrEnum
from functools import lru_cache
from typing import Final

_FORM: Final = re.compile(r"(0|[1-9][0-9]*)(?:\.([0-9]{1,2}))?")

DIGITS_MAX: Final = 4300
"""Digits of a whole number that is read: where Python stops reading them, as the time grows with their square."""

MONEY_LENGTH_MAX: Final = DIGITS_MAX
"""Characters in an amount."""


_WRITTEN_BELOW: Final = 10**DIGITS_MAX


class Outcome(StrEnum):
    """Outcome of a settled bet."""

    WIN = "win"
    LOSE = "lose"
    PUSH = "push"
    HALF_LOST = "half_lost"


@lru_cache(maxsize=1024)  # chips come in few values, so a file of rounds repeats its stakes
def parse_money(text: str) -> int:
    """The amount `text` names, in hundredths.

    Args:
        text: ASCII digits with at most two places: `"100"`, `"0.5"`, `"0.50"`.

    Raises:
        ValueError: a sign, a blank, a leading zero, an exponent, more than two places, or too long.
    """
    if len(text) > MONEY_LENGTH_MAX:
        raise ValueError(f"an amount has at most {MONEY_LENGTH_MAX} characters")
    form = _FORM.fullmatch(text)
    if form is None:
        raise ValueError(
            f"{text!r:.40} isn't an amount: digits, at most two places after a point, "
            "no sign, blank, leading zero or exponent"
        )
    whole, places = form.groups("")
    return int(whole) * 100 + int(places.ljust(2, "0"))


@lru_cache(maxsize=1024)
def format_money(hundredths: int) -> str:
    """The amount with two places, signed when negative: `"95.00"`, `"-0.50"`."""
    if hundredths < 0:
        return "-" + format_money(-hundredths)
    return f"{_written(hundredths // 100)}.{hundredths % 100:02d}"


def _written(whole: int) -> str:
    """The digits; `str` refuses those of a product that has more than may be read."""
    return str(whole) if whole < _WRITTEN_BELOW else str(Decimal(whole))


def floor_share(stake: int, numerator: int, denominator: int) -> int:
    """That share of a stake, rounded towards minus infinity.

    Args:
        stake: hundredths.
        numerator: of either sign; negative for a loss.
        denominator: above 0.
    """
    return stake * numerator // denominator


def ceil_share(stake: int, numerator: int, denominator: int) -> int:
    """Return a share of a stake, rounded towards plus infinity.

    The arguments are as for `floor_share`.
    """
    return -(-stake * numerator // denominator)


# Without a zone, so that the text can end in Z instead of +00:00.
_EPOCH = datetime(1970, 1, 1)  # noqa: DTZ001
_FIRST_US: Final = -62_135_596_800_000_000
_LAST_US: Final = 253_402_300_799_999_999
"""The years 1 to 9999, which are all that a text can say."""

_UTC: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,9})?(Z|\+00:00)")


def utc_text(utc_us: int) -> str:
    """Format an instant in UTC to the microsecond by RFC 3339.

    An example is `2026-11-20T04:05:06.000007Z`. The instant is held within the years 1 to 9999.
    """
    within = min(max(utc_us, _FIRST_US), _LAST_US)
    return (_EPOCH + timedelta(microseconds=within)).isoformat(timespec="microseconds") + "Z"


def utc_instant(text: object) -> int | None:
    """Return the UTC microseconds of a text; None where it isn't a time in UTC.

    An example is `2026-11-20T04:05:06Z`.
    """
    if not isinstance(text, str) or not _UTC.fullmatch(text):
        return None
    try:
        return round(datetime.fromisoformat(text).timestamp() * 1_000_000)
    except (ValueError, OverflowError):
        return None
