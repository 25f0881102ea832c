"""Models of a table's configuration: keys, possible values, and defaults."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal, Protocol, get_args
from urllib.parse import urlsplit

from pydantic import BaseModel, Field, PrivateAttr, create_model, model_validator

from tablectl.config.devices import Device
from tablectl.config.games import GameSection
from tablectl.config.values import (
    STRICT,
    AbsolutePath,
    Amount,
    Area,
    Broker,
    HostName,
    Level,
    Listen,
    Name,
    PinHash,
    SecretPath,
    UsbId,
    is_loopback,
    unfit,
)
from tablectl.core.games import GAMES
from tablectl.proof.note import NoteError
from tablectl.rule_tables import GameName, part
from tablectl.words import Language

Role = Literal["dealer", "supervisor", "technician", "surveillance"]
Verb = Literal["replay", "recall", "status", "bookmark", "acknowledge", "prove", "verify"]
Family = Literal["round", "bet", "card", "draw", "wheel", "dice", "fault", "fairness", "audit"]


USB_DEVICES: Final = "/sys/bus/usb/devices"


class TableSection(BaseModel):
    """The table's identity: site and name.

    They are parts of every topic, and stay when the machine is replaced.
    """

    model_config = STRICT
    site: Name = Field(description="the house, as in topics")
    name: Name = Field(description="the table, as in topics; unique within the site")
    game: GameName = Field(description="what is played")
    language: Language = Field(default="en", description="the language of the dealer's screen")
    by_hand_limit: Amount = Field(
        default=0,
        description="the most that corrections by hand may come to, amounts given and taken alike, for a round that "
        'amendments no longer reach; `"0"`: it isn\'t corrected at the table',
    )


class PathsSection(BaseModel):
    """Where the table keeps its things."""

    model_config = STRICT
    state: AbsolutePath | None = Field(
        default=None,
        description="the journal; else `$STATE_DIRECTORY`, else `/var/lib/tablectl/<table>`",
    )
    runtime: AbsolutePath | None = Field(
        default=None, description="sockets and locks; else `$RUNTIME_DIRECTORY`, else `/run/tablectl`"
    )
    copy_to: AbsolutePath | None = Field(
        default=None,
        description="a folder on another medium, made before, in which a second copy of the journal is kept; else none",
    )


class MqttSection(BaseModel):
    """The broker that surveillance reads from.

    The table plays on without it and catches up.
    """

    model_config = STRICT
    url: Broker = Field(
        default="mqtt://127.0.0.1:1883", description="`mqtt://host:port`, or `mqtts://host:port` with TLS"
    )
    username: str = Field(default="", description="the broker's name for this table; empty: none")
    password_file: SecretPath | None = Field(
        default=None,
        description="a file with the password, readable by the daemon only, or `credential:<name>` from systemd",
    )
    ca_file: AbsolutePath | None = Field(
        default=None, description="who may have signed the broker's certificate; else the system's"
    )
    cert_file: AbsolutePath | None = Field(default=None, description="this table's own certificate")
    key_file: SecretPath | None = Field(
        default=None, description="the key of `cert_file`, or `credential:<name>` from systemd"
    )
    keepalive_s: int = Field(default=15, ge=2, le=600, description="seconds between signs of life")
    timeout_s: float = Field(default=10.0, ge=0.5, le=60, description="seconds of any wait on the broker")
    restricted_cards: bool = Field(
        default=False,
        description="whether cards are published on `restricted/card` as they are read, while they lie face down",
    )
    protocol: Literal["5", "3.1.1"] = Field(
        default="5", description='the version of MQTT; `"3.1.1"` for brokers without 5: no properties, no reasons'
    )


class ConsoleSection(BaseModel):
    """The dealer's screen and the API behind it."""

    model_config = STRICT
    listen: Listen = Field(default="127.0.0.1:8080", description="`host:port` on this machine; port 0 is any free one")
    sign_on_timeout_s: int = Field(
        default=900, ge=10, le=86_400, description="seconds without a request until a person signs on anew"
    )
    cert_file: AbsolutePath | None = Field(
        default=None, description="the console's own certificate, PEM; without one it listens on this machine only"
    )
    key_file: AbsolutePath | None = Field(default=None, description="the key of `cert_file`")
    client_ca_file: AbsolutePath | None = Field(
        default=None, description="who signs the certificates with which people sign on, PEM; none: by PIN only"
    )
    client_crl_file: AbsolutePath | None = Field(
        default=None,
        description="the certificates that `client_ca_file` has revoked, a CRL in PEM, read at each start; one that has"
        " run out lets no certificate in; none: nobody looks",
    )
    hosts: Annotated[tuple[HostName, ...], Field(strict=False)] = Field(
        default=(),
        description="the names and addresses by which browsers call this machine, beside that of `listen` and"
        " those of the machine itself",
    )
    list_people: bool = Field(
        default=True, description="whether a screen may offer the names of those who may sign on, before anybody has"
    )
    metrics: bool = Field(
        default=False,
        description="whether `/metrics` gives the table's figures to Prometheus (OpenMetrics), to whoever asks",
    )


class PersonSection(BaseModel):
    """A person who may sign on at the console.

    Their name here is the `by` of what they do.
    """

    model_config = STRICT
    role: Role = Field(description="what they may do")
    pin_hash: PinHash | None = Field(
        default=None, description="the Argon2id hash of their PIN; without it they sign on by certificate only"
    )
    certificate: str = Field(
        default="", max_length=64, description="the common name in their certificate, which signs them on without a PIN"
    )
    simulated: bool = Field(default=False, description="whether this is nobody real: for demonstrations")

    @model_validator(mode="after")
    def _is_known(self) -> "PersonSection":
        if self.pin_hash is None and not self.certificate:
            raise unfit("sign_on", "sign_on_hint")
        return self


class Served(Protocol):
    """A configuration with a console and the people who may sign on there."""

    @property
    def console(self) -> ConsoleSection:
        """The console."""
        ...

    @property
    def people(self) -> Mapping[str, PersonSection]:
        """The people, by name."""
        ...


def _is_witness_url(url: str) -> bool:
    """Return True where a witness may be asked: by TLS, or at this machine."""
    try:
        address = urlsplit(url)
        host, port, more = address.hostname or "", address.port, (address.username, address.query, address.fragment)
    except ValueError:
        return False
    is_safe = address.scheme == "https" or (address.scheme == "http" and is_loopback(host))
    return bool(host) and port != 0 and not any(more) and is_safe


class WitnessSection(BaseModel):
    """A witness that cosigns this table's checkpoints (C2SP `tlog-witness`).

    The table never waits for it.
    """

    model_config = STRICT
    url: str = Field(description="where it is asked: `https://host/…`, or `http://` at this machine")
    key: str = Field(description="its public key, as `tablectl witness key` prints it")
    ca_file: AbsolutePath | None = Field(
        default=None, description="who signs its certificate; else the system's authorities"
    )

    @model_validator(mode="after")
    def _fits(self) -> "WitnessSection":
        if not _is_witness_url(self.url):
            raise unfit("witness_url", "witness_url_hint")
        from tablectl.proof.cosignature import read_witness_key  # noqa: PLC0415 - few tables have witnesses

        try:
            read_witness_key(self.key)
        except NoteError:
            raise unfit("witness_key", "witness_key_hint") from None
        return self


class SubscriberSection(BaseModel):
    """A user of the broker who may send this table requests on `req/<name>/…`.

    Without one, nobody may. Their name here is their user name at the broker, which has to keep everybody else from
    their topics (docs/feed.md).
    """

    model_config = STRICT
    may: Annotated[tuple[Verb, ...], Field(strict=False)] = Field(
        description="what they may ask for: `replay`, `recall`, `status`, `bookmark`, `acknowledge`, `prove`, `verify`"
    )
    reads: Annotated[tuple[Family, ...], Field(strict=False)] = Field(
        default=(),
        description="the events that they are given: `round`, `bet`, `card`, `draw`, `wheel`, `dice`, `fault`,"
        " `fairness`, `audit`; a proof has all of them",
    )
    role: Role | None = Field(default=None, description="whose acknowledgement theirs counts as")

    @model_validator(mode="after")
    def _fits(self) -> "SubscriberSection":
        if "acknowledge" in self.may and self.role is None:
            raise unfit("acknowledge_role", "acknowledge_role_hint")
        given = {"replay", "recall", "prove"}.intersection(self.may)
        if given and not self.reads:
            raise unfit("reads_nothing", "reads_nothing_hint", verb=sorted(given)[0])
        # What came later than these configurations and tells nothing of a round need not be in them.
        if "prove" in self.may and not set(get_args(Family)) - {"fairness"} <= set(self.reads):
            raise unfit("proves_unread", "proves_unread_hint")
        return self


class StorageSection(BaseModel):
    """The journal's disk."""

    model_config = STRICT
    low_water_mib: int = Field(
        default=64, ge=1, le=1_000_000, description="MiB of free space below which no new round begins"
    )


class CaptureSection(BaseModel):
    """Capture of the raw bytes of every link, beside the journal.

    Only their owner can read them (docs/protocols/capture.md).
    """

    model_config = STRICT
    enabled: bool = Field(default=True, description="whether they are kept")
    files: int = Field(default=8, ge=2, le=1000, description="so many files at most; the oldest goes first")
    megabytes: int = Field(default=4, ge=1, le=1000, description="MiB of one file")


class UsbSection(BaseModel):
    """USB devices that may be plugged into this machine.

    They are the table's devices, hubs, and those that are named here. Any other is fault 711.
    """

    model_config = STRICT
    watch: bool = Field(default=False, description="whether anybody looks")
    expected: Annotated[tuple[UsbId, ...], Field(strict=False)] = Field(
        default=(),
        description="what belongs to the machine itself, as `VID:PID` or `VID:PID:serial`; `tablectl detect` lists it",
    )
    devices: AbsolutePath = Field(
        default=USB_DEVICES, description="where the kernel lists what is plugged in; another folder is a simulated one"
    )


class FairnessSection(BaseModel):
    """The house's budget of false alarms.

    No more fair devices, dealers and bets are suspected (docs/fairness.md).
    """

    model_config = STRICT
    years: int = Field(default=20, ge=1, le=1000, description="years in which one false alarm is expected at most")
    tables: int = Field(default=1, ge=1, le=100_000, description="tables of the house, which share those years")


class LogSection(BaseModel):
    """The daemon's operational log, on standard error.

    It isn't the journal.
    """

    model_config = STRICT
    level: Level = Field(default="info", description="from which level on; `trace` also writes each frame in words")
    levels: Mapping[Area, Level] = Field(
        default_factory=dict[Area, Level], description='another level for some areas, as `{ drivers = "trace" }`'
    )
    format: Literal["auto", "json", "text"] = Field(default="auto", description="auto: text on a terminal, else JSON")


class _Head(BaseModel):
    """Sections that stand before the games' own."""

    model_config = STRICT
    table: TableSection
    paths: PathsSection = PathsSection()
    mqtt: MqttSection = MqttSection()
    console: ConsoleSection = ConsoleSection()
    people: Mapping[Name, PersonSection] = Field(default_factory=dict)
    devices: Mapping[Name, Device] = Field(default_factory=dict)


if TYPE_CHECKING:
    _WithGames = _Head
else:
    _SECTIONS = {name: part(game.section) for name, game in GAMES.items()}
    _WithGames = create_model(
        "_WithGames", __base__=_Head, **{name: (section, section()) for name, section in _SECTIONS.items()}
    )


class Config(_WithGames):
    """A table's whole configuration: each game's section by its name."""

    subscribers: Mapping[Name, SubscriberSection] = Field(default_factory=dict)
    witnesses: Mapping[Name, WitnessSection] = Field(default_factory=dict)
    storage: StorageSection = StorageSection()
    capture: CaptureSection = CaptureSection()
    usb: UsbSection = UsbSection()
    fairness: FairnessSection = FairnessSection()
    log: LogSection = LogSection()
    _options: tuple[str, ...] = PrivateAttr(default=())

    @property
    def options(self) -> Sequence[str]:
        """The options by which another command finds this configuration.

        There are none where it was made in memory.
        """
        return self._options

    def found_by(self, path: Path, overrides: Mapping[str, str]) -> None:
        """Keep where it was read, and what was set over it."""
        settings = (f"{key}={value}" for key, value in overrides.items())
        self._options = ("--config", str(path.absolute()), *(word for each in settings for word in ("--set", each)))

    @property
    def game(self) -> GameSection:
        """The section of the game that this table plays."""
        section: GameSection = self.section(self.table.game)
        return section

    def section(self, game: str) -> Any:
        """The section of this game, which may be another one than is played."""
        return getattr(self, game)
