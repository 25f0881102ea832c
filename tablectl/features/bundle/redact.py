"""Redaction of known secrets, however they are written, and of cards in text.

Nothing that is collected should hold either. Redaction is for what nobody thought of: a password in the log of a
library, a card in the text of an error.
"""

import base64
import json
import re
from collections.abc import Iterable, Iterator
from html import escape
from typing import Final
from urllib.parse import quote, quote_plus

from tablectl.edited_files import MARK

LEFT_OUT: Final = "(left out)"
_LEAST: Final = 4
"""Shorter secrets would be found everywhere."""

_PEM_MARK: Final = b"-----"
_PEM_LINE: Final = 16
_OWN_KEY: Final = re.compile(rb"\x04\x20(.{32})", re.DOTALL)
"""A private key's own bytes in its file, as an octet string of DER."""

_USER_IN_ADDRESS: Final = re.compile(rb'//[^/@\s"\'<>]{1,256}@')
_PIN_HASH: Final = re.compile(rb"\$argon2[a-z]{1,2}\$[A-Za-z0-9+/=$,_-]*")

_RANK: Final = "(?:10|[2-9TJQKA])"
_RANK_WORD: Final = "(?:ace|king|queen|jack|ten|nine|eight|seven|six|five|four|three|two|deuce|10|[2-9])"
_CARDS: Final = re.compile(
    "|".join(
        (
            rf"(?<![\w.]){_RANK}[shdc](?!\w)",
            rf"{_RANK}\s?[♠♥♦♣♤♡♢♧]\ufe0f?",
            rf"[♠♥♦♣♤♡♢♧]\ufe0f?\s?{_RANK}",
            "[\U0001f0a1-\U0001f0de]",
            rf"(?i:{_RANK_WORD} of (?:spades|hearts|clubs|diamonds))",
            rf"(?i:{_RANK_WORD}\w* de (?:espadas|copas|paus|ouros))",
            rf"(?:黑桃|紅心|梅花|鑽石)\s?{_RANK}",
            r"\bCard\([^)]*\)",
            rf">\s*{_RANK}\s*<[^♠♥♦♣]{{0,40}}>\s*[♠♥♦♣]\s*<",
        )
    )
)
_BYTES: Final = re.compile(
    r"\bb'(?:\\.|[^'\\])*'|\bb\"(?:\\.|[^\"\\])*\"|(?:\\x[0-9a-fA-F]{2})+"
    r"|\b0x[0-9a-fA-F]+\b|(?<![\w-])[0-9a-fA-F]{2}(?:[ :,]?[0-9a-fA-F]{2}){4,}(?![\w-])"
    r"|(?<![\w+/=])(?=[\w+/]*[A-Z0-9+/])[A-Za-z0-9+/]{11,}={1,2}(?!=)|\[\d{1,3}(?:, ?\d{1,3}){4,}\]"
)


class Redactor:
    """Takes secrets out of anything.

    Args:
        secrets: what they are: texts, keys, whole files of keys.
    """

    def __init__(self, secrets: Iterable[bytes]) -> None:
        parts = {part for secret in secrets for part in _parts(secret) if len(part) >= _LEAST}
        # The longest goes first: one secret may be a piece of another.
        self._written = sorted({way for part in parts for way in _ways(part)}, key=len, reverse=True)

    def clean(self, data: bytes) -> bytes:
        """The bytes without any secret in them."""
        for way in self._written:
            if way in data:
                data = data.replace(way, LEFT_OUT.encode())
        data = _PIN_HASH.sub(LEFT_OUT.encode(), data)
        return _USER_IN_ADDRESS.sub(f"//{LEFT_OUT}@".encode(), data)


def without_cards(text: str) -> str:
    """Return free text without anything that may name a card.

    In doubt it goes, and whatever else goes with it.
    """
    return _CARDS.sub("??", _BYTES.sub("(bytes)", text))


def _parts(secret: bytes) -> Iterator[bytes]:
    """Yield the parts of a secret that are secret by themselves.

    Of a key's file these are its lines, the key in it, and that key's own bytes.
    """
    yield secret
    yield secret.strip()
    if _PEM_MARK not in secret:
        yield secret.removeprefix(MARK.encode()).partition(b"\n")[0].rstrip()  # as `read_secret` takes it
        yield from (line for line in secret.split(b"\n") if len(line) >= _PEM_LINE)
        return
    body = [line.strip() for line in secret.splitlines() if line.strip() and _PEM_MARK not in line]
    yield from (line for line in body if len(line) >= _PEM_LINE)
    try:
        raw = base64.b64decode(b"".join(body), validate=True)
    except ValueError:
        return
    yield raw
    yield from _OWN_KEY.findall(raw)


def _ways(secret: bytes) -> Iterator[bytes]:
    """The ways in which it may be written."""
    yield secret
    for spaced in ("", " ", ":", "-"):
        written = (secret.hex(spaced) if spaced else secret.hex()).encode()
        yield from (written, written.upper())
    yield "".join(f"\\x{byte:02x}" for byte in secret).encode()
    yield repr(secret)[2:-1].encode()
    for shift in range(3):
        inner = _base64_inside(secret, shift)
        if len(inner) >= _LEAST:
            yield from (inner, inner.translate(bytes.maketrans(b"+/", b"-_")))
    text = secret.decode("utf-8", "ignore")
    if text.encode() == secret:
        yield from (json.dumps(text)[1:-1].encode(), json.dumps(text, ensure_ascii=False)[1:-1].encode())
        yield from (way.encode() for way in (quote(text), quote(text, safe=""), quote_plus(text), escape(text)))
        yield from (text.encode("utf-16-le"), text.encode("utf-16-be"))


def _base64_inside(secret: bytes, shift: int) -> bytes:
    """Return the characters of Base64 that this secret alone decides.

    The secret begins `shift` bytes into the encoded data.
    """
    whole = base64.b64encode(bytes(shift) + secret)
    return whole[-(-shift * 8 // 6) : (shift + len(secret)) * 8 // 6]
