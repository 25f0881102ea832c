"""Who may reach the console, and how he is known: what its keys and those of the people have to agree on."""

import ssl
from collections.abc import Iterator

from tablectl.shell.config_errors import Complaint, worded
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
            worded("reach"),
            hint=worded("reach_hint"),
        )


def _certificate(console: ConsoleSection) -> Iterator[Complaint]:
    if bool(console.cert_file) != bool(console.key_file):
        there, lacking = ("cert_file", "key_file") if console.cert_file else ("key_file", "cert_file")
        yield Complaint(("console", there), worded("pair", lacking=lacking))
    elif console.cert_file and console.key_file:
        yield from _pair(console.cert_file, console.key_file)
    if console.client_ca_file:
        yield from _authority(console, console.client_ca_file)


def _pair(cert_file: str, key_file: str) -> Iterator[Complaint]:
    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(cert_file, key_file, _no_password)
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else str(error)
        yield Complaint(("console", "cert_file"), worded("pair_unusable", why=why or error))


def _no_password() -> str:
    """Refuses a key under a password, which nobody would be there to type."""
    raise ValueError("the key is under a password")


def _authority(console: ConsoleSection, file: str) -> Iterator[Complaint]:
    here = ("console", "client_ca_file")
    if not console.cert_file:
        yield Complaint(here, worded("console_tls"), hint=worded("console_tls_hint"))
    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_verify_locations(file)
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else str(error)
        yield Complaint(here, worded("unusable", why=why or error))


def _people(config: Config) -> Iterator[Complaint]:
    taken: dict[str, str] = {}
    for name, person in config.people.items():
        if not person.certificate:
            continue
        here = ("people", name, "certificate")
        if not config.console.client_ca_file:
            yield Complaint(here, worded("nobody_signs"), hint=worded("nobody_signs_hint"))
        if person.certificate in taken:
            yield Complaint(here, worded("certificate_taken", name=taken[person.certificate]))
        taken.setdefault(person.certificate, name)
