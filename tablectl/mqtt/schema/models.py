"""JSON Schema of the models that messages are written from, as on the wire.

The writer turns a saying into its text in every language, a tuple into a list, an enumeration into its value, and
writes every field, also one that has a default.
"""

import inspect
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from typing import Any, Final, get_args, get_type_hints

from pydantic import TypeAdapter

from tablectl.mqtt.schema.parts import FORM, LACKS, NAMED, SCHEMAS, SHARED, ref

Form = dict[str, Any]

_PLACE: Final = [{"type": "integer"}, {"type": "string"}]
_NOISE: Final = frozenset({"title", "default", LACKS})


def schemas_of(models: Iterable[type]) -> dict[str, Form]:
    """The schemas of these models and of all that they consist of, by name."""
    found: dict[str, Form] = {}
    for model in models:
        form = TypeAdapter(model).json_schema(ref_template=SCHEMAS + "{model}", mode="serialization")
        parts: Mapping[str, Form] = form.pop("$defs", {})
        inner = {name: part for name, part in parts.items() if name not in SHARED}
        enums = {name: {**_bare(part), **_described(part)} for name, part in inner.items() if "enum" in part}
        whole = {name: part for name, part in {**inner, model.__name__: form}.items() if name not in enums}
        lacking = dict(_lacking(model))
        for name, part in whole.items():
            if "properties" in part:
                found[name] = _object(part, enums, lacking.get(name, ()))
    return found


def _lacking(model: Any) -> Iterator[tuple[str, Collection[str]]]:
    """The fields that a writer may leave out, by the name of their model.

    They are those of this model and of all models in it.
    """
    if is_dataclass(model) and isinstance(model, type):
        yield model.__name__, {each.name for each in fields(model) if each.metadata.get("may_lack")}
        for hint in get_type_hints(model).values():
            yield from _lacking(hint)
    for inner in get_args(model):
        yield from _lacking(inner)


def about(model: type) -> str:
    """The description of a model: the first line of its docstring."""
    return _first_line(inspect.getdoc(model) or model.__name__)


def _object(form: Form, enums: Mapping[str, Form], lacking: Collection[str]) -> Form:
    """An object with all its fields; those that may lack aren't required."""
    given = form["properties"]
    properties = {name: _field(name, inner, enums) for name, inner in given.items()}
    required = [name for name in properties if LACKS not in given[name] and name not in lacking]
    return {"type": "object", **_described(form), "properties": properties, "required": required}


def _field(name: str, form: Form, enums: Mapping[str, Form]) -> Form:
    """The schema of a field, or of an item where the field is a list."""
    if FORM in form:
        return ref(form[FORM])
    if "$ref" in form:
        return enums.get(str(form["$ref"]).removeprefix(SCHEMAS), {"$ref": form["$ref"]})
    if form.get("type") == "string" and name in NAMED:
        return ref(NAMED[name])
    if "anyOf" in form:
        return _choice(name, form["anyOf"], enums)
    bare = _bare(form)
    for inside in ("items", "additionalProperties"):
        if isinstance(bare.get(inside), dict):
            bare[inside] = _field(name, bare[inside], enums)
    return bare


def _choice(name: str, choices: list[Form], enums: Mapping[str, Form]) -> Form:
    """The schema of alternatives.

    A number or a text is a place, the only thing that may be either.
    """
    rest = [choice for choice in choices if choice not in _PLACE]
    if len(choices) - len(rest) < len(_PLACE):
        return {"anyOf": [_field(name, choice, enums) for choice in choices]}
    return {"anyOf": [ref("Place"), *rest]} if rest else ref("Place")


def _bare(form: Form) -> Form:
    """The form without what pydantic adds for its own pages."""
    return {name: inner for name, inner in form.items() if name not in _NOISE}


def _described(form: Form) -> Form:
    return {"description": _first_line(form["description"])} if "description" in form else {}


def _first_line(docstring: str) -> str:
    return docstring.partition("\n")[0].replace("`", "")


def values_of(names: type[Enum]) -> list[str]:
    """The values of an enumeration."""
    return [str(name.value) for name in names]
