"""Model of an explained round: its steps, as values for JSON, text or a page."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Final, Protocol, cast

from tablectl.core.amending.counted_round import AMENDED
from tablectl.lazy_dataclass import dataclass
from tablectl.words import Language

if TYPE_CHECKING:
    from tablectl.history.captures import Explaining
    from tablectl.history.language import Speech

Form = Mapping[str, Any]
"""A JSON object."""


_OBJECTS: Final = (dict, Mapping)  # The former is found at once, the latter by a search.
_LISTS: Final = (list, tuple)


def inside(form: Form, key: str) -> Form:
    """The object in a field; an empty one where there is none."""
    value = form.get(key)
    return cast("Form", value) if isinstance(value, _OBJECTS) else {}


def listed(form: Form, key: str) -> list[Form]:
    """The objects in a field's list; none where there is no list."""
    return cast("list[Form]", [item for item in items_of(form.get(key)) if isinstance(item, _OBJECTS)])


def items_of(value: Any) -> Sequence[Any]:
    """The items of a list; none of anything else."""
    return cast("Sequence[Any]", value) if isinstance(value, _LISTS) else ()


Texts = dict[str, str]
"""One text in each language."""


class MakeExplaining(Protocol):
    """Makes what explains the bytes of a link."""

    def __call__(self, protocol: str, kind: str, *, cards: bool) -> "Explaining":
        """The decoder of a protocol of a kind of device, its cards named or not."""
        ...


@dataclass(frozen=True, slots=True)
class Voice:
    """How things are said in one language: the words, and a message as lines."""

    words: "Speech"
    lines: Callable[[Form], Sequence[str]]


@dataclass(frozen=True, slots=True)
class Renderers:
    """Functions of packages that an explanation may not import.

    Args:
        voices: by language.
        explaining: makes the decoder of captured bytes.
        result: the result in the data of a round's end; empty where it has none.
    """

    voices: Mapping[Language, Voice]
    explaining: MakeExplaining
    result: Callable[[Form], str]


@dataclass(frozen=True, slots=True)
class Frame:
    """A frame on a link, in its own bytes and in words.

    Args:
        way: `in` from the device, `out` to it.
        hex: the bytes; None where they may not be shown, or belong to several frames.
        times: how often it came in a row.
        more: frames of the device before this one that were left out.
    """

    time: str
    device: str
    way: str
    said: str
    hex: str | None = None
    times: int = 1
    more: int = 0


@dataclass(frozen=True, slots=True)
class ExplainedFact:
    """A fact as the journal has it, but for cards that never lay face up.

    Args:
        at_us: when it happened, UTC microseconds; 0 where the record can't be read.
        hides: whether a card in it is not told.
    """

    name: str
    at_us: int
    time: str
    source: str
    by: str
    clock: str
    error_us: int | None
    boot: str
    simulated: bool
    hides: bool
    body: dict[str, Any]
    text: Texts


@dataclass(frozen=True, slots=True)
class ExplainedMessage:
    """An event as it was published, the rule that it follows, and how it is said.

    Args:
        article: that the event itself names; empty where it names none.
        rule: the regulation's articles for what happened here; empty where there are none.
        struck: whether an amendment took it back: it doesn't count any more.
    """

    sequence: int
    id: str
    topic: str
    type: str
    time: str
    article: str
    rule: str
    data: dict[str, Any]
    text: dict[str, list[str]]
    struck: bool = False

    def shown(self, language: Language) -> Sequence[str]:
        """The lines of the message among the steps.

        That is its first line; of an amendment, all its changes.
        """
        lines = self.text[language] or [self.type]
        return lines if self.type == AMENDED else lines[:1]


@dataclass(frozen=True, slots=True)
class Refused:
    """A request that the table refused, and why."""

    article: str
    code: str
    text: Texts


@dataclass(frozen=True, slots=True)
class Step:
    """One record: what was heard on the links before it, the fact, and what followed.

    Args:
        when: `before` the round, in the `round`, or `after` it.
        amended_by: the record of the amendment that put the fact right or struck it; None where none did.
        struck: whether it was struck: it didn't happen.
    """

    record: int
    recorded: str
    when: str
    fact: ExplainedFact
    frames: tuple[Frame, ...] = ()
    refused: Refused | None = None
    messages: tuple[ExplainedMessage, ...] = ()
    amended_by: int | None = None
    struck: bool = False


@dataclass(frozen=True, slots=True)
class Share:
    """The result of the round for one bettor, or one layer of the bank."""

    name: str
    staked: str
    net: str
    commission: str


@dataclass(frozen=True, slots=True)
class Money:
    """The round's money: all nets and the commission sum to zero.

    Args:
        house: what the house won or lost, commission not counted.
    """

    bettors: tuple[Share, ...]
    bank: tuple[Share, ...]
    bettors_net: str
    bank_net: str
    commission: str
    house: str
    sum: str


@dataclass(frozen=True, slots=True)
class ClockQuality:
    """How far the times can be believed.

    Args:
        error_us: the largest bound; None where it was not always known.
    """

    states: tuple[str, ...]
    error_us: int | None
    boots: int


@dataclass(frozen=True, slots=True)
class Explanation:
    """One round from its first record to its last.

    Args:
        end: `settled`, `void`, or empty while it isn't over.
        settled: the data of the settlement as it was published, or as it is since an amendment; empty without one.
        corrections: the data of what was put right later, and holds.
        amended: how often recorded facts of it were put right.
        materials: packs, dice and shoes that were in use when it was opened: `kind`, `name`, `since` (UTC) and `by`;
            empty where nobody named any, or where nothing says what was played by.
        missing: what could not be shown, as keys: `no_captures`, `pruned`, `records_cut`, `damaged_capture`.
    """

    round_id: str
    site: str
    table: str
    log: str
    game: str
    rules_version: str
    simulated: bool
    end: str
    result: str
    article: str
    reason: str
    opened: str
    ended: str
    first: int
    last: int
    clock: ClockQuality
    settled: dict[str, Any]
    returned: tuple[dict[str, Any], ...]
    corrections: tuple[dict[str, Any], ...]
    amended: int
    money: Money | None
    steps: tuple[Step, ...]
    missing: tuple[str, ...]
    materials: tuple[dict[str, str], ...] = ()

    def form(self) -> dict[str, Any]:
        """The explanation as a JSON object."""
        return asdict(self)
