"""Who may reach the console, and how he is known: what its keys and those of the people have to agree on."""

import ssl
from collections.abc import Iterator

from tablectl.shell.config_errors import Complaint
from tablectl.shell.config_models import Config, ConsoleSection
from tablectl.shell.config_values import is_loopback, split_address


def console_complaints(config: Config) -> Iterator[Complaint]:
    """What stops the console from being opened."""
    console = config.console
    yield from _reach(console)
    yield from _certificate(console)
    yield from _people(config)


def _reach(console: ConsoleSection) -> Iterator[Complaint]:
    address = split_address(console.listen)
    if address and not is_loopback(address[0]) and not console.cert_file:
        yield Complaint(
            ("console", "listen"),
            "beyond this machine the console listens with TLS only",
            hint="set console.cert_file and console.key_file, or listen on 127.0.0.1",
        )


def _certificate(console: ConsoleSection) -> Iterator[Complaint]:
    if bool(console.cert_file) != bool(console.key_file):
        there, lacking = ("cert_file", "key_file") if console.cert_file else ("key_file", "cert_file")
        yield Complaint(("console", there), f"certificate and key go together: {lacking} is missing")
    elif console.cert_file and console.key_file:
        yield from _pair(console.cert_file, console.key_file)
    if console.client_ca_file:
        yield from _authority(console, console.client_ca_file)


def _pair(cert_file: str, key_file: str) -> Iterator[Complaint]:
    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(cert_file, key_file, _no_password)
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else str(error)
        yield Complaint(("console", "cert_file"), f"certificate and key can't be used: {why or error}")


def _no_password() -> str:
    """Refuses a key under a password, which nobody would be there to type."""
    raise ValueError("the key is under a password")


def _authority(console: ConsoleSection, file: str) -> Iterator[Complaint]:
    here = ("console", "client_ca_file")
    if not console.cert_file:
        yield Complaint(here, "certificates need TLS, and the console has none", hint="set console.cert_file")
    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_verify_locations(file)
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else str(error)
        yield Complaint(here, f"the file can't be used: {why or error}")


def _people(config: Config) -> Iterator[Complaint]:
    taken: dict[str, str] = {}
    for name, person in config.people.items():
        if not person.certificate:
            continue
        here = ("people", name, "certificate")
        if not config.console.client_ca_file:
            yield Complaint(here, "nobody has said who signs such certificates", hint="set console.client_ca_file")
        if person.certificate in taken:
            yield Complaint(here, f"this is the certificate of people.{taken[person.certificate]} already")
        taken.setdefault(person.certificate, name)
