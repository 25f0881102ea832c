"""Our dataclasses beside the standard library's: they differ in nothing but when they are compiled."""

import copy
import dataclasses
import gc
import inspect
import pickle
import re
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar, Final

import pytest

from tablectl.lazy_dataclass import COMPILED, dataclass

ROOT: Final = Path(__file__).resolve().parent.parent
OTHERS: Final = {"lazy_dataclass.py", "leader.py", "program_check.py"}
"""Modules with the standard library's: this one, one with an order, one that is also a program without tablectl."""

Maker = Callable[..., Any]


def _frozen(make: Maker) -> tuple[Any, Any]:
    """A frozen class, and one derived from it, with each kind of field that the product has."""

    @make(frozen=True, slots=True)
    class Value:
        """A value."""

        kind: ClassVar[str] = "value"
        number: int
        words: tuple[str, ...] = ()
        listed: list[int] = dataclasses.field(default_factory=lambda: [1])
        hidden: int = dataclasses.field(default=5, repr=False, compare=False)
        double: int = dataclasses.field(init=False)

        def __post_init__(self) -> None:
            """Doubles it."""
            object.__setattr__(self, "double", self.number * 2)

    @make(frozen=True, slots=True, kw_only=True)
    class More(Value):
        """One more."""

        more: str

    return Value, More


OURS, THEIRS = _frozen(dataclass), _frozen(dataclasses.dataclass)


@dataclass(frozen=True, slots=True)
class Sent:
    """What goes to another process."""

    number: int
    word: str = "a"


@dataclass(slots=True)
class Changing:
    """What changes."""

    number: int

    def __repr__(self) -> str:
        """Its own."""
        return "its own"


@pytest.mark.parametrize(
    "act",
    [
        lambda value, _: repr(value(3, ("a",), hidden=9)),
        lambda value, more: repr(more(3, more="b")),
        lambda value, _: [value(3) == value(3, hidden=7), value(3) == value(4), value(3) == 3, value(3) != value(3)],
        lambda value, more: value(3) == more(3, more="b"),
        lambda value, _: hash(dataclasses.replace(value(3), listed=())),
        lambda value, _: hash(value(3)),
        lambda value, more: dataclasses.asdict(more(3, more="b")),
        lambda value, _: dataclasses.replace(value(3), number=8).double,
        lambda value, _: [value.__match_args__, value.__slots__, value.__doc__, value.kind],
        lambda value, _: [field.name for field in dataclasses.fields(value)],
        lambda value, _: value(),
        lambda value, _: value(1, (), [], 4, 5),
        lambda value, more: more(1, "b"),
        lambda value, more: more(1, mor="b"),
        lambda value, _: setattr(value(1), "number", 2),
        lambda value, _: delattr(value(1), "number"),
        lambda value, _: vars(copy.copy(value(1))),
        lambda value, _: repr(copy.deepcopy(value(1, ("x",), [2]))),
    ],
)
def test_a_class_does_what_the_standard_librarys_does(act: Callable[[Any, Any], object]) -> None:
    def said(classes: tuple[Any, Any]) -> object:
        try:
            return act(*classes)
        except (TypeError, AttributeError) as error:
            return type(error), str(error)

    assert said(OURS) == said(THEIRS)


def test_a_method_is_compiled_when_it_is_first_called() -> None:
    ours, _ = _frozen(dataclass)
    stubs = {name: vars(ours)[name] for name in COMPILED}
    value = ours(1)
    assert {name for name in COMPILED if vars(ours)[name] is not stubs[name]} == {"__init__"}
    assert value == ours(1)
    assert {name for name in COMPILED if vars(ours)[name] is not stubs[name]} == {"__init__", "__eq__"}


def test_a_frozen_value_goes_to_another_process() -> None:
    assert pickle.loads(pickle.dumps(Sent(3, "b"))) == Sent(3, "b")


def test_what_changes_has_no_hash_and_keeps_own_methods() -> None:
    changing = Changing(1)
    changing.number = 2
    assert (changing, repr(changing)) == (Changing(2), "its own")
    with pytest.raises(TypeError, match="unhashable"):
        hash(changing)


def test_a_frozen_value_with_its_own_equality_has_a_hash() -> None:
    @dataclass(frozen=True, slots=True)
    class Own:  # noqa: PLW1641  # the decorator gives it
        """Equal to none."""

        number: int

        def __eq__(self, other: object) -> bool:
            """Never."""
            return False

    assert (hash(Own(1)) == hash(Own(1)), Own(1) == Own(1)) == (True, False)


def test_the_whole_product_has_these_dataclasses() -> None:
    standard = re.compile(r"^from dataclasses import .*\bdataclass\b", re.MULTILINE)
    files = [path for folder in ("tablectl", "drivers") for path in (ROOT / folder).rglob("*.py")]
    assert {path.name for path in files if standard.search(path.read_text("utf-8"))} <= OTHERS


@pytest.mark.parametrize("nth", [0, 1])
def test_signature_is_the_standard_one_before_anything_is_made(nth: int) -> None:
    ours, theirs = _frozen(dataclass)[nth], THEIRS[nth]
    assert str(inspect.signature(ours)) == str(inspect.signature(theirs))
    assert str(inspect.signature(type("Derived", (ours,), {"__init__": lambda self, one: None}))) == "(one)"


def test_the_class_without_slots_is_let_go() -> None:
    class Plain:
        number: int

    before = weakref.ref(Plain)
    made = dataclass(frozen=True, slots=True)(Plain)
    del Plain
    gc.collect()
    assert "number" in vars(made)
    assert before() is None
