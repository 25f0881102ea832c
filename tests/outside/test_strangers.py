"""Wrong PINs, names, links and host names of strangers, and starts without a snapshot."""

import http.client
import json
import re
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

from tests.outside.table import PIN, Broker, Subscriber, Table, until

GUESSES = 40


def signed_on(table: Table, origin: str, pin: str, host: str = "localhost") -> tuple[int, str]:
    """What the console answers to this PIN from this address: status and code."""
    connection = http.client.HTTPConnection(*table.console, timeout=30, source_address=(origin, 0))
    with closing(connection):
        body = json.dumps({"person": "sam", "pin": pin})
        connection.request("POST", "/v1/sign-on", body, {"Content-Type": "application/json", "Host": host})
        answer = connection.getresponse()
        return answer.status, json.load(answer).get("error", {}).get("code", "")


def test_wrong_pins_from_elsewhere_lock_nobody_out(table: Table) -> None:
    table.start()
    statuses = [signed_on(table, f"127.0.2.{2 + number % 20}", "0000")[0] for number in range(GUESSES)]
    assert set(statuses) <= {401, 429}
    assert statuses[-1] == 429
    assert signed_on(table, "127.0.0.1", PIN)[0] == 200


def test_host_name_of_another_site_is_turned_away(table: Table) -> None:
    table.start()
    assert signed_on(table, "127.0.0.1", PIN)[0] == 200
    for host in ("evil.example", "localhost.evil.example", "127.0.0.1.", "LOCALHOST@evil.example"):
        assert signed_on(table, "127.0.0.1", PIN, host)[0] == 403, host


def test_name_that_looks_like_another_bettors_is_refused(table: Table) -> None:
    table.start()
    assert table.ask("open_round")["accepted"]
    assert table.send(table.bet(bettor="Ana"))["accepted"]
    for name in ("\N{CYRILLIC CAPITAL LETTER A}na", "An\N{CYRILLIC SMALL LETTER A}", "Ana\N{ZERO WIDTH SPACE}", "Ana "):
        assert not table.send(table.bet(bettor=name, place=2)).get("accepted"), ascii(name)
    assert {bet["bettor"] for bet in table.state()["round"]["bets"]} == {"Ana"}


def test_client_id_is_published_nowhere_and_not_to_be_guessed(table: Table, broker: Broker, seen: Subscriber) -> None:
    found: list[str] = []
    for _ in range(2):
        table.start()
        until(lambda: seen.status()["state"] == "ready")
        found.append(broker.clients()[-1])
        table.kill()
        shutil.rmtree(table.state_folder)
        seen.keep("checkpoint", b"")
        until(lambda: seen.status()["state"] == "lost")
    own, other = (re.findall(r"[0-9a-f]{16,}", each) for each in found)
    assert own
    assert not set(own) & set(other)
    assert not [payload for _, payload, _ in seen.messages if any(part.encode() in payload for part in own + other)]


def test_a_link_in_the_state_folder_is_not_followed(table: Table, tmp_path: Path) -> None:
    table.start()
    victim = tmp_path / "victim"
    victim.write_text("as it was")
    (table.state_folder / "log-level.json").symlink_to(victim)
    table.tool("log", "debug")
    assert victim.read_text() == "as it was"
    assert table.state()["phase"]


def test_start_without_snapshots_knows_every_round(table: Table, seen: Subscriber) -> None:
    table.start()
    for _ in range(3):
        table.play()
    until(lambda: len(seen.of_type("round.void.v1")) == 3)
    assert table.stop() == 0
    with closing(sqlite3.connect(table.state_folder / "journal.db")) as journal, journal:
        journal.execute("DELETE FROM snapshot")
    table.start()
    table.play()
    until(lambda: len(seen.of_type("round.void.v1")) == 4 and seen.is_proved())
    numbers = [form["data"]["round_id"].rpartition("-")[2] for form in seen.of_type("round.opened.v1")]
    assert numbers == ["000001", "000002", "000003", "000004"]
