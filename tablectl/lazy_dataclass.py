"""The standard library's `dataclass` and `replace`, in less time.

The standard library compiles up to six functions for each class as its module is imported. For the 500 classes of a
table's daemon that is a fifth of the time that its imports take, and 4 MiB for functions most of which nobody calls.
Here a class gets its fields and slots at once, and each of `COMPILED` from the standard library at its first call.
Until then all classes share one function for each, which finds in `__uncompiled__` whose method was called.
"""

import dataclasses
import inspect
from collections.abc import Callable
from functools import cache, partial
from typing import TYPE_CHECKING, Any, Final, NoReturn, cast

STANDARD: Final[Any] = dataclasses.dataclass
COMPILED: Final = ("__init__", "__repr__", "__eq__", "__hash__")


def _dataclass(*, frozen: bool = False, slots: bool, kw_only: bool = False) -> Callable[[type], type]:
    """Make a class with slots a dataclass."""

    def made(plain: type) -> type:
        plain.__doc__ = plain.__doc__ or plain.__name__  # the standard library would write its signature there
        own = {name for name, value in vars(plain).items() if value is not None}  # an `__eq__` makes `__hash__` None
        cls = STANDARD(init=False, repr=False, eq=False, slots=slots, kw_only=kw_only)(plain)
        if cls is not plain and "__weakref__" in vars(cls):
            del cls.__weakref__  # that of the class without slots, which it would keep in memory
        if not frozen and "__hash__" not in own:
            cls.__hash__ = None
        cls.__uncompiled__ = tuple(name for name in (COMPILED if frozen else COMPILED[:-1]) if name not in own)
        for name in cls.__uncompiled__:
            setattr(cls, name, FIRST_CALLS[name])
        if "__init__" not in own:
            cls.__signature__ = _SIGNATURE
        if frozen:
            cls.__setattr__, cls.__delattr__ = _refuse_to_set, _refuse_to_delete
            cls.__getstate__, cls.__setstate__ = _state, _set_state
        return cast("type", cls)

    return made


def _first_call(name: str) -> Callable[..., Any]:
    """A method that is replaced by the compiled one of its class as it is called."""

    def first_call(self: object, *args: Any, **named: Any) -> Any:
        cls = next(cls for cls in type(self).__mro__ if name in vars(cls).get("__uncompiled__", ()))
        method = compiled(cls, name)
        setattr(cls, name, method)
        return method(self, *args, **named)

    return first_call


FIRST_CALLS: Final = {name: _first_call(name) for name in COMPILED}


def compiled(cls: Any, name: str) -> Callable[..., Any]:
    """Return the method that the standard library makes for such a class."""
    frozen = vars(cls).get("__setattr__") is _refuse_to_set
    fields = {field.name: field for field in dataclasses.fields(cls)}
    named: dict[str, Any] = {about: getattr(cls, about) for about in ("__module__", "__qualname__", "__doc__")}
    if hasattr(cls, "__post_init__"):
        named["__post_init__"] = cls.__post_init__
    types = {"__annotations__": {field.name: field.type for field in fields.values()}}
    is_init, is_repr, is_equal, is_hash = (name == each for each in COMPILED)
    make = STANDARD(init=is_init, repr=is_repr, eq=is_equal, unsafe_hash=is_hash, frozen=frozen and is_init)
    made: type = make(type(cls.__name__, (), {**named, **types, **fields}))
    return cast("Callable[..., Any]", vars(made)[name])


class _Signature:
    """The signature of a class, for `inspect`: what is called first takes anything."""

    def __get__(self, _: object, owner: type) -> inspect.Signature:
        """Return the parameters of the compiled `__init__`.

        A class that inherits it has none of its own.
        """
        if "__signature__" not in vars(owner):
            raise AttributeError("__signature__")
        whole = inspect.signature(compiled(owner, "__init__"))
        return whole.replace(parameters=[*whole.parameters.values()][1:])


_SIGNATURE: Final = _Signature()


def _refuse_to_set(_: object, name: str, __: object) -> NoReturn:
    raise dataclasses.FrozenInstanceError(f"cannot assign to field {name!r}")


def _refuse_to_delete(_: object, name: str) -> NoReturn:
    raise dataclasses.FrozenInstanceError(f"cannot delete field {name!r}")


def _state(self: Any) -> list[object]:
    return [getattr(self, field.name) for field in dataclasses.fields(self)]


def _set_state(self: Any, state: list[object]) -> None:
    for field, value in zip(dataclasses.fields(self), state, strict=True):
        object.__setattr__(self, field.name, value)


def _replace(value: object, /, **changes: Any) -> Any:
    """Return the frozen value with these fields.

    It is what `dataclasses.replace` does, in a fraction of its time: a fold makes some ten copies for each fact. A
    value with slots has nothing but its fields.

    Raises:
        AttributeError: the value has no such field.
    """
    kind: type = type(value)
    copy: Any = _copier(kind)(value)
    for name, each in changes.items():
        setattr(copy, name, each)
    copy.__class__ = kind
    return copy


@cache
def _copier(kind: type) -> Callable[[Any], Any]:
    """Return what copies a value's fields into one that isn't frozen yet.

    The copy's class is one with the same slots whose fields can be set. Statements compiled for the class set them
    several times as fast as a loop over its fields.
    """
    thawed = {"__slots__": (), "__setattr__": object.__setattr__, "__delattr__": object.__delattr__}
    unfrozen = type(kind.__name__, (kind,), thawed)
    lines = "".join(f"\n    copy.{field.name} = value.{field.name}" for field in dataclasses.fields(kind))
    made: dict[str, Any] = {"new": partial(object.__new__, unfrozen)}
    exec(f"def copied(value):\n    copy = new(){lines}\n    return copy", made)  # noqa: S102  # as dataclasses do
    return cast("Callable[[Any], Any]", made["copied"])


if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass
    from dataclasses import replace as replace
else:
    dataclass, replace = _dataclass, _replace
