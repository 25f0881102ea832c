"""Loading of a configuration that isn't a table's, with every problem at once."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TypeVar, cast

from pydantic import BaseModel, ValidationError

from tablectl.config.errors import Complaint, ConfigError
from tablectl.config.source import placed, read_source
from tablectl.config.validation import MESSAGES

M = TypeVar("M", bound=BaseModel)


def load_form(form: type[M], path: Path, overrides: Mapping[str, str], check: Callable[[M], Iterable[Complaint]]) -> M:
    """The configuration of this form in a file.

    Args:
        overrides: dotted keys with TOML values, or texts without quotes, in place of the file's.
        check: what keys need of one another.

    Raises:
        OSError: the file can't be read.
        ConfigError: with every problem at once; those of `check` only when the form is right.
    """
    source = read_source(path, overrides)
    try:
        config = form.model_validate(source.tree)
        complaints = [*check(config)]
    except ValidationError as error:
        details = error.errors(include_url=False, include_input=False)
        complaints = [_complaint(each) for each in details if not _follows(each, details)]
    else:
        if not complaints:
            return config
    raise ConfigError(tuple(placed(complaint, source) for complaint in complaints)) from None


def _complaint(detail: Mapping[str, object]) -> Complaint:
    path = tuple(str(step) for step in cast("tuple[object, ...]", detail["loc"]) if step != "[key]")
    context = cast("Mapping[str, str]", detail.get("ctx", {}))
    match detail["type"]:
        case "house":
            return Complaint(path, context["message"], hint=context["hint"])
        case "extra_forbidden":
            return Complaint(path, "there is no such key here")
        case "missing":
            return Complaint(path, "this is required")
        case "literal_error":
            return Complaint(path, f"one of {context['expected']} is expected")
        case kind if str(kind) in MESSAGES:
            return Complaint(path, MESSAGES[str(kind)].format_map(context))
        case _:
            return Complaint(path, str(detail["msg"]))


def _follows(detail: Mapping[str, object], all_of_them: Sequence[Mapping[str, object]]) -> bool:
    """Return True if a list is too short only because its entries are wrong.

    The entries have errors of their own.
    """
    at = cast("tuple[object, ...]", detail["loc"])
    below = (cast("tuple[object, ...]", each["loc"]) for each in all_of_them if each is not detail)
    return detail["type"] == "too_short" and any(loc[: len(at)] == at for loc in below)
