"""The AsyncAPI document is true of what real tables publish and answer, and refuses what they don't."""

import json
import shutil
import subprocess
import time
from collections import Counter
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import tablectl
from tablectl.core.events import KINDS
from tablectl.core.money import utc_text
from tablectl.daemon.asyncapi import document
from tablectl.mqtt.schema import STATES
from tablectl.mqtt.schema.requests import VERBS
from tablectl.rule_tables import shipped
from tests.support.asyncapi import channel_of, described, takes, validator
from tests.support.broker import private_broker
from tests.support.daemon import Daemon, fork_server
from tests.support.demo import EVENTFUL, PLAIN, Form, evening
from tests.support.feed import Feed

EVERYWHERE = {"status", "metaInfo", "health", "roundState", "roundPhase", "board"} | {
    "eventRound",
    "eventBet",
    "eventAudit",
}
BY_GAME = {
    "q-poker": {"deviceStatus", "eventCard", "eventFault"},
    "football-poker": {"deviceStatus", "eventCard", "eventDraw"},
    "wheel-of-fortune": {"deviceStatus", "eventWheel", "eventFault"},
    "chinese-dice": {"deviceStatus", "eventDice", "eventFault"},
    "thirteen-cards": {"deviceStatus", "eventCard", "eventDice"},
}
"""The channels on which a demonstration is heard, whatever else is."""

MOST = 12
"""Messages of a type that are looked at."""


@cache
def heard(run_folder: Path, game: str) -> tuple[tuple[str, str, Form], ...]:
    """The CloudEvents among them, with the channel and the name of the message; of each type the first ones."""
    found = []
    count: Counter[str] = Counter()
    for topic, payload in evening(run_folder, EVENTFUL[game]).keeper.messages:
        channel = channel_of(topic)
        if described()["channels"][channel]["x-kind"] in {"event", "state"}:
            form = json.loads(payload)
            name = str(form["type"]).removeprefix("mo.tablectl.")
            count[name] += 1
            found += [(channel, name, form)] if count[name] <= MOST else []
    return tuple(found)


def one_of_each(run_folder: Path, game: str) -> dict[str, tuple[str, Form]]:
    """The longest message of each type, with its channel."""
    longest: dict[str, tuple[str, Form]] = {}
    for channel, name, form in heard(run_folder, game):
        if name not in longest or len(str(form)) > len(str(longest[name][1])):
            longest[name] = channel, form
    return longest


def without(form: Form, *path: str) -> Form:
    left = deepcopy(form)
    inner = left
    for name in path[:-1]:
        inner = inner[name]
    del inner[path[-1]]
    return left


# --- what it publishes


@pytest.mark.slow
@pytest.mark.usefixtures("mosquitto")
@pytest.mark.parametrize("game", BY_GAME)
def test_everything_that_a_table_publishes_fits_its_channel(game: str, run_folder: Path) -> None:
    messages = heard(run_folder, game)
    assert {channel for channel, _, _ in messages} >= EVERYWHERE | BY_GAME[game]
    for channel, name, form in messages:
        assert name in described()["channels"][channel]["messages"]
        wrong = [f"{error.instance_path}: {error.message}" for error in validator(name).iter_errors(form)]
        assert wrong == [], name


@pytest.mark.slow
@pytest.mark.usefixtures("mosquitto")
def test_a_table_publishes_the_document_of_its_own_build(run_folder: Path) -> None:
    messages = evening(run_folder, EVENTFUL["q-poker"]).keeper.messages
    sent = {payload for topic, payload in messages if channel_of(topic) == "metaAsyncapi"}
    assert sent == {document(tablectl.__version__)}


@pytest.mark.slow
@pytest.mark.usefixtures("mosquitto")
def test_a_checkpoint_is_a_signed_note_and_nothing_less(run_folder: Path) -> None:
    messages = evening(run_folder, PLAIN).keeper.messages
    notes = [payload.decode() for topic, payload in messages if channel_of(topic) == "checkpoint"]
    assert notes
    for note in notes:
        assert validator("checkpoint").is_valid(note)
        unsigned, _, signature = note.partition("\n\n")
        assert not validator("checkpoint").is_valid(f"{unsigned}\n")
        assert not validator("checkpoint").is_valid(f"{note.partition(chr(10))[2]}\n\n{signature}")


@pytest.mark.slow
@pytest.mark.usefixtures("mosquitto")
@pytest.mark.parametrize("game", BY_GAME)
def test_a_table_publishes_no_field_that_is_not_described(game: str, run_folder: Path) -> None:
    models = {**{kind: model for model, (_, kind) in KINDS.items()}, **{f"{k}.v1": m for k, m in STATES.items()}}
    for name, (_, form) in one_of_each(run_folder, game).items():
        strict = validator(models[name].__name__, strict=True)
        assert [f"{error.instance_path}: {error.message}" for error in strict.iter_errors(form["data"])] == [], name
        envelope = validator("EventEnvelope" if "sequence" in form else "StateEnvelope", strict=True)
        assert envelope.is_valid(form), name


MAY_LACK = {
    ("round.opened.v1", "rules_hash"),
    ("meta.info.v1", "rules_hash"),
    ("round.phase.v1", "round_id"),
    ("round.state.v1", "round_id"),
    ("wheel.started.v1", "release_rpm"),
    ("wheel.stopped.v1", "serial"),
    ("draw.committed.v1", "serial"),
}
"""Fields that an earlier build, no round, a wheel let go late or a device without a number leaves out."""


@pytest.mark.slow
@pytest.mark.usefixtures("mosquitto")
@pytest.mark.parametrize("game", BY_GAME)
def test_a_message_that_lacks_a_field_is_refused(game: str, run_folder: Path) -> None:
    for name, (channel, form) in one_of_each(run_folder, game).items():
        lacking = [without(form, attribute) for attribute in form if attribute not in {"causationid", "clockerrus"}]
        lacking += [without(form, "data", item) for item in form["data"] if (name, item) not in MAY_LACK]
        assert [
            left.keys() ^ form.keys() or form["data"].keys() - left["data"].keys()
            for left in lacking
            if takes(channel, left)
        ] == [], name


@pytest.mark.slow
@pytest.mark.usefixtures("mosquitto")
@pytest.mark.parametrize("game", BY_GAME)
def test_message_with_a_value_of_a_wrong_type_is_refused(game: str, run_folder: Path) -> None:
    for name, (channel, form) in one_of_each(run_folder, game).items():
        for attribute in form:
            assert not takes(channel, {**form, attribute: [7]}), (name, attribute)
        for item in form["data"]:
            wrong = {**form, "data": {**form["data"], item: {"no": ["such", "form"]}}}
            assert item in {"rules", "counts"} or not takes(channel, wrong), (name, item)


@pytest.mark.slow
@pytest.mark.usefixtures("mosquitto")
@pytest.mark.parametrize("game", BY_GAME)
def test_a_message_of_another_type_is_refused(game: str, run_folder: Path) -> None:
    found = one_of_each(run_folder, game)
    for name, (channel, form) in found.items():
        for other in {*found, "round.undone.v1"} - {name}:
            assert not takes(channel, {**form, "type": f"mo.tablectl.{other}"}), (name, other)


@pytest.mark.slow
@pytest.mark.usefixtures("mosquitto")
@pytest.mark.parametrize("game", BY_GAME)
def test_a_settlement_with_money_as_a_number_is_refused(game: str, run_folder: Path) -> None:
    form = deepcopy(one_of_each(run_folder, game)["round.settled.v1"][1])
    settlement = form["data"]["settlement"]
    bets = settlement["bets"] if "bets" in settlement else next(p["bets"] for p in settlement["places"] if p["bets"])
    assert validator("round.settled.v1").is_valid(form)
    bets[0]["net"] = float(bets[0]["net"])
    assert not validator("round.settled.v1").is_valid(form)


# --- what it answers


@dataclass
class Asker:
    """A subscriber with mosquitto's own client."""

    port: int
    feed: Feed

    def ask(self, verb: str, **body: Any) -> list[Form]:
        """The answers, or what came of a replay; none of them is anything but one of its channel's messages."""
        topic, transaction = "tablectl/v1/demo/q-demo", verb
        asked = json.dumps({"transaction": transaction, **body})
        assert validator(f"request.{verb}").is_valid(json.loads(asked)) or verb == "prove"
        command = ["mosquitto_pub", "-q", "1", "-p", str(self.port), "-t", f"{topic}/req/cctv/{verb}", "-m", asked]
        before = len(self.feed.messages())
        subprocess.run(command, check=True)
        ends = {f"{topic}/answer/cctv/{transaction}", f"{topic}/replay/cctv/{transaction}"}

        def came() -> list[Form]:
            messages = self.feed.messages()[before:]
            return [json.loads(payload) for name, _, payload in messages if name in ends]

        Feed.until(lambda: any("transaction" in form for form in came()))
        return came()


def said_last(heard_by: Feed) -> str:
    """What the table last said of itself."""
    status = heard_by.last("/status")
    return str(status["data"]["state"]) if status else ""


@pytest.fixture(name="asker")
def _asker(mosquitto: Path, run_folder: Path, tmp_path: Path) -> Iterator[Asker]:
    """Asks a table that has played."""
    shutil.copytree(evening(run_folder, PLAIN).folder / "state", tmp_path / "state")
    (tmp_path / "broker").mkdir()
    with private_broker(mosquitto, tmp_path / "broker") as broker:
        broker.start()
        heard_by = Feed(broker, tmp_path / "feed")
        heard_by.start()
        settings = {
            "mqtt.url": broker.url,
            "paths.state": str(tmp_path / "state"),
            "paths.runtime": str(tmp_path / "run"),
            "subscribers.cctv.may": json.dumps(list(VERBS)),
            "subscribers.cctv.reads": '["round", "bet", "card", "draw", "wheel", "dice", "fault", "fairness", "audit"]',
            "subscribers.cctv.role": "surveillance",
        }
        daemon = Daemon(fork_server(), shipped("tables/q-poker.demo.toml"), tmp_path, settings)
        daemon.start()
        Feed.until(lambda: said_last(heard_by) == "degraded")  # up, and without the devices of the demonstration
        try:
            yield Asker(broker.port, heard_by)
        finally:
            daemon.kill()
            heard_by.stop()


@pytest.mark.slow
def test_every_answer_is_the_one_that_its_request_s_operation_names(asker: Asker) -> None:
    bodies: dict[str, Form] = {
        "replay": {"from": "1", "to": None},
        "recall": {"rounds": 1},
        "status": {},
        "bookmark": {"note": "a test", "at": utc_text(time.time_ns() // 1000 - 1_000)},
        "acknowledge": {"code": 101, "device": "shoe"},
    }
    (recalled, *_) = asker.ask("recall", rounds=1)
    bodies["prove"] = {"round_id": recalled["data"]["rounds"][0]["round_id"]}
    for verb, body in bodies.items():
        reply = described()["operations"][f"takeRequest{verb.capitalize()}"]["reply"]["messages"]
        names = [each["$ref"].rpartition("/")[2] for each in reply]
        for form in asker.ask(verb, **body):
            replayed = "sequence" in form or "complete" in form
            fitting = names if replayed == (verb == "replay") else described()["channels"]["replay"]["messages"]
            assert [name for name in fitting if validator(name).is_valid(form)], (verb, form)


@pytest.mark.slow
def test_a_refusal_is_an_error_with_code_and_message(asker: Asker) -> None:
    (refused,) = asker.ask("prove", round_id="none")
    assert validator("answer.error").is_valid(refused)
    assert not takes("answer", {**refused, "error": {"code": "malformed"}})
    assert not takes("answer", {"transaction": "x"})
