"""The form of a witness's configuration."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Final

from pydantic import AfterValidator, BaseModel, ConfigDict, Field
from pydantic_core import PydanticCustomError

from tablectl.config.errors import Complaint
from tablectl.config.values import Listen
from tablectl.features.common.settings_file import load_form
from tablectl.proof.note import NoteError, read_verifier_key

_NAME: Final = re.compile(r"[A-Za-z0-9._/-]{1,100}")
STRICT: Final = ConfigDict(extra="forbid", frozen=True, strict=True)


def _name(text: str) -> str:
    """The text, where it is a witness's name.

    Raises:
        PydanticCustomError: it isn't.
    """
    if not _NAME.fullmatch(text):
        message = "a witness's name has letters, digits, dots, underscores, slashes and hyphens"
        raise PydanticCustomError("house", "{message}", {"message": message, "hint": 'such as "witness.example/macau"'})
    return text


def _log_key(text: str) -> str:
    """The text, where it is a log's verifier key.

    Raises:
        PydanticCustomError: it isn't.
    """
    try:
        read_verifier_key(text)
    except NoteError as error:
        hint = "the line that `tablectl init` and `tablectl key` print: tablectl/site/table/log+id+key"
        raise PydanticCustomError("house", "{message}", {"message": str(error), "hint": hint}) from None
    return text


class WitnessConfig(BaseModel):
    """The configuration of `tablectl witness serve`."""

    model_config = STRICT
    name: Annotated[str, AfterValidator(_name)] = Field(
        description="the witness's name in its signatures, as `witness.example/macau`"
    )
    state: str = Field(description="the folder of its key and of what it cosigned: for its own user alone")
    listen: Listen = Field(default="127.0.0.1:8095", description="`host:port` where tables ask it")
    hosts: Annotated[tuple[str, ...], Field(strict=False)] = Field(
        default=(), description="names by which tables call it, besides the one in `listen`"
    )
    cert_file: str | None = Field(default=None, description="its certificate; it speaks TLS then, and nothing else")
    key_file: str | None = Field(default=None, description="the certificate's key")
    logs: Annotated[tuple[Annotated[str, AfterValidator(_log_key)], ...], Field(strict=False)] = Field(
        description="the keys of the logs that it cosigns; after a change of a log's key both of them"
    )


def load_witness_config(path: Path, overrides: Mapping[str, str]) -> WitnessConfig:
    """The configuration in a file, and what is set over it.

    Raises:
        OSError: the file can't be read.
        ConfigError: with every problem at once.
    """
    return load_form(WitnessConfig, path, overrides, _complaints)


def _complaints(config: WitnessConfig) -> Iterator[Complaint]:
    if bool(config.cert_file) != bool(config.key_file):
        yield Complaint(
            ("cert_file",), "a certificate goes with its key", hint="name cert_file and key_file, or neither"
        )
