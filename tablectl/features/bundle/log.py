"""Redacted log of the daemon: known fields only.

Free text has nothing in it that may be a card.
"""

import json
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any, Final, cast

from tablectl.core.money import utc_text
from tablectl.features.bundle.redact import LEFT_OUT, Redactor, without_cards
from tablectl.lazy_dataclass import dataclass

PLAIN: Final = frozenset({"code", "level", "port", "timestamp"})
"""Fields of the log that hold numbers and names of the program's own."""

TEXTS: Final = frozenset(
    {"area", "article", "by", "detail", "device", "error", "event", "exception", "firmware", "log", "maker", "missing",
     "model", "of", "reason", "round", "round_id", "serial", "session", "status", "text", "to", "todo", "way"}
)  # fmt: skip
"""Fields that may hold what a device, a person or a library said."""


@dataclass(frozen=True, slots=True)
class LogLines:
    """Makes lines for support of what `journalctl --output json` prints.

    Args:
        redactor: takes secrets out; before cards are looked for, which would cut a secret into pieces that say nothing
            to the redactor.
    """

    redactor: Redactor

    def lines(self, journald: str) -> Iterator[dict[str, Any]]:
        """The lines, in order."""
        for line in journald.splitlines():
            with suppress(ValueError, RecursionError):
                form = json.loads(line)
                if isinstance(form, dict):
                    yield self._line(cast("dict[str, Any]", form))

    def _line(self, form: Mapping[str, Any]) -> dict[str, Any]:
        at = str(form.get("__REALTIME_TIMESTAMP", ""))
        return {
            "time": utc_text(int(at)) if at.isascii() and at.isdigit() and len(at) <= 17 else None,
            "priority": str(form.get("PRIORITY", ""))[:1],
            "from": self._free(str(form.get("SYSLOG_IDENTIFIER", ""))),
            "said": self._said(_text(form.get("MESSAGE"))),
        }

    def _said(self, message: str) -> Any:
        with suppress(ValueError, RecursionError):
            form = json.loads(message)
            if isinstance(form, dict):
                fields = cast("dict[str, Any]", form).items()
                return {key: self._field(key, value) for key, value in fields if self._free(key) == key}
        return self._free(message)

    def _field(self, key: str, value: Any) -> Any:
        if key in PLAIN and (isinstance(value, int) or (key == "timestamp" and isinstance(value, str))):
            return value
        if key in TEXTS or key in PLAIN:
            return self._free(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))
        return LEFT_OUT

    def _free(self, text: str) -> str:
        """Text that anybody may have made."""
        return without_cards(self.redactor.clean(text.encode(errors="replace")).decode(errors="replace"))


def _text(message: Any) -> str:
    """The message; journald writes one that isn't UTF-8 as a list of bytes."""
    if isinstance(message, list):
        with suppress(ValueError, TypeError):
            return bytes(cast("list[int]", message)).decode("utf-8", "replace")
        return ""
    return message if isinstance(message, str) else ""
