"""The form of the floor page's configuration."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, Field

from tablectl.config.console import console_complaints
from tablectl.config.errors import Complaint, worded
from tablectl.config.models import ConsoleSection, PersonSection
from tablectl.features.common.settings_file import load_form
from tablectl.features.recorder.brokers import broker_complaints
from tablectl.features.recorder.settings import STRICT, BrokerSection, PitBroker, Place, StoreSection, User
from tablectl.rule_tables import GameName


class FloorBrokerSection(BrokerSection):
    """The broker, and who the floor page is there."""

    user: User = Field(
        default="floor",
        description="our name at the broker; each table lists it as a subscriber that may ask `status`, `bookmark` and"
        " `acknowledge`",
    )


class FloorTablesSection(BaseModel):
    """Which tables are shown, and how fast they should play."""

    model_config = STRICT
    listen: Annotated[tuple[Place, ...], Field(strict=False, min_length=1)] = Field(
        default=("+/+",), description="`site/table`; `+` stands for all"
    )
    pace: Mapping[GameName, Annotated[int, Field(ge=1, le=1_000)]] = Field(
        default_factory=dict[str, int], description="by game: the rounds an hour that a table should play"
    )


class FloorConfig(BaseModel):
    """The configuration of `tablectl floor serve`."""

    model_config = STRICT
    broker: FloorBrokerSection = Field(default_factory=FloorBrokerSection)
    pit_brokers: Mapping[str, PitBroker] = Field(
        default_factory=dict[str, PitBroker],
        description="by the pit's name: the broker where its tables are asked; without any, all are asked at `broker`",
    )
    store: StoreSection
    tables: FloorTablesSection = Field(default_factory=FloorTablesSection)
    pits: Mapping[str, Annotated[tuple[Place, ...], Field(strict=False)]] = Field(
        default_factory=dict[str, tuple[str, ...]], description="by the pit's name: its tables as `site/table`"
    )
    console: ConsoleSection = Field(default_factory=lambda: ConsoleSection(listen="127.0.0.1:8090"))
    people: Mapping[str, PersonSection] = Field(
        default_factory=dict[str, PersonSection], description="who may sign on, as at a table's console"
    )


def load_floor_config(path: Path, overrides: Mapping[str, str]) -> FloorConfig:
    """The configuration in a file, and what is set over it.

    Raises:
        OSError: the file can't be read.
        ConfigError: with every problem at once.
    """
    return load_form(FloorConfig, path, overrides, _complaints)


def _complaints(config: FloorConfig) -> Iterator[Complaint]:
    yield from broker_complaints(config.broker, config.pit_brokers)
    yield from console_complaints(config)
    pit_of: dict[str, str] = {}
    for pit, places in config.pits.items():
        for place in places:
            if "+" in place:
                yield Complaint(("pits", pit), worded("pit_pattern", place=place))
            elif pit_of.setdefault(place, pit) != pit:
                yield Complaint(("pits", pit), worded("pit_twice", place=place, pit=pit_of[place]))
