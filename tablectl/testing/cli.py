"""`tablectl dev rig`: scenarios on every level, and the places of a rig."""

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

import click

from tablectl.features.common.language import here
from tablectl.features.common.options import with_language
from tablectl.testing.language import translated
from tablectl.words.terminal import cells, visible

if TYPE_CHECKING:
    from tablectl.testing.bench_inventory import RigFile
    from tablectl.testing.levels.levels import Choice
    from tablectl.testing.scenarios.scenario import Scenario
    from tablectl.testing.scenarios.suite import Outcome

F = TypeVar("F", bound=Callable[..., Any])

LEVELS = ("core", "pty", "vm", "cable")
_FILE = click.Path(path_type=Path, dir_okay=False)
_RIG = click.option(
    "--rig", "rig_file", type=_FILE, default=Path("config/rig.toml"), show_default=True, help="The rig's places."
)
_OWNER = click.option("--owner", default="", help="Who you are; else $TABLECTL_RIG_OWNER, else user@machine.")
_SCENARIOS = click.argument("scenarios", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="SCENARIO…")


@click.group()
def rig() -> None:
    """Plays scenarios, and shares the rig's places.

    On the pure core, a daemon, a virtual machine, a bench with cables. A SCENARIO is a file, or a folder of which every
    *.toml is one.
    """


def _shared(command: F) -> F:
    """The options of everything that plays."""
    options = (
        click.option("--junit", type=_FILE, help="Write the outcome as JUnit's XML."),
        click.option("--html", type=_FILE, help="Write a page with a timeline of each scenario."),
        _RIG,
        click.option("--place", default="", help="For cable: the place; not needed where there is but one."),
        _OWNER,
        click.option("--broker", default="", help="For pty: a broker that is there; else each table has its own."),
        click.option("--config", type=_FILE, help="For pty: the table's configuration; else the demonstration's."),
        click.option("--keep", type=click.Path(path_type=Path, file_okay=False), help="For pty: keep journals here."),
        click.option("--wait-out-clocks", is_flag=True, help="Include scenarios that wait for minutes."),
    )
    for option in reversed(options):
        command = option(command)
    return with_language(command)


@rig.command()
@_SCENARIOS
@click.option("--level", type=click.Choice(LEVELS), default="pty", show_default=True, help="What the table is.")
@click.option("--timeline", is_flag=True, help="Print what went on.")
@_shared
def run(scenarios: tuple[Path, ...], level: str, *, timeline: bool, **rest: Any) -> None:
    """Plays scenarios, each on a fresh table.

    Exit status: 0 each that was played passed, 1 one failed, 65 a scenario can't be used, 69 nothing
    could be played, 73 a report can't be written.
    """

    def report(outcome: "Outcome") -> None:
        _say(f"{_verdict(outcome)}  {outcome.took_s:6.2f} s  {outcome.scenario.name}: {outcome.scenario.title}")
        _say(translated(outcome.why, here()), "    ")
        if timeline:
            for line in outcome.timeline.in_order():
                _say(str(line))

    outcomes = _play(_read(scenarios), [level], rest, report)
    _report(outcomes, rest["junit"], rest["html"])
    _end(outcomes)


@rig.command()
@_SCENARIOS
@click.option(
    "--level", "levels", type=click.Choice(LEVELS), multiple=True, help="A level; core and pty, if not given."
)
@_shared
def compare(scenarios: tuple[Path, ...], levels: tuple[str, ...], **rest: Any) -> None:
    """Plays scenarios on several levels.

    Lists where these differ in what they publish.

    Exit status: 0 each that was played passed, 1 one failed, 65 a scenario can't be used, 69 nothing
    could be played, 73 a report can't be written.
    """
    from tablectl.testing.scenarios.suite import differences

    found, chosen = _read(scenarios), levels or ("core", "pty")
    outcomes = _play(found, chosen, rest, lambda _outcome: None)
    width = max(len(scenario.name) for scenario in found)
    _say(f"{'':{width}}  " + "  ".join(f"{level:10}" for level in chosen))
    for scenario in found:
        mine = [outcome for outcome in outcomes if outcome.scenario is scenario]
        _say(f"{scenario.name:{width}}  " + "  ".join(map(_verdict, mine)))
        for line in (*(f"{one.level}: {translated(one.why, here())}" for one in mine if one.why), *differences(mine)):
            _say(line, "    ")
    _report(outcomes, rest["junit"], rest["html"])
    _end(outcomes)


@rig.command()
@_RIG
@with_language
def places(rig_file: Path, **_: Any) -> None:
    """Lists the rig's places, and who has them.

    Exit status: 0 listed, 78 the rig's file is missing or wrong.
    """
    from tablectl.testing.bench_inventory import listed_places

    for name, holder in listed_places(_rig(rig_file)):
        _say(f"{name}  {translated(holder, here())}")


@rig.command()
@click.argument("place")
@click.option("--note", default="", help="What you do there, for others to read.")
@_OWNER
@_RIG
@with_language
def acquire(place: str, note: str, owner: str, rig_file: Path, **_: Any) -> None:
    """Reserves a place.

    It stays yours until you release it, whatever becomes of your programs.

    Exit status: 0 it is yours, 75 it is taken, 78 the rig's file is missing or wrong.
    """
    from tablectl.testing.bench_inventory import PlaceError, myself
    from tablectl.testing.bench_inventory import acquire as take

    found = _rig(rig_file, place)
    try:
        take(found.locks, place, owner or myself(), note)
    except PlaceError as error:
        _leave(f"tablectl dev rig: {error}", os.EX_TEMPFAIL)
    _say(translated(f"{place} is yours, {owner or myself()}", here()))


@rig.command()
@click.argument("place")
@click.option("--force", is_flag=True, help="Whoever has it.")
@_OWNER
@_RIG
@with_language
def release(place: str, owner: str, rig_file: Path, *, force: bool, **_: Any) -> None:
    """Releases a place.

    Exit status: 0 it is free, 75 it is taken by somebody else or free already, 78 the rig's file is missing or wrong.
    """
    from tablectl.testing.bench_inventory import PlaceError, myself
    from tablectl.testing.bench_inventory import release as give

    found = _rig(rig_file, place)
    try:
        give(found.locks, place, owner or myself(), force=force)
    except PlaceError as error:
        _leave(f"tablectl dev rig: {error}", os.EX_TEMPFAIL)
    _say(translated(f"{place} is free", here()))


# --- inside ----------------------------------------------------------------------------------------------------------


def _read(paths: Sequence[Path]) -> "list[Scenario]":
    from tablectl.testing.scenarios.parser import ScenarioError, read_scenario

    files = [file for path in paths for file in (sorted(path.glob("*.toml")) if path.is_dir() else [path])]
    scenarios: list[Scenario] = []
    wrong: list[str] = []
    for file in files:
        try:
            scenarios.append(read_scenario(file))
        except ScenarioError as error:
            wrong.append(str(error))
        except OSError as error:
            wrong.append(f"{file}: {error.strerror}")
    if wrong or not scenarios:
        _leave("\n".join(wrong) or "there is no scenario: no *.toml in these folders", os.EX_DATAERR)
    return scenarios


def _play(
    scenarios: "Sequence[Scenario]", levels: Sequence[str], rest: dict[str, Any], report: "Callable[[Outcome], None]"
) -> "list[Outcome]":
    from tablectl.daemon.host.log import configure
    from tablectl.testing.bench_inventory import PlaceError
    from tablectl.testing.levels.levels import level_named
    from tablectl.testing.scenarios.scenario import NotPlayableError
    from tablectl.testing.scenarios.suite import play_all

    configure("error", "text")
    try:
        made = [level_named(name, _choice(rest)) for name in levels]
    except (NotPlayableError, PlaceError) as error:
        _leave(f"tablectl dev rig: {error}", os.EX_UNAVAILABLE)
    return [outcome for level in made for outcome in play_all(scenarios, level, report)]


def _choice(rest: dict[str, Any]) -> "Choice":
    from tablectl.testing.levels.levels import Choice

    return Choice(
        broker=rest["broker"],
        config=rest["config"],
        rig=rest["rig_file"],
        place=rest["place"],
        owner=rest["owner"],
        waits_out_clocks=rest["wait_out_clocks"],
        keeps=rest["keep"],
    )


def _verdict(outcome: "Outcome") -> str:
    """How it went, in ten columns."""
    verdict = translated(outcome.verdict, here())
    return verdict + " " * (10 - cells(verdict))


def _report(outcomes: "Sequence[Outcome]", junit: Path | None, html: Path | None) -> None:
    from tablectl.testing.reports import write_html, write_junit

    try:
        if junit is not None:
            write_junit(outcomes, junit)
        if html is not None:
            write_html(outcomes, html, here())
    except OSError as error:
        _leave(f"tablectl dev rig: {error.filename}: {error.strerror}", os.EX_CANTCREAT)


def _end(outcomes: "Sequence[Outcome]") -> NoReturn:
    from tablectl.testing.scenarios.suite import Verdict

    count = {verdict: sum(outcome.verdict is verdict for outcome in outcomes) for verdict in Verdict}
    counted = ", ".join(f"{number} {name}" for name, number in count.items())
    _say(translated(f"{len(outcomes)} {'scenario' if len(outcomes) == 1 else 'scenarios'}: {counted}", here()))
    if count[Verdict.FAILED]:
        raise SystemExit(1)
    raise SystemExit(0 if count[Verdict.PASSED] else os.EX_UNAVAILABLE)


def _rig(file: Path, place: str = "") -> "RigFile":
    from tablectl.testing.bench_inventory import PlaceError, read_rig

    try:
        found = read_rig(file)
        if place:
            found.place(place)
    except PlaceError as error:
        _leave(f"tablectl dev rig: {error}", os.EX_CONFIG)
    return found


def _say(text: str, indent: str = "", *, err: bool = False) -> None:
    """Print lines in which others' titles and notes may stand, made visible."""
    for line in text.splitlines():
        click.echo(indent + visible(line), err=err)


def _leave(message: str, code: int) -> NoReturn:
    _say(translated(message, here()), err=True)
    raise SystemExit(code)
