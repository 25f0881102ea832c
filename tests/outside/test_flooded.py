"""A shoe that reports without end, cards damaged in every copy, and strangers who ask without end."""

import os
import socket
import threading
import time
import tty
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from tests.outside.table import Broker, Subscriber, Table, until
from tests.support.patience import SCALE

FLOOD, REPORT_LOST = 114, 107
REPORTS = 3000
SLOW_S = 5.0 * SCALE
"""The longest that somebody at the table may wait on a machine that runs other tests."""

Q_POKER = """
[q_poker]
places = 3
[devices.shoe]
kind = "shoe"
protocol = "angel_eye"
port = "serial:{port}"
simulated = true
"""


class Shoe:
    """The far end of an Angel Eye shoe's line, from its protocol's page."""

    def __init__(self) -> None:
        self._own, table = os.openpty()
        tty.setraw(table)
        self.port = os.ttyname(table)
        self._table, self._seq = table, 0

    def close(self) -> None:
        for each in (self._own, self._table):
            os.close(each)

    def report(self, code: bytes, extra: bytes = b"", *, damaged: bool = False) -> None:
        """One report in its three copies; a damaged one has wrong check characters in each."""
        self._seq = (self._seq + 1) % 10
        body = b"%d" % self._seq + code + extra + b"\x03"
        check = 0
        for byte in body:
            check ^= byte
        self._send(b"\x05" + body + b"%02X" % (check ^ (0x55 if damaged else 0)))

    def card(self, suit: int, rank: int, *, damaged: bool = False) -> None:
        self.report(b"D", bytes((0x81, 0x80 | suit << 4 | rank)), damaged=damaged)

    def flood(self) -> None:
        for _ in range(REPORTS):
            self.report(b"P")

    def _send(self, frame: bytes) -> None:
        for _ in range(3):
            left = frame
            while left:
                left = left[os.write(self._own, left) :]


@pytest.fixture(name="shoe")
def _shoe() -> Iterator[Shoe]:
    shoe = Shoe()
    yield shoe
    shoe.close()


@pytest.fixture(name="dealt")
def _dealt(broker: Broker, tmp_path: Path, shoe: Shoe) -> Iterator[Table]:
    """A Q Poker table in mid-deal: bets at two places, and two cards lie."""
    table = Table(tmp_path, broker.port)
    wheel, text = '"wheel_of_fortune"\n[wheel_of_fortune]\nplaces = 12\n', table.config.read_text()
    assert wheel in text
    text = text.replace(wheel, '"q_poker"\n')
    table.config.write_text(text + Q_POKER.format(port=shoe.port))
    table.start()
    until(lambda: table.ask("confirm_pack", shuffle="hand").get("accepted"))
    assert table.ask("open_round")["accepted"]
    for place in (1, 2):
        said = table.ask("bet", place=place, bettor=f"Ho{place}", bet="versus_dealer", stake="100")
        assert said["accepted"], said
    for rank in (2, 3):
        shoe.card(3, rank)
    until(lambda: lying(table) == 2)
    yield table
    table.kill()


def lying(table: Table) -> int:
    return sum(len(hand["cards"]) for hand in table.state()["round"]["hands"])


def test_flooding_shoe_neither_fills_nor_stops_the_table(dealt: Table, shoe: Shoe, seen: Subscriber) -> None:
    before = size_of(dealt.state_folder)
    flood = threading.Thread(target=shoe.flood)
    flood.start()
    longest_s = 0.0
    while flood.is_alive():
        asked_s = time.monotonic()
        assert dealt.ask("bookmark", note="still there").get("accepted")
        longest_s = max(longest_s, time.monotonic() - asked_s)
    assert longest_s < SLOW_S
    until(lambda: dealt.fault(FLOOD) or seen.of_type("fault.raised.v1"))
    until(lambda: dealt.state()["round"]["count_due"])
    assert size_of(dealt.state_folder) - before < 2000 * REPORTS
    assert lying(dealt) == 2


def size_of(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.glob("journal.db*"))


def test_card_damaged_in_every_copy_shifts_no_other(dealt: Table, shoe: Shoe) -> None:
    shoe.card(3, 4, damaged=True)
    time.sleep(1.0)  # the vote's window is 0.6 s
    shoe.card(3, 5)
    until(lambda: lying(dealt) >= 3)
    until(lambda: dealt.state()["round"]["count_due"] or dealt.fault(REPORT_LOST))
    assert not dealt.ask("open_hand", place=1).get("accepted")


def test_strangers_who_never_read_keep_nobody_out(table: Table) -> None:
    table.start()
    host, port = table.console
    sockets: list[socket.socket] = []
    with suppress(OSError):
        for number in range(300):
            stranger = socket.create_connection((host, port), 5, (f"127.0.0.{2 + number % 5}", 0))
            stranger.sendall(b"GET /dealer HTTP/1.1\r\nHost: localhost\r\n\r\n" * 20)
            sockets.append(stranger)
    table.play()  # how soon, `bench/strangers.py` measures
    for stranger in sockets:
        stranger.close()
