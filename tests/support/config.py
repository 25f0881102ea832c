"""A table's configuration in a file, and what is said of it."""

from pathlib import Path

import pytest
from argon2 import PasswordHasher, Type

from tablectl.config import load
from tablectl.config.errors import ConfigError
from tablectl.config.models import Config
from tablectl.config.remarks import remarks
from tablectl.rule_tables import shipped

REPOSITORY = Path(__file__).parents[2]
GOLDEN = REPOSITORY / "tests" / "golden" / "config"
DEMO = shipped("tables/q-poker.demo.toml")
SHOE = """
[table]
site = "macau"
name = "q1"
game = "q_poker"

[devices.shoe]
kind = "shoe"
protocol = "angel_eye"
port = "serial:/dev/null"
"""


def remarked(config: Config, file: Path) -> list[str]:
    """What is worth knowing of a configuration from this file, as it is printed."""
    return [str(remark) for remark in remarks(config, file)]


def complaint(file: Path, **overrides: str) -> str:
    """What `load` says of the file with these keys set over it; `__` stands for a dot."""
    with pytest.raises(ConfigError) as caught:
        load(file, {key.replace("__", "."): value for key, value in overrides.items()})
    return str(caught.value)


def hash_of(memory_cost: int, time_cost: int, parallelism: int) -> str:
    """A hash that claims such a cost, without having cost it."""
    cheap = PasswordHasher(time_cost=1, memory_cost=64, parallelism=1, type=Type.ID).hash("4711")
    return cheap.replace("m=64,t=1,p=1", f"m={memory_cost},t={time_cost},p={parallelism}")
