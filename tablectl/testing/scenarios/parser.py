"""Parser of a scenario's file; every error has its line and its remedy."""

import json
import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from difflib import get_close_matches
from pathlib import Path
from typing import Final

from pydantic import ValidationError

from drivers.sim.faults import trigger_for
from drivers.sim.stand import CannotTriggerError, kind_of
from tablectl.config import load
from tablectl.config.errors import ConfigError
from tablectl.config.models import Config
from tablectl.console.requests.table import VERBS
from tablectl.console.requests.verb import asked
from tablectl.core.events import KINDS
from tablectl.core.facts import Body
from tablectl.core.faults import Code
from tablectl.core.game_record import Transitions
from tablectl.core.game_step import PAYING
from tablectl.edited_files import WrongByteError, read_text, read_toml
from tablectl.lazy_dataclass import dataclass
from tablectl.rule_tables import GAMES, game_record, shipped
from tablectl.testing.scenarios import amending, vocabulary
from tablectl.testing.scenarios.scenario import Form, Scenario, Step, listed, money_misfits
from tablectl.testing.scenarios.toml_lines import line_of_key, lines_of_steps, split_syntax
from tablectl.testing.scenarios.vocabulary import ACTS, DEVICES, KEYS, MOST_AWAY_S, ROLES, STEPS, whole

EVENTS: Final = tuple(sorted(kind.removesuffix(".v1") for _, kind in KINDS.values()))


@dataclass(frozen=True, slots=True)
class Flaw:
    """Something wrong in a file.

    Args:
        line: from 1.
        todo: what to do about it; empty where the problem says it.
    """

    path: Path
    line: int
    problem: str
    todo: str = ""

    def __str__(self) -> str:
        """One line for the problem, and one for what to do."""
        return f"{self.path}:{self.line}: {self.problem}" + (f"\n  {self.todo}" if self.todo else "")


class ScenarioError(ValueError):
    """A scenario's file can't be played: each place, and what to do there."""

    def __init__(self, flaws: tuple[Flaw, ...]) -> None:
        super().__init__("\n".join(map(str, flaws)))
        self.flaws: Final = flaws


def read_scenario(path: Path, above: tuple[Path, ...] = ()) -> Scenario:
    """The scenario in a file.

    Args:
        above: the files that go on from this one.

    Raises:
        ScenarioError: it isn't one, with everything that is wrong at once.
        OSError: the file can't be read.
    """
    text = _decoded(path)
    form = _parsed(path, text)
    base = _base(path, text, form, above)
    if flaws := tuple(_of_the_head(path, text, {"game": base.game, **form} if base else form)):
        raise ScenarioError(flaws)
    settings = {
        key: value if isinstance(value, str) else json.dumps(value) for key, value in form.get("set", {}).items()
    }
    steps = _steps(path, text, form["steps"])
    scenario = Scenario(
        path.stem,
        form["title"],
        base.game if base else form["game"],
        tuple(form.get("articles", ())),
        {**base.settings, **settings} if base else settings,
        (*(replace(step, path=step.path or base.path) for step in base.steps), *steps) if base else steps,
        path,
    )
    if flaws := tuple(_of_the_table(path, text, scenario)):
        raise ScenarioError(flaws)
    return scenario


def demo_table(game: str) -> Path:
    """The configuration of a game's demonstration table."""
    return shipped(game_record(game).table)


def request_of(verb: str, fields: Form) -> Body:
    """The fact that a person makes with these fields, as the console reads it."""
    body = {"request_id": "scenario", "round_id": None, "seen": 0, **fields}
    line = VERBS[verb]
    return asked(line.form.model_validate_json(json.dumps(body)), line.asks).body


# --- the file --------------------------------------------------------------------------------------------------------


def _decoded(path: Path) -> str:
    try:
        return read_text(path)
    except WrongByteError as error:
        flaw = Flaw(path, error.at[0], f"{error.flaw}: byte {error.offset}", "save it as UTF-8")
        raise ScenarioError((flaw,)) from None


def _parsed(path: Path, text: str) -> Form:
    try:
        return read_toml(text)
    except tomllib.TOMLDecodeError as error:
        line, said = split_syntax(text, str(error))
        written = text.splitlines()[min(line, text.count("\n") + 1) - 1 :][:1]
        shown = f": {written[0].strip()}" if written and written[0].strip() else ""
        todo = "texts stand in quotes, lists in [ ], a step in { } with a comma behind it"
        raise ScenarioError((Flaw(path, line, f"this isn't TOML: {said}{shown}", todo),)) from None


def _base(path: Path, text: str, form: Form, above: tuple[Path, ...]) -> Scenario | None:
    """Return the scenario that this one continues.

    This one takes its game and its settings, and begins with its steps.
    """
    name = form.get("base")
    if name is None:
        return None
    file = path.parent / f"{name}.toml"
    if not isinstance(name, str) or not file.is_file() or file in {path, *above} or "game" in form:
        problem, todo = (
            f"it can't go on from {name!r}",
            "`base` names another file beside this one, in place of `game`",
        )
        raise ScenarioError((Flaw(path, line_of_key(text, "base"), problem, todo),))
    return read_scenario(file, (*above, path))


def _of_the_head(path: Path, text: str, form: Form) -> Iterator[Flaw]:
    for key in form.keys() - set(KEYS):
        yield Flaw(path, line_of_key(text, key), f"there is no key `{key}`", _meant(key, KEYS))
    if not form.get("title") or not isinstance(form["title"], str):
        yield Flaw(path, line_of_key(text, "title"), "the title is missing", 'begin with title = "what is shown"')
    if form.get("game") not in GAMES:
        game = form.get("game")
        problem = "the game is missing" if game is None else f"there is no game {game!r}"
        yield Flaw(path, line_of_key(text, "game"), problem, _meant(game, GAMES))
    if not isinstance(form.get("set", {}), dict):
        yield Flaw(path, line_of_key(text, "set"), "`set` isn't a table", 'write set = {"q_poker.places" = 5}')
    steps = form.get("steps")
    if not listed(steps) or not all(isinstance(step, dict) for step in listed(steps) or ()):
        yield Flaw(path, line_of_key(text, "steps"), "there are no steps", 'write steps = [{ask = "open_round"}, …]')


def _steps(path: Path, text: str, forms: list[Form]) -> tuple[Step, ...]:
    lines = [*lines_of_steps(text), *[line_of_key(text, "steps")] * len(forms)]
    read: list[Step] = []
    flaws: list[Flaw] = []
    for form, line in zip(forms, lines, strict=False):
        if not form:
            flaws.append(Flaw(path, line, "this step is empty", f"it begins with one of: {', '.join(STEPS)}"))
            continue
        verb = next(iter(form))
        if verb in STEPS:
            rest = {key: value for key, value in form.items() if key != verb}
            read.append(Step(verb, form[verb], amending.with_nothing(rest) if verb == "ask" else rest, line))
        else:
            flaws.append(Flaw(path, line, f"no step begins with `{verb}`", _meant(verb, STEPS)))
    if flaws:
        raise ScenarioError(tuple(flaws))
    return tuple(read)


# --- the steps, at this game's table ---------------------------------------------------------------------------------


def _of_the_table(path: Path, text: str, scenario: Scenario) -> Iterator[Flaw]:
    try:
        config = load(demo_table(scenario.game), scenario.settings)
    except ConfigError as error:
        said = "; ".join(f"{problem.key}: {problem.message}" for problem in error.problems)
        yield Flaw(path, line_of_key(text, "set"), f"the table can't be set up like this: {said}")
        return
    for step in scenario.steps:
        for problem, todo in misfits(step, config):
            yield Flaw(step.path or path, step.line, problem, todo)


def misfits(step: Step, config: Config) -> Iterator[tuple[str, str]]:
    """Yield each error in a step at this table, with its remedy."""
    match step.verb:
        case "ask" | "amend" | "money":
            yield from _OF_ONE[step.verb](step)
        case "unplug" | "plug":
            yield from _device(step.what, config)
        case "fault" | "clear":
            yield from _fault(step, config)
        case "see" | "never" if step.what not in EVENTS:
            yield f"no event is called {step.what!r}", _meant(step.what, EVENTS)
        case "phase" if step.what not in (phases := phases_of(config.table.game)):
            yield f"{config.table.game} has no phase {step.what!r}", _meant(step.what, phases)
        case "time" if step.what != "up":
            yield f"time is {step.what!r}", 'write time = "up": the running clock comes to its end'
        case "restart" if step.what != "table" or whole(0, MOST_AWAY_S, "seconds")(step.rest.get("after", 0)):
            yield (
                f"restart is {step.what!r}",
                'write restart = "table", and after = 310 where it is away that many seconds',
            )
        case "state" if not isinstance(step.what, dict):
            yield "`state` isn't a table", 'write state = {pack = "ready"}'
        case "faults" if not _has_codes(step):
            yield "`faults` isn't a list of numbers", "write faults = [101], or [] for none"
        case device if device in DEVICES:
            yield from _acted(step, config)
        case _:
            pass


def _asked(step: Step) -> Iterator[tuple[str, str]]:
    fields = dict(step.rest)
    by, refused = fields.pop("by", "dealer"), fields.pop("refused", "")
    if by not in ROLES:
        yield f"nobody at the table is {by!r}", _meant(by, ROLES)
    if not isinstance(refused, str):
        yield "`refused` isn't a text", 'write the article and the code: refused = "6(2) draw_not_shown"'
    if step.what not in VERBS:
        yield f"nobody can ask for {step.what!r}", _meant(step.what, tuple(VERBS))
        return
    try:
        request_of(step.what, fields)
    except ValidationError as error:
        for detail in error.errors(include_url=False, include_input=False):
            place = ".".join(map(str, detail["loc"]))
            known = ", ".join(name for name in VERBS[step.what].form.model_fields if name not in _OF_EVERY)
            yield f"{step.what}: `{place}`: {detail['msg']}", f"its fields: {known or 'none'}"


_OF_ONE: Final[Mapping[str, Callable[[Step], Iterator[tuple[str, str]]]]] = {
    "ask": _asked,
    "amend": amending.misfits,
    "money": money_misfits,
}
"""What checks a step that needs no more than itself."""

_OF_EVERY: Final = ("request_id", "round_id", "seen")


def _device(name: object, config: Config) -> Iterator[tuple[str, str]]:
    if name not in config.devices:
        yield f"this table has no device {name!r}", _meant(name, tuple(config.devices))


def _fault(step: Step, config: Config) -> Iterator[tuple[str, str]]:
    name = step.rest.get("device")
    if name is None:
        yield "the device is missing", f'write {{{step.verb} = {step.what}, device = "…"}}'
        return
    yield from _device(name, config)
    if name not in config.devices:
        return
    if step.what not in {int(code) for code in Code}:
        yield f"the catalogue has no fault {step.what}", "`tablectl sim faults` lists them"
        return
    try:
        trigger_for(step.what, kind_at(config, name))
    except CannotTriggerError as error:
        yield str(error), "`tablectl sim faults` lists which device can have which"


def _acted(step: Step, config: Config) -> Iterator[tuple[str, str]]:
    if step.verb not in config.devices:
        yield from _device(step.verb, config)
        return
    acts = ACTS[step.verb]
    act = acts.get(step.what) if isinstance(step.what, str) else None
    if act is None:
        yield f"the {step.verb} can't {step.what!r}", _meant(step.what, tuple(acts))
        return
    for problem in vocabulary.misfits(act, step.rest):
        yield f"{step.verb} {step.what}: {problem}", ""


def kind_at(config: Config, name: str) -> str:
    """Return the kind of a device of this table, as triggers of faults name it."""
    section = config.devices[name]
    return kind_of(section.kind, section.protocol)


def phases_of(game: str) -> tuple[str, ...]:
    """The phases of a game's round, its payment among them."""
    transitions: Transitions = game_record(game).transitions
    return tuple(dict.fromkeys((*map(str, transitions), PAYING)))


def _has_codes(step: Step) -> bool:
    codes = listed(step.what)
    return codes is not None and all(isinstance(code, int) for code in codes)


def _meant(word: object, known: tuple[str, ...]) -> str:
    near = get_close_matches(str(word), known, n=1)
    return f"did you mean `{near[0]}`?" if near else f"known: {', '.join(known)}"
