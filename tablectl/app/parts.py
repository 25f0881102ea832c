"""From the configuration to the settings of the rooms that it configures."""

import os
from pathlib import Path

from drivers.shoe.driver import ShoeDriver, ShoeSettings
from drivers.shuffler.driver import ShufflerDriver
from drivers.shuffler.settings import Expected, ShufflerSettings
from tablectl.bus.settings import BrokerSettings, Tls
from tablectl.console.people import Person, Role
from tablectl.core.games.q_poker.procedure import QPokerGame
from tablectl.core.ports import Clock, Driver, Teller
from tablectl.shell.config import Config, game_settings
from tablectl.shell.config_checks import runtime_dir
from tablectl.shell.config_models import ShoeSection, ShufflerSection
from tablectl.shell.config_values import split_broker
from tablectl.shell.rules import load_rules


class StartError(Exception):
    """The daemon can't start or go on: one line for people, and the exit code."""

    def __init__(self, message: str, exit_code: int) -> None:
        super().__init__(message)
        self.exit_code = exit_code


def game_of(config: Config) -> QPokerGame:
    """The game's procedure under its rule table and this table's settings."""
    return QPokerGame(load_rules("q_poker"), game_settings(config))


def driver_of(config: Config, name: str, tell: Teller, clock: Clock, delivered: str) -> Driver:
    """The driver of a configured device.

    Args:
        delivered: the last delivery of this device that the table has folded.
    """
    match config.devices[name]:
        case ShoeSection() as shoe:
            return ShoeDriver(_shoe_settings(config, name, shoe), tell, clock)
        case ShufflerSection() as shuffler:
            return ShufflerDriver(_shuffler_settings(config, name, shuffler), tell, clock, delivered=delivered)


def broker_of(config: Config) -> BrokerSettings:
    """The broker as the configuration names it.

    Raises:
        StartError: the password's file can't be read.
    """
    mqtt = config.mqtt
    address = split_broker(mqtt.url)
    assert address is not None  # the form of the configuration has seen to it
    encrypted, host, port = address
    return BrokerSettings(
        host,
        port,
        username=mqtt.username or None,
        password=_password(mqtt.password_file),
        tls=Tls(mqtt.ca_file, mqtt.cert_file, mqtt.key_file) if encrypted else None,
        keepalive_s=mqtt.keepalive_s,
        timeout_s=mqtt.timeout_s,
    )


def people_of(config: Config) -> list[Person]:
    """Who may sign on at the console."""
    return [
        Person(name, Role(person.role), person.pin_hash, simulated=person.simulated)
        for name, person in config.people.items()
    ]


def _shoe_settings(config: Config, name: str, shoe: ShoeSection) -> ShoeSettings:
    return ShoeSettings(
        name,
        shoe.port,
        shoe.baudrate,
        runtime_dir(config),
        bcc_includes_stx=shoe.bcc_includes_stx,
        vote_window_s=shoe.vote_window_ms / 1000,
        read_only=shoe.read_only,
        simulated=shoe.simulated,
    )


def _shuffler_settings(config: Config, name: str, shuffler: ShufflerSection) -> ShufflerSettings:
    approved = shuffler.expect
    firmware = (approved.firmware,) if approved.firmware else ()
    expected = Expected(approved.maker, approved.model, approved.serial, firmware)
    return ShufflerSettings(
        name, shuffler.port, shuffler.baudrate, runtime_dir(config), expected, simulated=shuffler.simulated
    )


def _password(path: str | None) -> str | None:
    try:
        return Path(path).read_text("utf-8").rstrip("\n") if path else None
    except OSError as error:
        raise StartError(f"mqtt.password_file {path} can't be read: {error.strerror}", os.EX_NOPERM) from None
