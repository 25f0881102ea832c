"""The standard library's `dataclass`, compiled at the first call of each method.

The standard library compiles up to six functions for each class as its module is imported. For the 500 classes of a
table's daemon that is a fifth of the time that its imports take, and 4 MiB for functions most of which nobody calls.
Here a class gets its fields and slots at once, and each of `COMPILED` from the standard library at its first call.
"""

import dataclasses
import inspect
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final, NoReturn, cast

STANDARD: Final[Any] = dataclasses.dataclass
COMPILED: Final = ("__init__", "__repr__", "__eq__", "__hash__")


def _dataclass(*, frozen: bool = False, slots: bool, kw_only: bool = False) -> Callable[[type], type]:
    """Make a class with slots a dataclass."""

    def made(plain: type) -> type:
        plain.__doc__ = plain.__doc__ or plain.__name__  # the standard library would write its signature there
        own = {name for name, value in vars(plain).items() if value is not None}  # an `__eq__` makes `__hash__` None
        cls = STANDARD(init=False, repr=False, eq=False, slots=slots, kw_only=kw_only)(plain)
        if not frozen and "__hash__" not in own:
            cls.__hash__ = None
        for name in COMPILED if frozen else COMPILED[:-1]:
            if name not in own:
                setattr(cls, name, _compiled_later(cls, name, frozen=frozen))
        if "__init__" not in own:
            cls.__signature__ = _Signature(cls, frozen=frozen)
        if frozen:
            cls.__setattr__, cls.__delattr__ = _refuse_to_set, _refuse_to_delete
            cls.__getstate__, cls.__setstate__ = _state, _set_state
        return cast("type", cls)

    return made


def _compiled_later(cls: type, name: str, *, frozen: bool) -> Callable[..., Any]:
    """A method that is replaced by the compiled one as it is called."""

    def first_call(*args: Any, **named: Any) -> Any:
        method = compiled(cls, name, frozen=frozen)
        setattr(cls, name, method)
        return method(*args, **named)

    return first_call


def compiled(cls: Any, name: str, *, frozen: bool) -> Callable[..., Any]:
    """Return the method that the standard library makes for such a class."""
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

    def __init__(self, cls: type, *, frozen: bool) -> None:
        self._cls, self._frozen = cls, frozen

    def __get__(self, _: object, owner: type) -> inspect.Signature:
        """Return the parameters of the compiled `__init__`.

        A class that inherits it has none of its own.
        """
        if owner is not self._cls:
            raise AttributeError("__signature__")
        whole = inspect.signature(compiled(owner, "__init__", frozen=self._frozen))
        return whole.replace(parameters=[*whole.parameters.values()][1:])


def _refuse_to_set(_: object, name: str, __: object) -> NoReturn:
    raise dataclasses.FrozenInstanceError(f"cannot assign to field {name!r}")


def _refuse_to_delete(_: object, name: str) -> NoReturn:
    raise dataclasses.FrozenInstanceError(f"cannot delete field {name!r}")


def _state(self: Any) -> list[object]:
    return [getattr(self, field.name) for field in dataclasses.fields(self)]


def _set_state(self: Any, state: list[object]) -> None:
    for field, value in zip(dataclasses.fields(self), state, strict=True):
        object.__setattr__(self, field.name, value)


if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass
else:
    dataclass = _dataclass
