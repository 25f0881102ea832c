"""The form of a table's configuration: its keys, what they may say, and what holds without them."""

from collections.abc import Mapping
from typing import Annotated, Final, Literal

from pydantic import BaseModel, ConfigDict, Field

from tablectl.core.games.q_poker.state import MOST_PLACES
from tablectl.shell.config_values import (
    AbsolutePath,
    Amount,
    BaudRate,
    Broker,
    Listen,
    Name,
    OnePack,
    PinHash,
    Port,
)
from tablectl.shell.rules import GameName
from tablectl.words import Language

STRICT: Final = ConfigDict(extra="forbid", frozen=True, strict=True)

Level = Literal["debug", "info", "warning", "error"]
Role = Literal["dealer", "supervisor", "technician", "surveillance"]


class TableSection(BaseModel):
    """Which table this is. Site and name are parts of every topic, and stay when the machine is replaced."""

    model_config = STRICT
    site: Name = Field(description="the house, as in topics")
    name: Name = Field(description="the table, as in topics; unique within the site")
    game: GameName = Field(description="what is played")
    language: Language = Field(default="en", description="the language of the dealer's screen")


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


class MqttSection(BaseModel):
    """The broker that surveillance reads from. The table plays on without it and catches up."""

    model_config = STRICT
    url: Broker = Field(
        default="mqtt://127.0.0.1:1883", description="`mqtt://host:port`, or `mqtts://host:port` with TLS"
    )
    username: str = Field(default="", description="the broker's name for this table; empty: none")
    password_file: AbsolutePath | None = Field(
        default=None, description="a file with the password, readable by the daemon only"
    )
    ca_file: AbsolutePath | None = Field(
        default=None, description="who may have signed the broker's certificate; else the system's"
    )
    cert_file: AbsolutePath | None = Field(default=None, description="this table's own certificate")
    key_file: AbsolutePath | None = Field(default=None, description="the key of `cert_file`")
    keepalive_s: int = Field(default=15, ge=2, le=600, description="seconds between signs of life")
    timeout_s: float = Field(default=10.0, ge=0.5, le=60, description="seconds of any wait on the broker")
    protocol: Literal["5"] = Field(default="5", description="the version of MQTT")


class ConsoleSection(BaseModel):
    """The dealer's screen and the API behind it."""

    model_config = STRICT
    listen: Listen = Field(default="127.0.0.1:8080", description="`host:port` on this machine; port 0 is any free one")
    sign_on_timeout_s: int = Field(
        default=900, ge=10, le=86_400, description="seconds without a request until a person signs on anew"
    )


class PersonSection(BaseModel):
    """A person who may sign on at the console; his name here is the `by` of what he does."""

    model_config = STRICT
    role: Role = Field(description="what he may do")
    pin_hash: PinHash = Field(description="the Argon2id hash of his PIN")
    simulated: bool = Field(default=False, description="whether this is nobody real: for demonstrations")


class Identity(BaseModel):
    """The approved device; an empty text stands for any."""

    model_config = STRICT
    maker: str = ""
    model: str = ""
    serial: str = ""
    firmware: str = ""


class ShoeSection(BaseModel):
    """A shoe that reads its cards."""

    model_config = STRICT
    kind: Literal["shoe"] = Field(description="what it is")
    protocol: Literal["angel_eye"] = Field(description="what it speaks; its port is its identity")
    port: Port = Field(description="`serial:<path>` or `tcp://host:port`; a relative path lies in the runtime folder")
    baudrate: BaudRate = Field(default=4800, description="bits per second")
    simulated: bool = Field(default=False, description="whether a simulator is at the other end")
    bcc_includes_stx: bool = Field(
        default=False, description="which reading of a command's check characters the shoe wants"
    )
    vote_window_ms: int = Field(
        default=600, ge=50, le=5000, description="how long the three copies of a report are waited for"
    )
    read_only: bool = Field(default=True, description="only listened to, never commanded")


class ShufflerSection(BaseModel):
    """A shuffler."""

    model_config = STRICT
    kind: Literal["shuffler"] = Field(description="what it is")
    protocol: Literal["link"] = Field(description="what it speaks")
    port: Port = Field(description="`serial:<path>` or `tcp://host:port`; a relative path lies in the runtime folder")
    baudrate: BaudRate = Field(default=115_200, description="bits per second")
    simulated: bool = Field(default=False, description="whether a simulator is at the other end")
    expect: Identity = Field(default=Identity(), description="the approved device; an empty text: any")


Device = Annotated[ShoeSection | ShufflerSection, Field(discriminator="kind")]


class Stakes(BaseModel):
    """The limits of one bet, as decimal texts such as `"50"` or `"0.50"`."""

    model_config = STRICT
    least: Amount = 50_00
    most: Amount = 5000_00
    step: Amount = 50_00


class QPokerSection(BaseModel):
    """Q Poker, regulation 89/2004."""

    model_config = STRICT
    places: int = Field(default=7, ge=1, le=MOST_PLACES, description="the bettors' places (art. 2)")
    dealing: Literal["shoe", "shuffler"] = Field(
        default="shoe", description="unless the dealer asks otherwise (art. 7)"
    )
    stakes: Stakes = Field(default=Stakes(), description="the limits of one bet")
    packs: OnePack = Field(default=1, description="of 52 cards: one (art. 1)")
    shoe: str = Field(default="", description="the shoe's name under `devices`; empty: the only one")
    shuffler: str = Field(default="", description="the shuffler's name under `devices`; empty: the only one")


class StorageSection(BaseModel):
    """The journal's disk."""

    model_config = STRICT
    low_water_mib: int = Field(
        default=64, ge=1, le=1_000_000, description="MiB of free space below which no new round begins"
    )


class LogSection(BaseModel):
    """What the daemon says of itself, to standard error. It isn't the journal."""

    model_config = STRICT
    level: Level = Field(default="info", description="from which level on")
    format: Literal["auto", "json", "text"] = Field(default="auto", description="auto: text on a terminal, else JSON")


class Config(BaseModel):
    """A table's whole configuration."""

    model_config = STRICT
    table: TableSection
    paths: PathsSection = PathsSection()
    mqtt: MqttSection = MqttSection()
    console: ConsoleSection = ConsoleSection()
    people: Mapping[Name, PersonSection] = Field(default_factory=dict)
    devices: Mapping[Name, Device] = Field(default_factory=dict)
    q_poker: QPokerSection = QPokerSection()
    storage: StorageSection = StorageSection()
    log: LogSection = LogSection()
