"""Checks of the console's address, its TLS files and people's certificates.

Their keys have to agree with each other.
"""

from collections.abc import Iterator

from tablectl.config.errors import Complaint, worded
from tablectl.config.files import authority_complaints, pair_complaints, revocation_complaints
from tablectl.config.models import ConsoleSection, Served
from tablectl.config.values import is_loopback, split_address


def console_complaints(config: Served) -> Iterator[Complaint]:
    """Check the settings that could keep the console from being opened."""
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
        yield from pair_complaints("console", console.cert_file, console.key_file)
    if console.client_ca_file:
        yield from _authority(console, console.client_ca_file)
    if console.client_crl_file:
        yield from _revoked(console, console.client_crl_file)


def _authority(console: ConsoleSection, file: str) -> Iterator[Complaint]:
    here = ("console", "client_ca_file")
    if not console.cert_file:
        yield Complaint(here, worded("console_tls"), hint=worded("console_tls_hint"))
    yield from authority_complaints(here, file)


def _revoked(console: ConsoleSection, file: str) -> Iterator[Complaint]:
    here = ("console", "client_crl_file")
    if not console.client_ca_file:
        yield Complaint(here, worded("nobody_signs"), hint=worded("nobody_signs_hint"))
    yield from revocation_complaints(here, file)


def _people(config: Served) -> Iterator[Complaint]:
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
