"""A stranger on the USB of a whole table's controller: a fault for everybody, that only a technician ends."""

import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from drivers.sim.usb_tree import KEYBOARD, VENDOR, UsbTree
from drivers.transport.usb_allowlist import UsbDevice
from tablectl.core.faults import Code
from tablectl.rule_tables import shipped
from tests.support.broker import Broker
from tests.support.daemon import Daemon, RefusedError, fork_server
from tests.support.feed import Feed
from tests.support.shoe import Shoe

DEMO = shipped("tables/q-poker.demo.toml")
STRANGER = UsbDevice("1-8", 0x046D, 0xC31C, "K1", "Logitech", "Keyboard", interfaces=KEYBOARD)
OF_THE_BOARD = UsbDevice("1-3", 0x0BDA, 0xB85B, "", "Realtek", "Bluetooth", class_=0xE0, interfaces=((0xE0, 1),))
NAMED = "046d:c31c, Logitech Keyboard, serial K1, socket 1-8"


@pytest.fixture(name="usb")
def _usb(tmp_path: Path) -> UsbTree:
    usb = UsbTree(tmp_path / "sys")
    usb.plug(OF_THE_BOARD)
    return usb


@pytest.fixture(name="daemon")
def _daemon(broker: Broker, tmp_path: Path, shoe: Shoe, usb: UsbTree) -> Iterator[Daemon]:
    pin_hash = tomllib.loads(DEMO.read_text("utf-8"))["people"]["ana"]["pin_hash"]
    settings = {
        "mqtt.url": broker.url,
        "paths.state": str(tmp_path / "state"),
        "paths.runtime": str(tmp_path / "run"),
        "people.tim.role": "technician",
        "people.tim.pin_hash": pin_hash,
        "usb.watch": "true",
        "usb.expected": '["0bda:b85b"]',
        "usb.devices": str(usb.devices),
    }
    daemon = Daemon(fork_server(), DEMO, tmp_path, settings)
    begin(daemon)
    yield daemon
    if daemon.process is not None:
        daemon.kill()


def begin(daemon: Daemon) -> None:
    daemon.start()
    daemon.sign_on("ana", "1111")


def standing(daemon: Daemon) -> dict[str, Any]:
    """The fault as a console shows it; empty where it doesn't stand."""
    found = [one for one in daemon.state()["faults"] if one["code"] == Code.USB_UNEXPECTED]
    return found[0] if found else {}


def acknowledge(daemon: Daemon, person: str, number: int) -> None:
    daemon.sign_on(person, "2222" if person == "rui" else "1111")
    seen = daemon.state()["seen"]
    daemon.ask(
        "acknowledge_fault", f"ack-{number}", code=Code.USB_UNEXPECTED.value, device="", seen=seen, round_id=None
    )


def said_of_it(feed: Feed) -> list[tuple[str, str]]:
    """What subscribers were told of the fault: the kind of message, and the detail."""
    mine = [event for event in feed.events() if event["data"].get("code") == Code.USB_UNEXPECTED]
    return [(event["type"].split(".")[-2], event["data"].get("detail", "")) for event in mine]


def test_stranger_stops_next_round_until_technician_has_seen_to_it(daemon: Daemon, usb: UsbTree, feed: Feed) -> None:
    usb.plug(STRANGER)
    Feed.until(lambda: standing(daemon))
    assert standing(daemon)["detail"] == NAMED
    Feed.until(lambda: said_of_it(feed) == [("raised", NAMED)])

    with pytest.raises(RefusedError):
        daemon.ask("open_round", "open-1", seen=daemon.state()["seen"], round_id=None)
    for number, person in enumerate(("ana", "rui")):
        with pytest.raises(AssertionError, match="403"):
            acknowledge(daemon, person, number)

    usb.unplug("1-8")
    Feed.until(lambda: not standing(daemon)["present"])
    acknowledge(daemon, "tim", 7)
    assert standing(daemon) == {}
    Feed.until(lambda: [kind for kind, _ in said_of_it(feed)] == ["raised", "acknowledged", "cleared"])


def test_stranger_present_from_the_start_is_reported_once(daemon: Daemon, usb: UsbTree, feed: Feed) -> None:
    daemon.stop()
    usb.plug(STRANGER)
    begin(daemon)
    Feed.until(lambda: standing(daemon))
    daemon.stop()
    begin(daemon)
    Feed.until(lambda: standing(daemon))
    usb.plug(UsbDevice("1-7", 0x0781, 0x5581, interfaces=((8, 6),)))
    Feed.until(lambda: len(said_of_it(feed)) == 2)
    assert [detail for _, detail in said_of_it(feed)] == [NAMED, f"{NAMED}; 0781:5581, no serial number, socket 1-7"]


def test_what_belongs_to_the_machine_and_hubs_are_none(daemon: Daemon, usb: UsbTree, feed: Feed) -> None:
    usb.plug(UsbDevice("1-5", 0x0424, 0x2514, class_=9, interfaces=((9, 0),)))
    usb.unplug("1-3")
    usb.plug(OF_THE_BOARD)
    usb.plug(STRANGER)
    Feed.until(lambda: standing(daemon))
    assert said_of_it(feed) in ([], [("raised", NAMED)])


def test_table_that_no_longer_looks_lets_a_technician_end_fault(daemon: Daemon, usb: UsbTree) -> None:
    usb.plug(STRANGER)
    Feed.until(lambda: standing(daemon))
    daemon.stop()
    daemon.overrides = {**daemon.overrides, "usb.watch": "false"}
    begin(daemon)
    Feed.until(lambda: not standing(daemon)["present"])
    acknowledge(daemon, "tim", 1)
    assert standing(daemon) == {}


def test_without_being_told_to_nobody_looks(daemon: Daemon, usb: UsbTree) -> None:
    daemon.stop()
    daemon.overrides = {key: value for key, value in daemon.overrides.items() if key != "usb.watch"}
    usb.plug(STRANGER)
    usb.plug(UsbDevice("1-6", 0x0403, 0x6001, interfaces=VENDOR))
    begin(daemon)
    Feed.until(lambda: any(one["name"] == "shoe" and one["attached"] for one in daemon.state()["devices"]))
    assert standing(daemon) == {}
