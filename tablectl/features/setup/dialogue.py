"""Questions of `tablectl init` at the terminal.

Each answer is checked when it is given, by the configuration that it makes. Where the questions are broken off, the
answers are kept and offered again; PINs are not.
"""

import asyncio
import json
import os
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import field, replace
from difflib import get_close_matches
from pathlib import Path
from typing import Final, cast

import click

from tablectl.config.errors import render, worded
from tablectl.features.common.options import underlined
from tablectl.features.common.output import write_lines
from tablectl.features.setup.detect import detect_devices
from tablectl.features.setup.questions import ROLES, NewPerson, NewTable, toml_key, usual_ports
from tablectl.features.setup.write import misfit
from tablectl.journal.files import write_whole
from tablectl.lazy_dataclass import dataclass
from tablectl.rule_tables import GAMES, game_record
from tablectl.words import Language

LISTEN_S: Final = 1.0
"""How long a port is listened to where nobody answers: somebody waits."""

NEEDED: Final = frozenset({"site", "table", "game"})
"""What has no usual answer."""

NONE: Final = "-"
"""The answer that there are no devices."""

SIMULATED: Final = "simulated"
"""The answer that each device of the game is there, simulated."""


@dataclass(slots=True)
class Dialogue:
    """The questions of one table.

    Args:
        say: the texts in the language.
        quiet: whether nothing is asked, and what is usual holds.
        answers: those of this time; before a question is answered, those that were kept.
    """

    language: Language
    say: Mapping[str, str]
    quiet: bool
    answers: dict[str, str] = field(default_factory=dict[str, str])

    @contextmanager
    def kept_unless_done(self) -> Generator[None]:
        """Offer the answers that were kept; keep them again where no table is made."""
        if self.quiet:
            yield
            return
        file = _file()
        self.answers = _read(file)
        if self.answers:
            write_lines(self.say["init.offered"])
        try:
            yield
        except BaseException:
            with suppress(OSError):  # what can't be kept is asked again
                file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
                write_whole(file, json.dumps(self.answers).encode(), 0o600)
            raise
        with suppress(OSError):
            file.unlink(missing_ok=True)

    def ask(self, name: str, usual: str, key: str, made: Callable[[str], NewTable]) -> str:
        """An answer that the table can have.

        Args:
            name: of the question.
            key: where the answer stands in the configuration.
            made: the table with the answer.
        """
        if self.quiet:
            return usual
        while True:
            text = self._prompt(name, self.say[f"init.{name}"], usual)
            if not (wrong := misfit(made(text), (key,), self.language)):
                return self._keep(name, text)
            write_lines(wrong)

    def game(self) -> str:
        """The game."""
        while True:
            game = underlined(self._prompt("game", f"{self.say['init.game']} ({', '.join(GAMES)})", ""))
            if game in GAMES:
                return self._keep("game", game)
            self._meant(game, GAMES)

    def devices(self, table: NewTable) -> NewTable:
        """The table with the devices that are there, which the game has and needs."""
        record = game_record(table.game)
        present = record.devices if table.simulated else record.usual
        if self.quiet:
            return replace(table, devices=dict.fromkeys(present, ""))
        question = self.say["init.devices"].format(kinds=", ".join(record.devices), simulated=SIMULATED)
        while True:
            text = self._prompt("devices", question, ", ".join(present))
            simulated = text.strip() == SIMULATED
            answers = record.devices if simulated else text.split(",")
            named = [kind for each in answers if (kind := each.strip()) not in {"", NONE}]
            strange = [kind for kind in named if kind not in record.devices]
            for kind in strange:
                self._meant(kind, (*record.devices, SIMULATED))
            if strange:
                continue
            chosen = replace(table, simulated=table.simulated or simulated)
            ports = usual_ports(named, simulated=chosen.simulated)
            wrong = misfit(replace(chosen, devices=ports), ("devices", table.game), self.language)
            if not wrong:
                self._keep("devices", text)
                return replace(chosen, devices=dict.fromkeys(named, ""))
            write_lines(wrong)

    def ports(self, table: NewTable) -> dict[str, str]:
        """The devices' ports: as given, else as asked; those found are offered."""
        ports = usual_ports(table.devices, simulated=table.simulated)
        if table.simulated or self.quiet:
            return {kind: given or ports[kind] for kind, given in table.devices.items()}
        found = self._found() if not all(table.devices.values()) else {}
        for kind, given in table.devices.items():
            usual, ports[kind] = found.get(kind, ports[kind]), given
            while not ports[kind]:
                text = self._prompt(f"port {kind}", self.say["init.port"].format(kind=kind), usual)
                wrong = misfit(replace(table, devices={kind: text}), (f"devices.{kind}.port",), self.language)
                if wrong:
                    write_lines(wrong)
                else:
                    ports[kind] = self._keep(f"port {kind}", text)
        return ports

    def people(self, table: NewTable) -> Iterator[NewPerson]:
        """The persons who may sign on, without their PINs."""
        number = 0
        while name := self._prompt(f"person {number}", self.say["init.person"], ""):
            if wrong := misfit(
                replace(table, people=[NewPerson(name, "dealer")]), (f"people.{toml_key(name)}",), self.language
            ):
                write_lines(wrong)
                continue
            role = self._prompt(f"role {number}", f"{self.say['init.role']} ({', '.join(ROLES)})", "dealer")
            while role not in ROLES:
                self._meant(role, ROLES)
                role = self._prompt(f"role {number}", self.say["init.role"], "dealer")
            yield NewPerson(self._keep(f"person {number}", name), self._keep(f"role {number}", role))
            number += 1

    def _found(self) -> dict[str, str]:
        """The ports at which devices answer, by kind."""
        write_lines(self.say["init.looking"])
        with suppress(OSError):
            seen = asyncio.run(detect_devices((), LISTEN_S))
            return {each.kind: each.port for each in reversed(seen) if each.kind and not each.trouble}
        return {}

    def _prompt(self, name: str, question: str, usual: str) -> str:
        usual = self.answers.get(name, usual)
        default = None if name in NEEDED and not usual else usual
        answer: str = click.prompt(question, default=default, show_default=bool(usual))
        return answer

    def _keep(self, name: str, answer: str) -> str:
        self.answers[name] = answer
        return answer

    def _meant(self, text: str, known: Sequence[str]) -> None:
        lines = [self.say["init.unknown"].format(text=text, known=", ".join(known))]
        for nearest in get_close_matches(text, known, 1):
            lines.append(f"  {render(worded('meant', nearest=nearest), self.language)}")
        write_lines("\n".join(lines))


def _file() -> Path:
    """Where the answers are kept, by the XDG Base Directory Specification."""
    folder = os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state"
    return Path(folder) / "tablectl" / "init.json"


def _read(file: Path) -> dict[str, str]:
    try:
        form = json.loads(file.read_bytes())
    except (OSError, ValueError, RecursionError):
        return {}
    if not isinstance(form, dict):
        return {}
    answers = cast("dict[str, object]", form)
    return {name: answer for name, answer in answers.items() if isinstance(answer, str)}
