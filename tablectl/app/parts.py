"""From the configuration to the settings of the rooms that it configures."""

import os
from pathlib import Path

from tablectl.bus.settings import BrokerSettings, Tls
from tablectl.console.people import Person, Role
from tablectl.shell.config import Config
from tablectl.shell.config_values import split_broker


class StartError(Exception):
    """The daemon can't start or go on: one line for people, and the exit code."""

    def __init__(self, message: str, exit_code: int) -> None:
        super().__init__(message)
        self.exit_code = exit_code


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
        mqtt5=mqtt.protocol == "5",
    )


def people_of(config: Config) -> list[Person]:
    """Who may sign on at the console."""
    return [
        Person(name, Role(person.role), person.pin_hash, simulated=person.simulated)
        for name, person in config.people.items()
    ]


def _password(path: str | None) -> str | None:
    try:
        return Path(path).read_text("utf-8").rstrip("\n") if path else None
    except OSError as error:
        raise StartError(f"mqtt.password_file {path} can't be read: {error.strerror}", os.EX_NOPERM) from None
