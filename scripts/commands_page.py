"""Write docs/reference/commands.md from the commands' help: `python -m scripts.commands_page`."""

import inspect
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import click

from tablectl.cli import GROUPS, main

PAGE = Path(__file__).parent.parent / "docs" / "reference" / "commands.md"

HEAD = """\
# Commands

<!-- Written by `python -m scripts.commands_page`; a test compares. -->

By what people want to do, as `tablectl --help` groups them; `tablectl help COMMAND` says more. Most commands find their
table by `-t NAME`, else `TABLECTL_TABLE` or `TABLECTL_CONFIG`, else the only configuration in `/etc/tablectl`.

Exit statuses from 64 on are those of `sysexits.h`. Every command also ends with 2, and a line that says why, where it
was called wrongly, and with 74 where its output can't be written.

As a service, `tablectl run` is started again a second after whatever may pass by itself, for as long as that takes:

| code | what may pass |
|---|---|
| 69 | another program has the console's port, or the name in `console.listen` isn't known yet |
| 70 | a mistake in the program, which its traceback in the service's log names, and a start leaves behind |
| 73 | the state folder's disk isn't mounted, or is full |
| 74 | the disk doesn't take writes |
| 75 | the daemon before is still ending |
| 77 | a secret isn't handed over yet |

An address of the console that comes late ends nothing. After 65, 66 and 78 the service waits for a person and
`systemctl start`.

```
tablectl run --config /etc/tablectl/q1.toml          # the daemon; systemd/tablectl@.service runs it as a service
tablectl tail --broker mqtt://… --site … --table …   # what surveillance sees, and whether it is complete
tablectl record --config …  # keeps many tables in PostgreSQL; `record status` says since when complete
tablectl floor serve --config …  # shows all tables on one page: tiles, faults, devices, money
tablectl settle round.jsonl                          # settles rounds of any game, without table, broker or journal
tablectl odds football-poker                         # the exact expectation of every bet of a game
tablectl dev phases chinese-dice                     # what leads from phase to phase
tablectl prove ROUND --config …  # one round with the proof that its events are in the log; `verify` checks it offline
tablectl explain ROUND --config …  # one round: frames, facts, articles, messages, money; `recall` lists the last ones
tablectl board --config …                            # the history, and counts beside exact expectation and range
tablectl correct ROUND REASON --change Ho=50 --config …  # corrects payments, by two persons; `void` ends a round
tablectl case ROUND --config … --to FOLDER  # an incident in a folder that proves itself; `bookmark` marks a moment
tablectl journal verify /var/lib/tablectl/q1  # names the first broken link of a journal; `export`, `since`, `prune`
tablectl probe wheel --config …  # one device without a game: identity, live values, what it reports
tablectl sim run --config … --folder …  # simulated devices on their ports; `sim fault 308` jams the shuffler
tablectl dev decode PROTOCOL HEX  # explains one frame; `dev replay CAPTURE` the recorded bytes of a link
tablectl fault 308                                   # what a fault means, and what dealer and technician do
tablectl bundle --config … --to FILE.tar.gz  # what support needs, in one archive without secrets and face-down cards
tablectl upgrade-check --config …                    # whether a new build makes the same of yesterday's journal
tablectl dev schema                                  # the MQTT contract as AsyncAPI 3 with JSON Schemas
tablectl pin                                         # the hash of a PIN, for the configuration
```
"""

COLUMNS = "| command | does | options | exit status |\n|---|---|---|---|"

SENTENCE = "Exit status:"
TABLE = "Exit codes:"


def commands() -> Iterator[tuple[str, click.Command]]:
    """Every command that does something, by its words."""
    yield from _below(main, "tablectl", click.Context(main))


def _below(command: click.Command, name: str, context: click.Context) -> Iterator[tuple[str, click.Command]]:
    if not isinstance(command, click.Group) or command.invoke_without_command:
        yield name, command
    if isinstance(command, click.Group):
        for word in command.list_commands(context):
            found = command.get_command(context, word)
            assert found is not None
            yield from _below(found, f"{name} {word}", context)


def codes_of(command: click.Command) -> Mapping[int, str]:
    """What a command's help says of its exit status, by number; empty where it says nothing.

    It is one sentence, `Exit status: 0 done, 1 refused.`, or a table below `Exit codes:`, where two spaces divide.
    """
    text = inspect.cleandoc(command.help or "")
    if SENTENCE in text:
        said = " ".join(text.partition(SENTENCE)[2].partition("\n\n")[0].split()).removesuffix(".")
        parts = [part.split(" ", 1) for part in re.split(r", (?=\d+ )", said)]
        return {int(number): meaning for number, meaning in parts}
    rows = text.partition(TABLE)[2].partition("\n\n")[0]
    found = re.findall(r"(?:^|\s{2,})(\d+)\s{2}(\S.*?)(?=\s{3,}\d+\s{2}|\s{2,}\d+\s{2}\S|$)", rows, re.MULTILINE)
    return {int(number): meaning.strip() for number, meaning in found}


def page() -> str:
    """Return the whole page."""
    rows = dict(commands())
    sections: list[str] = []
    for title, group in GROUPS.items():
        names = [name for name in rows if name.split()[1] in group]
        sections.append("\n".join([f"## {title}\n", COLUMNS, *(_row(name, rows[name]) for name in names), ""]))
    return "\n".join([HEAD, *sections])


def _row(name: str, command: click.Command) -> str:
    options = [f"`{max(each.opts, key=len)}`" for each in command.params if isinstance(each, click.Option)]
    codes = "; ".join(f"{code} {meaning}" for code, meaning in sorted(codes_of(command).items()))
    return f"| `{name}` | {command.get_short_help_str(200)} | {' '.join(options)} | {codes} |"


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
