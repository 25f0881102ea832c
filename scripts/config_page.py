"""The page `docs/reference/configuration.md`, written from the models: `python -m scripts.config_page`."""

import sys
from collections.abc import Iterator
from inspect import cleandoc
from typing import Any, Final, get_args

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from tablectl.config.devices import Device
from tablectl.config.games import BetStakes, HouseLimits
from tablectl.config.models import Config, PersonSection, SubscriberSection, WitnessSection

INTRODUCTION: Final = """\
# Configuration

<!-- Written by `python -m scripts.config_page`; a test compares. -->

One TOML file for each table. `config/tables/q-poker.example.toml` is one to begin with; `q-poker.demo.toml`
is the simulated table. An unknown key is an error. What is wrong is told with file, line, column, key and
value, all of it at once:

    tablectl check-config /etc/tablectl/q1.toml

| exit status | means |
|---|---|
| 0 | the table can run; warnings and notices are printed |
| 66 | the file can't be read |
| 78 | the configuration has to be changed |

`--set KEY=VALUE` puts a value in place of the file's, as often as needed: the key is dotted, the value is
TOML or a text without quotes, as in `--set mqtt.url=mqtt://127.0.0.1:1883`.

Names (of sites, tables, people, subscribers, devices) have 1 to 32 lower-case letters, digits and hyphens. Paths of
files begin with `/`. What the keys need of one another is checked as well: two devices on one port, a game
without its shoe, stakes off the step.
"""


def page() -> str:
    """The whole page."""
    return "\n".join([INTRODUCTION, *_sections()])


def _sections() -> Iterator[str]:
    for name, field in Config.model_fields.items():
        match name:
            case "people":
                yield _section("`[people.<name>]`", PersonSection)
            case "subscribers":
                yield _section("`[subscribers.<name>]`", SubscriberSection)
            case "witnesses":
                yield _section("`[witnesses.<name>]`", WitnessSection)
            case "devices":
                yield from (_section(_title(form), form) for form in get_args(get_args(Device)[0]))
            case "thirteen_cards":
                yield _section(f"`[{name}]`", field.annotation)
                yield _section("`[<game>.limits]`", HouseLimits)
                yield _section("`[<game>.limits.bets.<bet>]`", BetStakes)
            case _:
                yield _section(f"`[{name}]`", field.annotation)


def _title(form: Any) -> str:
    """The heading of a kind of device, or of several that are set up alike."""
    kinds = " or ".join(f'"{kind}"' for kind in get_args(form.model_fields["kind"].annotation))
    return f"`[devices.<name>]` with `kind =` {kinds}"


def _section(title: str, form: Any) -> str:
    """A section's heading, what it is for, and its keys.

    Args:
        title: in Markdown, the table as TOML writes it.
    """
    rows = [_row(name, field) for name, field in form.model_fields.items()]
    return "\n".join(
        [
            f"## {title}",
            "",
            cleandoc(form.__doc__ or ""),
            "",
            "| key | without it | says |",
            "|---|---|---|",
            *rows,
            "",
        ]
    )


def _row(name: str, field: FieldInfo) -> str:
    says = "; ".join(filter(None, [field.description, _choices(field), _bounds(field)]))
    return f"| `{name}` | {_default(field)} | {says} |"


def _default(field: FieldInfo) -> str:
    if field.is_required():
        return "required"
    match field.get_default(call_default_factory=True):
        case None | "":
            return ""
        case HouseLimits():
            return ""
        case BaseModel() as inner:
            return f"`{_inline(inner)}`"
        case bool() as value:
            return f"`{str(value).lower()}`"
        case str() as value:
            return f'`"{value}"`'
        case value:
            return f"`{value}`"


def _inline(form: BaseModel) -> str:
    return "{" + ", ".join(f'{name} = "{value}"' for name, value in form.model_dump(mode="json").items()) + "}"


def _choices(field: FieldInfo) -> str:
    values = get_args(field.annotation) if str(field.annotation).startswith("typing.Literal") else ()
    return ", ".join(f'`"{value}"`' if isinstance(value, str) else f"`{value}`" for value in values)


def _bounds(field: FieldInfo) -> str:
    least = next((rule.ge for rule in field.metadata if hasattr(rule, "ge")), None)
    most = next((rule.le for rule in field.metadata if hasattr(rule, "le")), None)
    return f"{least} to {most}" if least is not None else ""


if __name__ == "__main__":
    sys.stdout.write(page())
