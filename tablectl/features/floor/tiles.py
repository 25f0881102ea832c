"""Tiles: every table of a floor in brief, folded from what the tables publish.

A fold of messages, without a clock of its own and without a connection.
"""

import json
import re
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field
from typing import Any, Final, TypeVar, cast

from tablectl.core.money import utc_instant
from tablectl.core.table import entry
from tablectl.features.recorder.status import TableReport
from tablectl.lazy_dataclass import dataclass
from tablectl.words import LANGUAGES
from tablectl.words.reason import everywhere

Form = Mapping[str, Any]
K = TypeVar("K")

HOUR_US: Final = 3_600_000_000
TOPICS: Final = (
    "status", "meta/info", "round/phase", "board", "fairness", "device/+/status",
    "event/round", "event/fault", "event/audit",
)  # fmt: skip
"""What the floor follows of a table: neither bets nor cards, which are most of its events."""

TABLES_MOST: Final = 10_000
"""Tables that are kept: whoever may write to the broker could invent any number of them."""

KEPT_MOST: Final = 100
"""Devices, faults, certificates and streams that are kept of one table, for the same reason."""

ENDS_MOST: Final = 1_000
"""Rounds of an hour that are counted; no table plays as many."""

_INFO: Final = ("game", "version", "rules_version", "rules_hash", "config_hash", "log", "fingerprint")
_PLACE: Final = re.compile(r"[a-z0-9-]{1,32}/[a-z0-9-]{1,32}")

GONE: Final = frozenset({"lost", "stopped"})
"""Words of `status` in which a table answers nothing."""


@dataclass(slots=True)
class Tile:
    """One table.

    Args:
        place: `<site>/<table>`.
        pace_goal: rounds an hour that it should play, by game.
        waiting: what it waits for, in every language.
        streams: the evidence of fairness, as it is published.
        revision: of the floor, when this changed last.
        faults: that stand, by code and device.
        ends: of its rounds in the last hour, UTC microseconds, rising.
        last: its newest result: `round_id`, `end`, `result`, `time`.
        program: what the last check of its installed program found.
        certificates: that end soon, by the key that names their file; each is told once.
        recorded: how complete the recorder's record of it is; None while nobody knows.
    """

    place: str
    pit: str
    pace_goal: Mapping[str, int]
    revision: int = 0
    simulated: bool = False
    status: Form = field(default_factory=dict[str, Any])
    info: Form = field(default_factory=dict[str, Any])
    phase: Form = field(default_factory=dict[str, Any])
    waiting: Form = field(default_factory=dict[str, Any])
    streams: Sequence[Form] = ()
    devices: dict[str, Form] = field(default_factory=dict[str, Form])
    faults: dict[tuple[int, str], Form] = field(default_factory=dict[tuple[int, str], Form])
    ends: deque[int] = field(default_factory=lambda: deque[int](maxlen=ENDS_MOST))
    last: Form | None = None
    program: Form = field(default_factory=dict[str, Any])
    certificates: dict[str, Form] = field(default_factory=dict[str, Form])
    recorded: Form | None = None

    @property
    def game(self) -> str:
        """The game's name; empty until the table has told it."""
        return str(self.info.get("game", ""))

    def form(self) -> dict[str, Any]:
        """The tile for pages."""
        return {
            "place": self.place,
            "pit": self.pit,
            "game": self.game,
            "simulated": self.simulated,
            "status": self.status.get("state", ""),
            "status_since": self.status.get("since", ""),
            "phase": self.phase.get("phase", ""),
            "phase_since": self.phase.get("since", ""),
            "round_id": self.phase.get("round_id"),
            "waiting": self.waiting,
            "pace": len(self.ends),
            "pace_goal": self.pace_goal.get(self.game),
            "last": self.last,
            "alarms": list(self.faults.values()),
            "fairness_alarms": sum(each.get("alarmed") is True for each in self.streams),
            "recorded": self.recorded,
            "version": self.info.get("version", ""),
            "program": self.program.get("result", ""),
        }

    def build_form(self) -> dict[str, Any]:
        """The table's program, key and certificates."""
        return {
            "place": self.place,
            **_texts(self.info, *_INFO),
            "program": self.program,
            "certificates": sorted(self.certificates.values(), key=lambda each: each["until"]),
        }


@dataclass(slots=True)
class Floor:
    """All tables.

    Args:
        pits: by place: the pit's name.
        pace_goal: rounds an hour, by game.
        revision: counts the changes.
        unasked: the tables whose state is to be asked for, in order.
    """

    pits: Mapping[str, str]
    pace_goal: Mapping[str, int]
    tiles: dict[str, Tile] = field(default_factory=dict[str, Tile])
    revision: int = 0
    unasked: dict[str, None] = field(default_factory=dict[str, None])
    _watchers: list[Callable[[], None]] = field(default_factory=list[Callable[[], None]])
    _told: int = 0

    def subscribe(self, changed: Callable[[], None]) -> Callable[[], None]:
        """Calls `changed` after changes that `tell` reports; returns what ends that."""
        self._watchers.append(changed)
        return lambda: self._watchers.remove(changed)

    def tell(self) -> None:
        """Tell whoever follows the floor, if something has changed since the last time."""
        if self._told != self.revision:
            self._told = self.revision
            for changed in tuple(self._watchers):
                changed()

    def changed(self, tile: Tile | None = None) -> None:
        """Note that a tile, or something of the whole floor, is another now."""
        self.revision += 1
        if tile is not None:
            tile.revision = self.revision

    def since(self, revision: int) -> list[Tile]:
        """The tiles that changed after a revision, by place."""
        return sorted((tile for tile in self.tiles.values() if tile.revision > revision), key=lambda tile: tile.place)

    def take(self, topic: str, payload: bytes) -> None:
        """Take a message of a table; one that isn't what its topic says changes nothing.

        Args:
            topic: `tablectl/v1/<site>/<table>/…`.
        """
        _, _, site, table, rest = topic.split("/", 4)
        if not _PLACE.fullmatch(f"{site}/{table}"):
            return
        try:
            form = parse(payload)
            data = cast("Form", form["data"])
            tile = self._tile(f"{site}/{table}")
            if tile is not None:
                self._fold(tile, rest, form, data)
        except (ValueError, TypeError, LookupError, AttributeError, RecursionError):
            return

    def _fold(self, tile: Tile, rest: str, form: Form, data: Form) -> None:
        match rest.split("/"):
            case ["event", _]:
                self._event(tile, str(form["type"]).removeprefix("mo.tablectl."), form, data)
                return
            case ["status"]:
                tile.status = _texts(data, "state", "session", "since")
                if tile.status["state"] not in GONE:  # it may have come back, and missed what it was asked
                    self.unasked[tile.place] = None
            case ["meta", "info"]:
                tile.info, tile.simulated = _texts(data, *_INFO), form.get("simulated") is True
            case ["round", "phase"]:
                tile.phase, tile.waiting = _texts(data, "round_id", "phase", "since"), _said(data.get("waiting"))
            case ["fairness"]:
                tile.streams = [each for each in data["streams"][:KEPT_MOST] if isinstance(each, Mapping)]
            case ["device", name, "status"]:
                identity = _texts(cast("Form", data["identity"]), "serial", "maker", "model")
                told = _texts(data, "state", "reason", "firmware")
                device = {"name": name, **told, "identity": identity, "simulated": data.get("simulated") is True}
                _keep(tile.devices, name, device)
            case ["board"]:
                self._board(tile, data)
            case _:
                return
        self.changed(tile)

    def _board(self, tile: Tile, data: Form) -> None:
        if data["last"]:
            newest = _texts(cast("Form", data["last"][-1]), "round_id", "result", "settled")
            if tile.last is None or tile.last["time"] <= newest["settled"]:
                tile.last = {**newest, "end": "settled", "time": newest["settled"]}

    def _event(self, tile: Tile, kind: str, form: Form, data: Form) -> None:
        match kind:
            case "round.settled.v1" | "round.void.v1":
                self.ended(tile.place, utc_instant(str(form["time"])))
                if kind == "round.void.v1":
                    reason = _texts(data, "round_id", "reason")
                    tile.last = {**reason, "end": "void", "result": reason["reason"], "time": str(form["time"])}
            case "fault.raised.v1" | "fault.cleared.v1" | "fault.acknowledged.v1":
                self._fault(tile, kind, str(form["time"]), data)
            case "audit.program_verified.v1":
                tile.program = _texts({**data, "time": form["time"]}, "result", "version", "program", "time")
            case "audit.certificate_expiring.v1":
                ends = _texts(data, "file", "fingerprint", "until")
                _keep(tile.certificates, ends["file"], ends)
            case _:
                return
        self.changed(tile)

    def _fault(self, tile: Tile, kind: str, time: str, data: Form) -> None:
        """Fold what a fault's event says; the table is asked for the whole as well.

        Only the table knows whether a fault whose cause is gone still waits for somebody's acknowledgement.
        """
        fault = _fault({**data, "present": True, "acknowledged_by": None, "since": time})
        key = fault["code"], fault["device"]
        known = tile.faults.get(key, {})
        if kind == "fault.raised.v1":
            _keep(tile.faults, key, {**fault, "since": known.get("since", time)})
        elif kind == "fault.cleared.v1":
            tile.faults.pop(key, None)
        elif known:
            tile.faults[key] = {**known, "acknowledged_by": str(data["by"])}
        self.unasked[tile.place] = None

    def answered(self, place: str, data: Form) -> None:
        """Take a table's own account: its status, its phase, and the faults that stand.

        Raises:
            ValueError, TypeError, LookupError, AttributeError: it isn't one.
        """
        tile = self.tiles.get(place)
        if tile is None:
            return
        tile.status = _texts(cast("Form", data["status"]), "state", "session", "since")
        self._fold(tile, "round/phase", {}, {"since": tile.phase.get("since"), **data["round"]})
        found = {(fault["code"], fault["device"]): fault for fault in map(_fault, data["faults"][:KEPT_MOST])}
        tile.faults = {key: {**fault, "since": tile.faults.get(key, fault)["since"]} for key, fault in found.items()}
        self.changed(tile)

    def ended(self, place: str, at_us: int | None) -> None:
        """Count a round that ended then."""
        tile = self._tile(place)
        if tile is not None and at_us is not None:
            if tile.ends and at_us < tile.ends[-1]:  # what the recorder had before we came, or a doubled message
                tile.ends = deque(sorted({*tile.ends, at_us}), ENDS_MOST)
            elif not tile.ends or at_us > tile.ends[-1]:
                tile.ends.append(at_us)
            self.changed(tile)

    def pass_time(self, now_us: int) -> None:
        """Forget the rounds that ended more than an hour ago."""
        for tile in self.tiles.values():
            if tile.ends and tile.ends[0] < now_us - HOUR_US:
                while tile.ends and tile.ends[0] < now_us - HOUR_US:
                    tile.ends.popleft()
                self.changed(tile)

    def record(self, reports: Sequence[TableReport]) -> None:
        """Take how complete the record of each table is."""
        for report in reports:
            tile = self._tile(report.place)
            recorded = {"complete": report.complete, "wrong": list(map(everywhere, _wrong(report)))}
            if tile is not None and tile.recorded != recorded:
                tile.recorded = recorded
                self.changed(tile)

    def _tile(self, place: str) -> Tile | None:
        tile = self.tiles.get(place)
        if tile is None and len(self.tiles) < TABLES_MOST:
            tile = self.tiles[place] = Tile(place, self.pits.get(place, ""), self.pace_goal)
            self.changed(tile)
        return tile


def parse(payload: bytes) -> Form:
    """The JSON in a payload, which screens can be sent again.

    Raises:
        ValueError, RecursionError: it is none; or it has a number that JSON lacks, or half a character.
    """
    form = json.loads(payload)
    json.dumps(form, ensure_ascii=False, allow_nan=False).encode()
    return cast("Form", form)


def _keep(kept: dict[K, Form], key: K, form: Form) -> None:
    if key in kept or len(kept) < KEPT_MOST:
        kept[key] = form


def _texts(form: Form, *names: str) -> dict[str, str]:
    """These fields of a form as texts; empty ones for those that it lacks."""
    return {name: "" if (value := form.get(name)) is None else str(value) for name in names}


def _said(texts: object) -> dict[str, str]:
    """Texts by language; none where it isn't that."""
    return _texts(cast("Form", texts), *LANGUAGES) if isinstance(texts, Mapping) else {}


def _fault(form: Form) -> dict[str, Any]:
    """A fault as its event or the table's answer has it, for pages.

    Raises:
        ValueError: it has no number.
    """
    code, by = int(form["code"]), form.get("acknowledged_by")
    line = entry(code)
    steps = {name: _said(form.get(name)) for name in ("text", "dealer", "technician")}
    return {
        "code": code,
        **_texts(form, "device", "detail", "since"),
        **steps,
        "severity": line.severity.value,
        "clears": line.clears.value,
        "present": form.get("present") is True,
        "acknowledged_by": None if by is None else str(by),
    }


def _wrong(report: TableReport) -> Iterator[str]:
    if report.disputes:
        yield f"DISPUTED: {report.disputes}"
    for log in report.logs:
        if not log.complete:
            yield from log.wrong
    if not report.logs:
        yield "nothing was ever heard of it"


def devices_of(floor: Floor, serial: str = "") -> list[dict[str, Any]]:
    """The devices of all tables, each with its table, by serial number.

    Args:
        serial: only those whose serial number, maker or model has this in it; any letters' case.
    """
    wanted = serial.casefold()
    found: list[dict[str, Any]] = []
    for tile in floor.tiles.values():
        for device in tile.devices.values():
            if not wanted or any(wanted in each.casefold() for each in device["identity"].values()):
                found.append({"place": tile.place, **device})
    return sorted(found, key=lambda each: (each["identity"]["serial"], each["place"], each["name"]))
