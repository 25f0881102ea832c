"""Configuration of a table: TOML in, checked values out, errors with line numbers."""

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Final

from pydantic import ValidationError

from tablectl.config.checks import complaints
from tablectl.config.errors import Complaint, ConfigError
from tablectl.config.models import Config, Served
from tablectl.config.source import Source, placed, read_source
from tablectl.config.validation import misfits
from tablectl.config.values import is_everywhere, split_address
from tablectl.core.bets.ratios import Ratio
from tablectl.core.bets.stakes import BetLimits, BetPays, Limits

NOTHING_SET: Final[Mapping[str, str]] = MappingProxyType({})


def load(path: Path, overrides: Mapping[str, str] = NOTHING_SET, *, at_work: bool = False) -> Config:
    """The configuration in a file.

    Args:
        overrides: dotted keys with TOML values, or texts without quotes, in place of the file's.
        at_work: whether money is to be settled by it, so that a real wheel has to be measured.

    Raises:
        OSError: the file can't be read.
        ConfigError: with every problem at once; those of values that go together only when the form is right.
    """
    source = read_source(path, overrides)
    config = _formed(source)
    if found := tuple(complaints(config)) or (_unmeasured(config) if at_work else ()):
        raise _error(found, source)
    config.found_by(path, overrides)
    return config


def _unmeasured(config: Config) -> tuple[Complaint, ...]:
    if config.table.game != "wheel_of_fortune":
        return ()
    from tablectl.config.wheel import unmeasured

    return tuple(unmeasured(config))


def config_hash(config: Config) -> str:
    """Return the SHA-256 of the settings, without the secrets, in hexadecimal."""
    secrets = {"people": {"__all__": {"pin_hash"}}}
    form = config.model_dump(mode="json", exclude=secrets)
    return hashlib.sha256(json.dumps(form, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def limits_of(config: Config, pays: Mapping[str, Ratio] = MappingProxyType({})) -> Limits:
    """The casino's limits.

    Args:
        pays: the most that each kind of bet can win, by the rule table.
    """
    stakes, limits = config.game.stakes, config.game.limits
    own = (
        BetLimits(bet, each.least or stakes.least, each.most or stakes.most, each.step or stakes.step)
        for bet, each in limits.bets.items()
    )
    highest = (BetPays(bet, ratio.numerator, ratio.denominator) for bet, ratio in pays.items() if limits.payout)
    sums = (limits.bettor, limits.place, limits.table, limits.payout)
    return Limits(stakes.least, stakes.most, stakes.step, *sums, tuple(own), tuple(highest))


def console_address(config: Served) -> tuple[str, int]:
    """Host and port that the console listens on."""
    address = split_address(config.console.listen)
    assert address is not None  # the form has seen to it
    return address


def console_url(config: Config, host: str = "") -> str:
    """The address of the console, without a path.

    Args:
        host: by which it is called; as programs of this machine call it without.
    """
    named, port = console_address(config)
    here = host or (("::1" if ":" in named else "127.0.0.1") if is_everywhere(named) else named)
    scheme = "https" if config.console.cert_file else "http"
    return f"{scheme}://{f'[{here}]' if ':' in here else here}:{port}"


def _formed(source: Source) -> Config:
    try:
        return Config.model_validate(source.tree)
    except ValidationError as error:
        raise _error(misfits(error, source.tree), source) from None


def _error(found: tuple[Complaint, ...], source: Source) -> ConfigError:
    """All complaints in the order of the file's lines."""
    problems = [placed(complaint, source) for complaint in found]
    return ConfigError(tuple(sorted(problems, key=lambda problem: problem.at or (0, 0))))
