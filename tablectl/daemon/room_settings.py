"""From the configuration to the settings of the rooms that it configures."""

import os
import re
from pathlib import Path

from tablectl.config import console_address
from tablectl.config.models import Config, Served
from tablectl.config.values import is_everywhere, secret_file, split_broker
from tablectl.console.auth.people import Person, Role
from tablectl.console.http.server import Listener, listen_at
from tablectl.console.http.tls import Tls as ListenerTls
from tablectl.edited_files import read_secret, read_text
from tablectl.mqtt.settings import BrokerSettings, Tls
from tablectl.proof.checkpoint import unsigned_checkpoint

LOG_ID, PREDECESSOR, PLAYED = "log.id", "predecessor", "played"
"""Files in the state folder: the log's id, the last checkpoint of the log before, and what was played since, a line
for each message."""


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
        tls=Tls(mqtt.ca_file, mqtt.cert_file, _place("mqtt.key_file", mqtt.key_file)) if encrypted else None,
        keepalive_s=mqtt.keepalive_s,
        timeout_s=mqtt.timeout_s,
        mqtt5=mqtt.protocol == "5",
    )


def predecessor_of(folder: Path) -> str | None:
    """The last checkpoint of the predecessor that a new log in this folder names.

    It is one line; None without a predecessor.

    Raises:
        StartError: what is there isn't a checkpoint.
    """
    try:
        checkpoint = unsigned_checkpoint(read_text(folder / PREDECESSOR))
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise StartError(f"{folder / PREDECESSOR} isn't a checkpoint: {error}", os.EX_DATAERR) from None
    return " ".join(checkpoint.text.split("\n")[:3])


def played_before(folder: Path) -> tuple[str, ...]:
    """The messages that `tablectl restore` left to be announced by a new log.

    Raises:
        StartError: they can't be read.
    """
    try:
        return tuple((folder / PLAYED).read_text("utf-8").split("\n")[:-1])
    except FileNotFoundError:
        return ()
    except (OSError, ValueError) as error:
        raise StartError(f"{folder / PLAYED} can't be read: {error}", os.EX_DATAERR) from None


def log_id_of(folder: Path) -> str:
    """The id that `tablectl init` gave the log in this folder; empty without one.

    Raises:
        StartError: what is there isn't an id.
    """
    try:
        given = read_text(folder / LOG_ID).strip()
    except FileNotFoundError:
        return ""
    except (OSError, ValueError):
        given = ""
    if not re.fullmatch("[0-9a-f]{8}", given):
        raise StartError(f"{folder / LOG_ID} isn't a log's id: eight hexadecimal digits", os.EX_DATAERR)
    return given


def forget_beginning(folder: Path) -> None:
    """Delete the files that `tablectl init` wrote for the start of the log.

    Another log in this folder is another log.

    Raises:
        StartError: a file can't be deleted.
    """
    for name in (LOG_ID, PREDECESSOR, PLAYED):
        try:
            (folder / name).unlink(missing_ok=True)
        except OSError as error:
            raise StartError(f"{folder / name} can't be deleted: {error.strerror}", os.EX_CANTCREAT) from None


def people_of(config: Served) -> list[Person]:
    """The persons who may sign on at the console."""
    return [
        Person(
            name,
            Role(person.role),
            person.pin_hash or "",
            simulated=person.simulated,
            certificate=person.certificate,
        )
        for name, person in config.people.items()
    ]


def called_as(config: Served) -> tuple[str, ...]:
    """The names and addresses by which browsers may call the console.

    The machine's own names are allowed without them.
    """
    host, _ = console_address(config)
    own = () if is_everywhere(host) else (host,)
    return (*own, *config.console.hosts)


async def listener_at(config: Served, what: str) -> Listener:
    """Listen where the configuration says.

    Args:
        what: listens, for the error.

    Raises:
        StartError: the port can't be had.
    """
    host, port = console_address(config)
    try:
        return await listen_at(host, port, tls_of(config))
    except OSError as error:
        message = f"{what} can't listen on {host}:{port}: {error.strerror or error}"
        raise StartError(message, os.EX_UNAVAILABLE) from None


def tls_of(config: Served) -> ListenerTls | None:
    """The console's certificate; None where it listens without."""
    console = config.console
    if not console.cert_file or not console.key_file:
        return None
    return ListenerTls(console.cert_file, console.key_file, console.client_ca_file, console.client_crl_file)


def _place(key: str, given: str | None) -> str | None:
    """Where a secret's file is."""
    place = secret_file(given) if given is not None else None
    if given is not None and place is None:
        raise StartError(f"{key} is {given}, and systemd has handed no credentials over", os.EX_NOPERM)
    return str(place) if place is not None else None


def _password(given: str | None) -> str | None:
    path = _place("mqtt.password_file", given)
    try:
        return read_secret(Path(path)) if path else None
    except OSError as error:
        raise StartError(f"mqtt.password_file {path} can't be read: {error.strerror}", os.EX_NOPERM) from None
