"""One language of the monitor: its own words, the game's, and ages and places."""

from typing import Any, Final

from tablectl import words
from tablectl.history.explain.model import Form, Renderers, Voice
from tablectl.history.explain.phrases import say_card
from tablectl.lazy_dataclass import dataclass
from tablectl.words import Language

MINUTE_S: Final = 60
HOUR_S: Final = 3600
FACE_DOWN: Final = "##"


@dataclass(frozen=True, slots=True)
class Speech:
    """How the monitor speaks.

    Args:
        game: the table's, whose words go before another game's.
    """

    language: Language
    rendering: Renderers
    game: str

    @property
    def voice(self) -> Voice:
        """The language's voice, which rounds are rendering in everywhere."""
        return self.rendering.voices[self.language]

    def say(self, key: str, **values: object) -> str:
        """One of the monitor's own texts."""
        return words.text(f"monitor.{key}", self.language, **values)

    def text(self, texts: Any) -> str:
        """A text that came in every language."""
        return str(texts.get(self.language) or texts.get("en") or "")

    def term(self, family: str, name: object) -> str:
        """A word of the game, or else of the house."""
        said = self.voice.words.term(family, name, self.game)
        return self.voice.words.term(family, name) if said == str(name) else said

    def short(self, family: str, name: object) -> str:
        """The short form of a word of the game, or the word itself."""
        said = self.voice.words.term(f"{family}_short", name, self.game)
        return self.term(family, name) if said == str(name) else said

    def clock_state(self, state: object) -> str:
        """Return the name of a clock's state."""
        return words.catalogue(self.language).get(f"explain.clock_state.{state}", str(state))

    def place(self, place: object) -> str:
        """A betting position, the dealer or the banker."""
        return self.voice.words.place(place)

    def age(self, seconds: float) -> str:
        """How long ago, to the unit that matters."""
        if seconds < MINUTE_S:
            return self.say("seconds", n=int(seconds))
        if seconds < HOUR_S:
            return self.say("minutes", n=int(seconds // MINUTE_S))
        return self.say("hours", n=int(seconds // HOUR_S))


def say_hand(hand: Form) -> str:
    """Render the cards of a hand, those face down as `##`; of tiers, side by side."""
    if rows := hand.get("rows"):
        return " | ".join(" ".join(map(say_card, row)) for row in rows)
    cards = hand.get("cards") or ()
    if len(cards) > 5 and not any(cards):  # thirteen backs in a row are counted, not drawn
        return f"{len(cards)} × {FACE_DOWN}"
    return " ".join(say_card(card) if card else FACE_DOWN for card in cards)
