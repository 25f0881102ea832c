"""The form of the recorder's configuration."""

import re
from collections.abc import Mapping
from typing import Annotated, Final, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field
from pydantic_core import PydanticCustomError

from tablectl.config.values import Listen
from tablectl.features.recorder.keys import Pins

STRICT: Final = ConfigDict(extra="forbid", frozen=True, strict=True)

_PLACE: Final = re.compile(r"(\+|[a-z0-9-]{1,32})/(\+|[a-z0-9-]{1,32})")
_FINGERPRINT: Final = re.compile(r"sha256:[0-9a-f]{64}")
_USER: Final = re.compile(r"[A-Za-z0-9._-]{1,64}")
_PASSWORD: Final = re.compile(r"//[^/@]*:[^/@]*@|\bpassword\s*=")


def _matching(form: re.Pattern[str], message: str, hint: str) -> AfterValidator:
    def check(text: str) -> str:
        """Return the text if it matches.

        Raises:
            PydanticCustomError: it doesn't.
        """
        if not form.fullmatch(text):
            raise PydanticCustomError("house", "{message}", {"message": message, "hint": hint})
        return text

    return AfterValidator(check)


def _store(url: str) -> str:
    if not url.startswith(("sqlite:/", "postgresql://", "postgres://")):
        message = "a store is postgresql://… as libpq takes it, or sqlite: with a path that begins with /"
        raise PydanticCustomError("house", "{message}", {"message": message, "hint": 'such as "postgresql:///floor"'})
    if _PASSWORD.search(url):
        hint = "use ?passfile=/…, or PostgreSQL's peer or certificate authentication"
        raise PydanticCustomError("house", "{message}", {"message": "an address holds no password", "hint": hint})
    return url


Place = Annotated[str, _matching(_PLACE, "a table is site/table as in topics; + stands for all", 'such as "macau/+"')]
Fingerprint = Annotated[
    str,
    _matching(_FINGERPRINT, "a fingerprint is sha256: and 64 hexadecimal digits", "log.pub's, as `init` prints it"),
]
User = Annotated[str, _matching(_USER, "a user's name has letters, digits, dots, underscores and hyphens", "")]


class ServerSection(BaseModel):
    """How to reach a broker."""

    model_config = STRICT
    url: str = Field(default="mqtt://127.0.0.1:1883", description="`mqtt://host:port`, or `mqtts://host:port` with TLS")
    others: Annotated[tuple[str, ...], Field(strict=False)] = Field(
        default=(), description="the other nodes of a cluster, likewise: tried in turn when one is away"
    )
    password_file: str | None = Field(
        default=None, description="a file with the password; with it, we log in as `broker.user`"
    )
    ca_file: str | None = Field(default=None, description="who may have signed the broker's certificate")
    cert_file: str | None = Field(default=None, description="our own certificate")
    key_file: str | None = Field(default=None, description="the key of `cert_file`")
    protocol: Literal["5", "3.1.1"] = Field(default="5", description="the version of MQTT")
    timeout_s: float = Field(default=10.0, ge=0.5, le=60, description="seconds of any wait on the broker")


class BrokerSection(ServerSection):
    """The broker that brings the events, and who the recorder is at every broker."""

    shards: int = Field(
        default=0,
        ge=0,
        le=256,
        description="into how many parts the nodes deal the tables (`nats-shards.conf`), which several recorders share;"
        " 0: they deal none, and one recorder keeps all",
    )
    user: User = Field(
        default="recorder",
        description="our name at the broker; requests go out under it, so with certificates it is the CN",
    )


class PitBroker(ServerSection):
    """A pit's own broker, where its tables are asked.

    Behind a bridge nobody could tell who asks.
    """

    tables: Annotated[tuple[Place, ...], Field(strict=False, min_length=1)] = Field(
        description="`site/table` of the tables in this pit; `+` stands for all"
    )


class StoreSection(BaseModel):
    """Where the recorder keeps what it records."""

    model_config = STRICT
    url: Annotated[str, AfterValidator(_store)] = Field(
        description="`postgresql://…` as libpq takes it, or `sqlite:/path` for one room"
    )


class TablesSection(BaseModel):
    """Which tables are recorded, and whose keys are believed."""

    model_config = STRICT
    listen: Annotated[tuple[Place, ...], Field(strict=False, min_length=1)] = Field(
        default=("+/+",), description="`site/table`; `+` stands for all"
    )
    trust: Literal["pinned", "first_use"] = Field(
        default="pinned",
        description="`first_use` believes the first key of a table without a fingerprint, and says so",
    )
    policy: str | None = Field(
        default=None,
        description="a file that says which witnesses have to cosign the tables' checkpoints; without it nobody has to",
    )


class MetricsSection(BaseModel):
    """The recorder's figures for Prometheus."""

    model_config = STRICT
    listen: Listen | None = Field(
        default=None,
        description="`host:port` of this machine where `/metrics` (OpenMetrics) is served, in the clear and to whoever"
        " asks; without it nothing listens",
    )


class RecordConfig(BaseModel):
    """A recorder's configuration."""

    model_config = STRICT
    broker: BrokerSection = Field(default_factory=BrokerSection)
    pit_brokers: Mapping[str, PitBroker] = Field(
        default_factory=dict[str, PitBroker],
        description="by the pit's name: the broker where its tables are asked; without any, all are asked at `broker`",
    )
    store: StoreSection
    tables: TablesSection = Field(default_factory=TablesSection)
    metrics: MetricsSection = Field(default_factory=MetricsSection)
    keys: Mapping[Place, Annotated[tuple[Fingerprint, ...], Field(strict=False)]] = Field(
        default_factory=dict[str, tuple[str, ...]],
        description="by `site/table`: the fingerprints of the keys that are believed",
    )


def pins_of(config: RecordConfig) -> Pins:
    """Return the keys that are trusted to begin with."""
    keys = {place: frozenset(fingerprints) for place, fingerprints in config.keys.items()}
    return Pins(keys, first_use=config.tables.trust == "first_use")
