"""Texts for people, as the core names them: a catalogue key and its values."""

from tablectl.lazy_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Saying:
    """A text for people: a catalogue key and its values, in the order of their names."""

    key: str
    values: tuple[tuple[str, str], ...] = ()


def saying(key: str, **values: object) -> Saying:
    """A saying with its values as text."""
    return Saying(key, tuple((name, str(value)) for name, value in sorted(values.items())))
