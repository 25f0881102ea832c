"""Instants as text."""

from datetime import datetime, timedelta

# Without a zone, so that the text can end in Z instead of +00:00.
_EPOCH = datetime(1970, 1, 1)  # noqa: DTZ001


def utc_text(utc_us: int) -> str:
    """An instant in UTC to the microsecond, RFC 3339, as ``2026-11-20T04:05:06.000007Z``."""
    return (_EPOCH + timedelta(microseconds=utc_us)).isoformat(timespec="microseconds") + "Z"
