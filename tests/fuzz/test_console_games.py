"""Whatever the console's description allows, asked of whole daemons: every operation, in each game, by each role.

`tests/console` asks the API before a table in memory, with misfitting requests as well. Here each request names what
its screen shows, so that it comes as far as the game's own rules and the journal.
"""

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis.strategies import SearchStrategy
from schemathesis import Case, GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from tablectl.console.openapi import document
from tablectl.console.requests.table import VERBS
from tablectl.features.demo.processes import free_port
from tablectl.journal.journal import open_journal
from tablectl.rule_tables import shipped
from tests.support.daemon import Daemon, fork_server
from tests.support.long import first

GAMES: Final = ("q-poker", "football-poker", "wheel-of-fortune", "chinese-dice", "thirteen-cards")
PEOPLE: Final = {"ana": "1111", "rui": "2222", "mei": "3333", "tec": "1111"}
"""A dealer, a supervisor, surveillance; a technician, who is added with the dealer's PIN."""

REQUESTS: Final = "/v1/requests/"
FIRST: Final = ("confirm_pack", "open_round", "bet")
CHECKS: Final = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
]
TRIES: Final = settings(
    max_examples=1,
    deadline=None,
    database=None,
    derandomize=True,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large],
)
HEALTH: Final = "/v1/health"
"""Says 503 where the table has a fault, as one without devices has."""

DONE, REFUSED = 200, 409
BY_TWO: Final = frozenset({"correct_round"})
"""Takes the PIN of a second person, whom no request names by chance."""


@pytest.fixture(name="daemon")
def _daemon(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Daemon]:
    """A table of a game at work, without devices and broker."""
    config = shipped(f"tables/{request.param}.demo.toml")
    pin_hash = tomllib.loads(config.read_text("utf-8"))["people"]["ana"]["pin_hash"]
    changes = {
        "mqtt.url": f"mqtt://127.0.0.1:{free_port()}",
        "paths.state": str(tmp_path / "state"),
        "paths.runtime": str(tmp_path),
        "people.tec.role": "technician",
        "people.tec.pin_hash": pin_hash,
    }
    daemon = Daemon(fork_server(), config, tmp_path, changes)
    daemon.start()
    yield daemon
    daemon.kill()


@pytest.mark.slow
@pytest.mark.timeout(120)
@pytest.mark.parametrize("daemon", first(GAMES), indirect=True)
def test_every_role_request_is_answered_as_described_in_every_game(daemon: Daemon) -> None:
    answered: dict[str, set[int]] = {}
    for person, pin in PEOPLE.items():
        daemon.sign_on(person, pin)
        for name, status in tried(daemon):
            answered.setdefault(name, set()).add(status)
    assert answered.keys() == {operation.name for operation in operations()}
    # Each verb came to the game, which did it or refused it by its rules; some were done.
    assert [verb for verb in VERBS if not answered[verb] & {DONE, REFUSED} and verb not in BY_TWO] == []
    assert sum(DONE in answered[verb] for verb in VERBS) >= 2
    assert daemon.stop() == 0
    with closing(open_journal(daemon.folder / "state")) as journal:
        assert list(journal.replay(0))


@dataclass(frozen=True, slots=True)
class Operation:
    """One that the description names, and requests that fit it."""

    name: str
    path: str
    cases: SearchStrategy[Case[Any]]

    @property
    def rank(self) -> int:
        """What a round needs first comes first, the end of the session last."""
        return FIRST.index(self.name) if self.name in FIRST else len(FIRST) + (self.name == "sign_off")


@cache
def operations() -> Sequence[Operation]:
    """Everything that the description names."""
    schema = schemathesis.openapi.from_dict(dict(document()))
    found = list[Operation]()
    each: Any
    for each in schema.get_all_operations():
        one = each.ok()
        found.append(
            Operation(
                one.definition.raw["operationId"],
                one.path,
                one.as_strategy(generation_mode=GenerationMode.POSITIVE),
            )
        )
    return sorted(found, key=lambda operation: operation.rank)


def tried(daemon: Daemon) -> Iterator[tuple[str, int]]:
    """Makes one request of each kind in the name of who is signed on, each with its status."""
    headers, url = {"Authorization": f"Bearer {daemon.token}"}, f"http://127.0.0.1:{daemon.port}"
    for number, operation in enumerate(operations()):
        checks = [check for check in CHECKS if check is not not_a_server_error or operation.path != HEALTH]
        for case in drawn(operation):
            if operation.path.startswith(REQUESTS) and isinstance(case.body, dict):
                case.body |= fresh(daemon, number)
            yield operation.name, case.call_and_validate(url, headers=headers, checks=checks).status_code


def drawn(operation: Operation) -> list[Case[Any]]:
    """A request that fits; always the same."""
    found = list[Case[Any]]()

    @TRIES
    @given(case=operation.cases)
    def draw(case: Case[Any]) -> None:
        found.append(case)

    draw()
    return found[:1]


def fresh(daemon: Daemon, number: int) -> Mapping[str, Any]:
    """What a screen that is up to date names in its request."""
    state = daemon.state()
    return {"request_id": f"screen-{daemon.token[:6]}-{number}", "round_id": state["round_id"], "seen": state["seen"]}
