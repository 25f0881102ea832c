"""What the commands share that ask something of a table at work, in somebody's name."""

import json
import ssl
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

import click

from tablectl import words
from tablectl.cli.explain import configured, leave, leaving
from tablectl.cli.language import said, with_language
from tablectl.cli.person import name_of, pin_of
from tablectl.words import Language
from tablectl.words.reason import reason

if TYPE_CHECKING:
    from tablectl.shell.config import Config
    from tablectl.tools.errand import ErrandError, Where

REFUSED, FAILED = 1, 2
TEXT_MOST: Final = 500
ANYWHERE: Final[Mapping[str, str]] = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104  # where it is asked, not heard

F = TypeVar("F", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class Asker:
    """What the options say: which table, who asks, who agrees, and how it is answered."""

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
    """A text for the record, without the blanks around it: not empty, and not a novel."""
    if not value.strip():
        raise click.BadParameter("it is empty: say something for the record")
    if len(value) > TEXT_MOST:
        raise click.BadParameter(f"it has {len(value)} characters, and {TEXT_MOST} are the most")
    return value.strip()


def with_person(command: F) -> F:
    """The options that say at which table, and who asks."""
    config = click.option("--config", type=click.Path(path_type=Path), help="The table's configuration.")
    url = click.option("--url", help="The console's address instead, as http://127.0.0.1:8080.")
    trusted = click.option(
        "--ca-file", type=click.Path(path_type=Path), help="The authority behind an https address, if a private one."
    )
    person = click.option("--person", help="Who asks, as the configuration names him; without it he is asked for.")
    pin = click.option(
        "--pin-file", type=click.Path(path_type=Path), help="A file with his PIN; without it the PIN is asked for."
    )
    as_json = click.option("--json", "as_json", is_flag=True, help="What came of it as one JSON object.")
    return config(url(trusted(person(pin(as_json(with_language(command)))))))


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
    from tablectl.tools.errand import ErrandError, OtherRoundError, RefusedError, Who, run_errand

    with leaving(command):
        where = _where(asker)
        person = name_of(asker.person, asker.lang)
        who = Who(person, pin_of(person, asker.pin_file, asker.lang))
        agreed = {**fields, **_second(asker)}
        try:
            record = run_errand(where, who, verb, agreed, asker.lang, round_id=round_id)
        except RefusedError as refusal:
            if asker.as_json:
                click.echo(json.dumps({"refused": refusal.article, "text": refusal.text}, ensure_ascii=False))
            leave(
                command,
                said("errand.refused", asker.lang, article=refusal.article, text=refusal.text),
                REFUSED,
            )
        except OtherRoundError as other:
            key = "errand.other_round" if other.playing else "errand.no_round"
            leave(command, said(key, asker.lang, meant=other.meant, playing=other.playing), REFUSED)
        except ErrandError as error:
            leave(command, error_text(error, asker.lang), FAILED)
    click.echo(json.dumps({"record": record}) if asker.as_json else said("errand.recorded", asker.lang, record=record))


def error_text(error: "ErrandError", language: Language) -> str:
    """What went wrong, in the language; as the table's console says it where that is for programmers."""
    key = f"cli.errand.error.{error.code}"
    return words.text(
        key if key in words.catalogue(language) else "cli.errand.error.other", language, message=reason(error, language)
    )


def _second(asker: Asker) -> Mapping[str, Any]:
    if asker.second is None:
        return {}
    pin = pin_of(asker.second, asker.second_pin_file, asker.lang, option="--second-pin-file")
    return {"second": {"person": asker.second, "pin": pin}}


def _where(asker: Asker) -> "Where":
    from tablectl.tools.errand import Where

    if (asker.config is None) == (asker.url is None):
        raise click.UsageError(said("ask.config_or_url", asker.lang))
    if asker.config is None:
        return Where(str(asker.url), trusting(asker.ca_file))
    return _of_the_configuration(configured(asker.config), asker.ca_file)


def _of_the_configuration(config: "Config", ca_file: Path | None) -> "Where":
    from tablectl.shell.config import console_address
    from tablectl.tools.errand import Where

    named, port = console_address(config)
    host = ANYWHERE.get(named, named)
    address = f"{f'[{host}]' if ':' in host else host}:{port}"
    certificate = config.console.cert_file
    if not certificate:
        return Where(f"http://{address}")
    return Where(f"https://{address}", trusting(ca_file) if ca_file else only(Path(certificate)))


def trusting(ca_file: Path | None) -> ssl.SSLContext | bool:
    """The machine's authorities, and one more where it is named.

    Raises:
        OSError: the file can't be read.
    """
    if ca_file is None:
        return True
    context = ssl.create_default_context()
    try:
        context.load_verify_locations(ca_file)
    except ssl.SSLError:
        raise OSError(None, "no certificate in PEM form is in it", str(ca_file)) from None
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(ca_file)) from None
    return context


def only(certificate: Path) -> ssl.SSLContext:
    """Trusts the table's own certificate and no other: who has its file needs no authority and no name beside it."""
    text = certificate.read_text("utf-8")
    end = "-----END CERTIFICATE-----"
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN
    context.load_verify_locations(cadata=text.partition(end)[0] + end)
    return context
