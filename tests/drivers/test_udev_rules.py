"""The shipped udev rules: well-formed, and what the drivers rely on is in them."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from drivers.sim import usb_tree, wheel_usb
from drivers.sim.usb import VENDOR

RULES = sorted((Path(__file__).resolve().parents[2] / "config/udev").glob("*.rules"))
MATCHES = {"ACTION", "SUBSYSTEM", "DRIVER", "ENV", "ATTR", "KERNEL", "SUBSYSTEMS", "ATTRS", "DRIVERS", "KERNELS"}
ASSIGNS = {"GROUP", "MODE", "SYMLINK", "ENV", "ATTR", "GOTO", "LABEL", "TAG"}
TOKEN = re.compile(r'(?P<key>[A-Z]+)(\{(?P<name>[A-Za-z_]+)\})?(?P<op>==|!=|\+=|:=|=)"(?P<value>[^"]*)"')
VERIFY_SINCE = 254


def rules(path: Path) -> list[list[dict[str, str | None]]]:
    """The tokens of every rule."""
    made: list[list[dict[str, str | None]]] = []
    for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
        if line.strip() and not line.startswith("#"):
            parts = [TOKEN.fullmatch(part.strip()) for part in line.split(", ")]
            assert all(parts), f"{path.name}:{number}: {line}"
            made.append([part.groupdict() for part in parts if part])
    return made


def test_there_are_rules() -> None:
    assert [path.name for path in RULES] == ["99-tablectl.rules"]


@pytest.mark.parametrize("path", RULES, ids=lambda path: path.name)
def test_every_rule_is_made_of_keys_that_udev_knows(path: Path) -> None:
    for rule in rules(path):
        for token in rule:
            known = MATCHES if token["op"] in {"==", "!="} else ASSIGNS
            assert token["key"] in known, token
            assert (token["name"] is not None) is (token["key"] in {"ENV", "ATTR", "ATTRS"}), token


@pytest.mark.parametrize("path", RULES, ids=lambda path: path.name)
def test_every_jump_has_its_label_behind_it(path: Path) -> None:
    flat = [(place, token) for place, rule in enumerate(rules(path)) for token in rule]
    labels = {token["value"]: place for place, token in flat if token["key"] == "LABEL"}
    assert all(labels[token["value"]] > place for place, token in flat if token["key"] == "GOTO")


def assigned(**wanted: str) -> list[list[dict[str, str | None]]]:
    """The rules that match all of this, as `SUBSYSTEM="tty"`."""
    return [
        rule
        for path in RULES
        for rule in rules(path)
        if wanted.items() <= {str(token["key"]): str(token["value"]) for token in rule if token["op"] == "=="}.items()
    ]


def given(subsystem: str) -> set[tuple[str, str]]:
    """What is assigned in a subsystem: key and value."""
    tokens = [token for rule in assigned(SUBSYSTEM=subsystem) for token in rule if token["op"] != "=="]
    return {(str(token["name"] or token["key"]), str(token["value"])) for token in tokens}


def test_adapters_are_services_have_stable_names_and_are_nobody_elses() -> None:
    assert ("latency_timer", "1") in given("usb-serial")
    assert {("GROUP", "tablectl"), ("MODE", "0660"), ("ID_MM_PORT_IGNORE", "1")} <= given("tty")
    names = {value for key, value in given("tty") if key == "SYMLINK"}
    assert names == {
        "tablectl/by-path/$env{ID_PATH}",
        "tablectl/by-id/$env{ID_SERIAL_SHORT}-$env{ID_USB_INTERFACE_NUM}",
    }
    assert ("ID_MM_DEVICE_IGNORE", "1") in given("usb")


def test_the_devices_on_usb_are_the_services() -> None:
    named = [rule for rule in assigned(SUBSYSTEM="usb") if any(token["key"] == "ATTR" for token in rule)]
    numbers = [{token["name"]: token["value"] for token in rule if token["key"] == "ATTR"} for rule in named]
    products = (wheel_usb.PRODUCT, usb_tree.PRODUCT)
    assert numbers == [{"idVendor": f"{VENDOR:04x}", "idProduct": f"{product:04x}"} for product in products]
    assert all({"GROUP", "MODE"} <= {token["key"] for token in rule} for rule in named)


def test_the_services_group_is_the_rules() -> None:
    unit = (RULES[0].parents[2] / "systemd/tablectl@.service").read_text("utf-8")
    assert "Group=tablectl" in unit


@pytest.mark.parametrize("path", RULES, ids=lambda path: path.name)
def test_udev_itself_finds_nothing_wrong(path: Path) -> None:
    program = shutil.which("udevadm", path=f"{os.environ.get('PATH', os.defpath)}:/usr/sbin:/sbin")
    if program is None:
        pytest.skip("udevadm is not installed: apt-get install udev")
    said = subprocess.run([program, "--version"], capture_output=True, text=True, check=True).stdout
    version = int(re.sub(r"\D.*", "", said))
    if version < VERIFY_SINCE:
        pytest.skip(f"udevadm {version} can't verify: it can from {VERIFY_SINCE} on")
    command = [program, "verify", "--resolve-names=never", str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
