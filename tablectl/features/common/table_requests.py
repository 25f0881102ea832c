"""Shared parts of the commands that ask something of a running table.

They ask it in a person's name.
"""

import ssl
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

import click

from tablectl import words
from tablectl.features.common.errors import leave, leaving
from tablectl.features.common.language import said
from tablectl.features.common.options import default_config, name_of, pin_of, with_language, with_table
from tablectl.features.common.output import write_json, write_line
from tablectl.features.common.table_files import configured
from tablectl.lazy_dataclass import dataclass
from tablectl.tls_files import load_authorities
from tablectl.words import Language
from tablectl.words.reason import reason

if TYPE_CHECKING:
    from tablectl.config.models import Config
    from tablectl.features.common.api_client import RequestFailedError, Where

REFUSED, FAILED = 1, 2
TEXT_MOST: Final = 500

F = TypeVar("F", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class Asker:
    """Options of a request: the table, who asks, who agrees, and the output."""

    config: Path | None
    url: str | None
    ca_file: Path | None
    person: str | None
    pin_file: Path | None
    lang: Language
    as_json: bool
    second: str | None = None
    second_pin_file: Path | None = None


def for_the_record(_ctx: click.Context, _param: click.Parameter, value: str) -> str:
    """Return a text for the record, without the blanks around it.

    Raises:
        click.BadParameter: it is empty, or too long.
    """
    if not value.strip():
        raise click.BadParameter("it is empty: say something for the record")
    if len(value) > TEXT_MOST:
        raise click.BadParameter(f"it has {len(value)} characters, and {TEXT_MOST} are the most")
    return value.strip()


def with_person(command: F) -> F:
    """The options that say at which table, and who asks."""
    url = click.option("--url", help="The console's address instead, as http://127.0.0.1:8080.")
    trusted = click.option(
        "--ca-file", type=click.Path(path_type=Path), help="The authority behind an https address, if a private one."
    )
    person = click.option("--person", help="Who asks, as named in the configuration; asked for if left out.")
    pin = click.option(
        "--pin-file", type=click.Path(path_type=Path), help="A file with their PIN; asked for if left out."
    )
    as_json = click.option("--json", "as_json", is_flag=True, help="What came of it as one JSON object.")
    return with_table(default=False)(url(trusted(person(pin(as_json(with_language(command)))))))


def with_second(command: F) -> F:
    """The options that say who else agrees."""
    second = click.option("--second", metavar="PERSON", help="Who agrees, where one may not decide alone.")
    pin = click.option(
        "--second-pin-file", type=click.Path(path_type=Path), help="A file with the PIN of who agrees; else asked for."
    )
    return second(pin(command))


def run(command: str, verb: str, fields: Mapping[str, Any], asker: Asker, round_id: str | None = None) -> None:
    """Asks, and says what came of it.

    Args:
        round_id: what is meant, where that has to be the round in play.
    """
    from tablectl.features.common.api_client import (
        OtherRoundError,
        RefusedError,
        RequestFailedError,
        Who,
        send_request,
    )

    with leaving(command):
        where = where_of(asker.config, asker.url, asker.ca_file, asker.lang)
        person = name_of(asker.person, asker.lang)
        who = Who(person, pin_of(person, asker.pin_file, asker.lang))
        agreed = {**fields, **_second(asker)}
        try:
            record = send_request(where, who, verb, agreed, asker.lang, round_id=round_id)
        except RefusedError as refusal:
            if asker.as_json:
                write_json({"refused": refusal.article, "text": refusal.text})
            leave(
                command,
                said("errand.refused", asker.lang, article=refusal.article, text=refusal.text),
                REFUSED,
            )
        except OtherRoundError as other:
            key = "errand.other_round" if other.playing else "errand.no_round"
            leave(command, said(key, asker.lang, meant=other.meant, playing=other.playing), REFUSED)
        except RequestFailedError as error:
            leave(command, error_text(error, asker.lang), FAILED)
    if asker.as_json:
        write_json({"record": record})
    else:
        write_line(said("errand.recorded", asker.lang, record=record))


def error_text(error: "RequestFailedError", language: Language) -> str:
    """Return the text of an error, in the language.

    Where the error is for programmers, it is as the table's console says it.
    """
    key = f"cli.errand.error.{error.code}"
    return words.text(
        key if key in words.catalogue(language) else "cli.errand.error.other", language, message=reason(error, language)
    )


def _second(asker: Asker) -> Mapping[str, Any]:
    if asker.second is None:
        return {}
    pin = pin_of(asker.second, asker.second_pin_file, asker.lang, option="--second-pin-file")
    return {"second": {"person": asker.second, "pin": pin}}


def where_of(config: Path | None, url: str | None, ca_file: Path | None, language: Language) -> "Where":
    """Return the console's address, from its URL or a table's configuration.

    Without either it is that of the default table.

    Raises:
        click.UsageError: both are given, or no table is the default.
        ConfigError: the configuration is wrong.
        OSError: a file can't be read.
    """
    from tablectl.features.common.api_client import Where

    if config is not None and url is not None:
        raise click.UsageError(said("ask.config_or_url", language))
    if url is not None:
        return Where(url, trusting(ca_file))
    return console_of(configured(config or default_config()), ca_file)


def console_of(config: "Config", ca_file: Path | None = None) -> "Where":
    """Return the console's address and trust as the configuration names them.

    They are its scheme, its address, and the certificate that it will show.

    Raises:
        OSError: a file can't be read.
    """
    from tablectl.config import console_url
    from tablectl.features.common.api_client import Where

    url, certificate = console_url(config), config.console.cert_file
    if not certificate:
        return Where(url)
    return Where(url, trusting(ca_file) if ca_file else only(Path(certificate)))


def trusting(ca_file: Path | None) -> ssl.SSLContext | bool:
    """The machine's authorities, and one more where it is named.

    Raises:
        OSError: the file can't be read.
    """
    if ca_file is None:
        return True
    context = ssl.create_default_context()
    load_authorities(context, str(ca_file))
    return context


def only(certificate: Path) -> ssl.SSLContext:
    """Trust the table's own certificate and no other.

    Whoever has its file needs no authority and no name beside it.

    Raises:
        OSError: the file can't be read, or holds none.
    """
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN
    load_authorities(context, str(certificate), first=True)
    return context
