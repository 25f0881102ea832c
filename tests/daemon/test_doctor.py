"""`tablectl doctor` on real folders, ports, brokers and a real daemon: what isn't well is named with what to do."""

import asyncio
import json
import os
import sys
from asyncio.subprocess import PIPE
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from drivers.sim.pty import PtyEnd
from drivers.sim.shoe import SimulatedShoe
from drivers.sim.shuffler import SimulatedShuffler
from tablectl.config.remarks import NO_PIN
from tablectl.mqtt.publisher import LARGEST_PACKET
from tablectl.proof.cosignature import witness_key
from tablectl.rule_tables import shipped
from tests.proof.keys import signer
from tests.support.authority import Authority
from tests.support.broker import private_broker
from tests.support.daemon import Daemon, fork_server
from tests.support.mqtt_server import MqttServer, refusing
from tests.support.patience import PATIENCE_S
from tests.support.warm import tablectl_path

NAMED = (("note", "broker", "nobody listens at"), ("BAD", "shoe", "(102)"), ("BAD", "shuffler", "(102)"))
CONFIG = shipped("tables/q-poker.demo.toml")


async def doctor(overrides: Mapping[str, str], *options: str, within: Sequence[str] = ()) -> tuple[int, str]:
    """Its exit status and what it printed; within another command, where one is given."""
    changes = [word for key, value in overrides.items() for word in ("--set", f"{key}={value}")]
    start = [*within, sys.executable, "-m", "tablectl"] if within else [tablectl_path()]
    command = [*start, "doctor", "--config", str(CONFIG), *changes, *options]
    # Into a pipe, as wide as the lines are, whatever the terminal of the tests is said to be.
    process = await asyncio.create_subprocess_exec(*command, stdout=PIPE, env={**os.environ, "COLUMNS": ""})
    async with asyncio.timeout(PATIENCE_S):
        said, _ = await process.communicate()
    assert process.returncode is not None
    return process.returncode, said.decode()


async def found(overrides: Mapping[str, str], within: Sequence[str] = ()) -> dict[str, dict[str, Any]]:
    """What it found in each area; of several in one area the worst comes last."""
    _, said = await doctor(overrides, "--json", within=within)
    levels = ["ok", "note", "bad"]
    findings = sorted(json.loads(said)["findings"], key=lambda each: levels.index(each["level"]))
    return {each["area"]: each for each in findings}


def listed(folder: str) -> list[Path]:
    return sorted(Path(folder).iterdir())


@pytest.fixture
def overrides(tmp_path: Path) -> dict[str, str]:
    state, runtime = tmp_path / "state", tmp_path / "run"
    for folder in (state, runtime):
        folder.mkdir(mode=0o700)
    return {"paths.state": str(state), "paths.runtime": str(runtime), "mqtt.url": "mqtt://127.0.0.1:1"}


@asynccontextmanager
async def devices(runtime: str) -> AsyncGenerator[None]:
    """The table's shoe and shuffler at their ports."""
    shoe, shuffler = (PtyEnd(link=Path(runtime) / name) for name in ("shoe", "shuffler"))
    SimulatedShoe(shoe)
    SimulatedShuffler(shuffler)
    for port in (shoe, shuffler):
        await port.plug()
    try:
        yield
    finally:
        for port in (shoe, shuffler):
            await port.unplug()


async def test_what_is_missing_is_named_with_what_to_do(overrides: dict[str, str]) -> None:
    status, said = await doctor(overrides)
    assert status == 1
    lines = said.splitlines()
    for level, area, name in NAMED:
        at = next(number for number, line in enumerate(lines) if line.startswith(f"{level:6}{area}"))
        assert name in lines[at]
        assert lines[at + 1].strip().startswith("→ ")
    assert lines[-1].startswith("2 problems;")


@pytest.mark.parametrize(
    ("people", "able"),
    [
        ({}, True),
        ({"people.ana.pin_hash": NO_PIN}, False),
        ({"people.ana.role": "surveillance"}, False),
        ({"people.ana.pin_hash": NO_PIN, "people.rui.role": "dealer"}, True),
    ],
    ids=["a dealer", "no PIN", "no dealer", "another dealer"],
)
async def test_table_without_a_dealer_is_unhealthy(
    overrides: dict[str, str], people: dict[str, str], *, able: bool
) -> None:
    areas = await found({**overrides, **people})
    assert ("people" not in areas) is able
    if not able:
        assert areas["people"]["level"] == "bad"
        assert "tablectl pin" in areas["people"]["fix"]


async def test_devices_without_a_daemon_are_seen_by_name(overrides: dict[str, str]) -> None:
    async with devices(overrides["paths.runtime"]):
        areas = await found(overrides)
    assert areas["shuffler"]["key"] == "device_frames"
    assert int(areas["shuffler"]["values"]["frames"]) > 0
    assert areas["shuffler"]["values"]["who"].endswith("SIM-1")
    assert areas["shoe"]["key"] in {"device_silent", "device_frames"}


async def test_beside_a_daemon_at_work_it_is_asked(overrides: dict[str, str], tmp_path: Path) -> None:
    daemon = Daemon(fork_server(), CONFIG, tmp_path, overrides)
    async with devices(overrides["paths.runtime"]):
        await asyncio.to_thread(daemon.start)
        try:
            areas = await found({**overrides, "console.listen": f"127.0.0.1:{daemon.port}"})
        finally:
            await asyncio.to_thread(daemon.kill)
    assert areas["daemon"]["key"] in {"daemon", "daemon_ill"}
    assert areas["shuffler"]["key"] == "device_counted"
    assert areas["journal"]["level"] == "ok"


async def test_beside_a_healthy_table_under_tls_nothing_is_bad(
    overrides: dict[str, str], tmp_path: Path, mosquitto: Path
) -> None:
    authority = Authority(tmp_path)
    own = authority.sign("table-7")
    tls = {"console.cert_file": own.cert, "console.key_file": own.key}
    with private_broker(mosquitto, tmp_path) as broker:
        await asyncio.to_thread(broker.start)
        settings = {**overrides, **tls, "mqtt.url": broker.url}
        daemon = Daemon(fork_server(), CONFIG, tmp_path, settings, trusts=authority.browser())
        async with devices(overrides["paths.runtime"]):
            await asyncio.to_thread(daemon.start)
            try:
                async with asyncio.timeout(PATIENCE_S):
                    while (await asyncio.to_thread(daemon.health))["status"] != "ok":
                        pass
                # Listening on every address, as a browser of the floor needs it: asked is the one of this machine.
                listen = {"console.listen": f"0.0.0.0:{daemon.port}"}
                status, said = await doctor({**settings, **listen}, "--json")
            finally:
                await asyncio.to_thread(daemon.kill)
    findings = {each["area"]: each for each in json.loads(said)["findings"] if each["key"] != "config_remark"}
    assert [each for each in findings.values() if each["level"] == "bad"] == []
    assert status == 0
    assert findings["daemon"]["values"] == {"status": "ok", "address": f"https://127.0.0.1:{daemon.port}"}
    assert findings["shuffler"]["key"] == "device_counted"


async def test_faults_that_stand_at_a_running_table_are_listed(overrides: dict[str, str], tmp_path: Path) -> None:
    daemon = Daemon(fork_server(), CONFIG, tmp_path, overrides)
    await asyncio.to_thread(daemon.start)
    listen = {"console.listen": f"127.0.0.1:{daemon.port}"}
    texts: list[str] = []
    try:
        async with asyncio.timeout(PATIENCE_S):
            while not any("port is not there (102)" in text for text in texts):
                _, said = await doctor({**overrides, **listen}, "--json")
                texts = [each["text"] for each in json.loads(said)["findings"]]
    finally:
        await asyncio.to_thread(daemon.kill)


async def test_daemon_on_a_free_port_is_not_silent(overrides: dict[str, str], tmp_path: Path) -> None:
    daemon = Daemon(fork_server(), CONFIG, tmp_path, overrides)
    await asyncio.to_thread(daemon.start)
    try:
        areas = await found({**overrides, "console.listen": "127.0.0.1:0"})
    finally:
        await asyncio.to_thread(daemon.kill)
    assert areas["daemon"]["key"] == "daemon_anywhere"


async def test_admitting_broker_is_healthy_and_refusing_one_is_not(
    overrides: dict[str, str], tmp_path: Path, mosquitto: Path
) -> None:
    folder = tmp_path / "broker"
    folder.mkdir()
    with private_broker(mosquitto, folder) as broker:
        await asyncio.to_thread(broker.start)
        open_door = await found({**overrides, "mqtt.url": f"mqtt://127.0.0.1:{broker.port}"})
    with private_broker(mosquitto, folder, anonymous=False) as broker:
        await asyncio.to_thread(broker.start)
        shut_door = await found({**overrides, "mqtt.url": f"mqtt://127.0.0.1:{broker.port}"})
    assert open_door["broker"]["level"] == "ok"
    assert shut_door["broker"]["key"] == "broker_refused"


async def test_hidden_checkpoint_of_the_table_is_told_with_its_line(
    overrides: dict[str, str], tmp_path: Path, mosquitto: Path
) -> None:
    topic = "tablectl/v1/demo/q-demo/checkpoint"
    with private_broker(mosquitto, tmp_path) as broker:
        broker.allow("topic write tablectl/#", "topic read tablectl/v1/demo/q-demo/status")
        await asyncio.to_thread(broker.start)
        settings = {**overrides, "mqtt.url": broker.url}
        before = await found(settings)
        daemon = Daemon(fork_server(), CONFIG, tmp_path, settings)
        await asyncio.to_thread(daemon.start)
        try:
            async with asyncio.timeout(PATIENCE_S):
                while (areas := await found(settings))["broker"]["level"] == "ok":
                    pass  # until it has published a checkpoint
        finally:
            await asyncio.to_thread(daemon.kill)
        broker.allow(f"topic readwrite {topic}", "topic readwrite tablectl/v1/demo/q-demo/status")
        async with asyncio.timeout(PATIENCE_S):
            while (shown := await found(settings))["broker"]["level"] != "ok":
                pass  # until it has read its access list again
    assert before["broker"]["key"] == shown["broker"]["key"] == "broker"
    assert (areas["broker"]["level"], areas["broker"]["key"]) == ("note", "broker_hides_checkpoint")
    assert topic in areas["broker"]["text"]
    assert areas["broker"]["fix"].endswith(f": topic readwrite {topic}")


async def test_doctor_connects_with_the_daemons_will_and_limit(overrides: dict[str, str]) -> None:
    async with MqttServer(connack=refusing(0x9A)).listening() as server:
        areas = await found({**overrides, "mqtt.url": f"mqtt://127.0.0.1:{server.port}"})
    assert areas["broker"]["key"] == "broker_refused"
    assert "Retain not supported (0x9a)" in areas["broker"]["text"]
    assert "switch retained messages on there" in areas["broker"]["text"]
    connect = server.connects[0]
    protocol, flags = connect[:6], connect[7]
    assert (protocol, flags & 0b0010_1100) == (b"\0\4MQTT", 0b0010_1100), "a will, of QoS 1, retained"
    assert b"\x27" + LARGEST_PACKET.to_bytes(4, "big") in connect
    assert b"/status" in connect
    assert b"tablectl-" in connect


async def test_broker_that_hangs_up_is_not_said_to_be_away(overrides: dict[str, str]) -> None:
    async with MqttServer(most=1).listening() as server:
        areas = await found({**overrides, "mqtt.url": f"mqtt://127.0.0.1:{server.port}"})
    assert (areas["broker"]["level"], areas["broker"]["key"]) == ("bad", "broker_refused")
    assert areas["broker"]["text"].endswith("hung up (without a reason): look into its log")


async def test_an_untrusted_broker_is_blamed_on_our_tls_files(
    overrides: dict[str, str], tmp_path: Path, mosquitto: Path
) -> None:
    authority, other = Authority(tmp_path), Authority(tmp_path, "other")
    own = authority.sign("broker")
    tls = (f"cafile {authority.file}", f"certfile {own.cert}", f"keyfile {own.key}")
    url = "mqtts://127.0.0.1"
    with private_broker(mosquitto, tmp_path, *tls) as broker:
        await asyncio.to_thread(broker.start)
        trusted = await found({**overrides, "mqtt.url": f"{url}:{broker.port}", "mqtt.ca_file": authority.file})
        strange = await found({**overrides, "mqtt.url": f"{url}:{broker.port}", "mqtt.ca_file": other.file})
    assert trusted["broker"]["level"] == "ok"
    assert (strange["broker"]["level"], strange["broker"]["key"]) == ("bad", "broker_untrusted")
    assert "mqtt.ca_file" in strange["broker"]["fix"]


@pytest.mark.parametrize(
    ("expired", "level", "key", "text"),
    [
        (False, "note", "certificate_ends", "console.cert_file ends in 0 days, on "),
        (True, "bad", "certificate_expired", "console.cert_file expired on "),
    ],
)
async def test_the_days_left_of_a_certificate_are_told(
    overrides: dict[str, str], tmp_path: Path, level: str, key: str, text: str, *, expired: bool
) -> None:
    own = Authority(tmp_path).sign("console", expired=expired)
    areas = await found({**overrides, "console.cert_file": own.cert, "console.key_file": own.key})
    assert (areas["tls"]["level"], areas["tls"]["key"]) == (level, key)
    assert areas["tls"]["text"].startswith(text)
    assert "without a restart" in areas["tls"]["fix"]
    assert "console.cert_file" not in areas["config"]["text"]


async def test_a_simulated_devices_missing_port_is_no_matter_of_cables(overrides: dict[str, str]) -> None:
    assert "tablectl demo" in (await found(overrides))["shoe"]["fix"]


async def test_a_network_devices_missing_port_points_to_its_device_server(overrides: dict[str, str]) -> None:
    real = {"devices.shoe.port": "tcp://127.0.0.1:1", "devices.shoe.simulated": "false"}
    assert "device server" in (await found({**overrides, **real}))["shoe"]["fix"]


async def test_files_that_others_may_read_are_named(overrides: dict[str, str]) -> None:
    key = Path(overrides["paths.state"]) / "log.key"
    key.write_text("secret")
    key.chmod(0o644)
    areas = await found(overrides)
    assert areas["state"]["key"] == "state_open"
    assert areas["state"]["values"]["files"] == str(key)


async def test_a_folder_that_may_not_be_written_to_is_named(overrides: dict[str, str]) -> None:
    folder = overrides["paths.state"]
    await asyncio.to_thread(Path(folder).chmod, 0o500)
    areas = await found(overrides, within=read_only(folder) if os.geteuid() == 0 else ())
    assert (areas["state"]["key"], areas["state"]["values"]["files"]) == ("state_unwritable", folder)


def read_only(folder: str) -> list[str]:
    """A command that runs another where even root may not write to a folder."""
    mounts = 'mount --bind "$0" "$0" && mount -o remount,bind,ro "$0" && exec "$@"'
    return ["unshare", "--mount", "sh", "-c", mounts, folder]


async def test_a_journal_that_is_none_is_bad(overrides: dict[str, str]) -> None:
    journal = Path(overrides["paths.state"]) / "journal.db"
    journal.write_bytes(b"no journal" * 500)
    journal.chmod(0o600)
    assert (await found(overrides))["journal"]["level"] == "bad"


async def test_a_disk_with_less_room_than_configured_is_full(overrides: dict[str, str]) -> None:
    areas = await found({**overrides, "storage.low_water_mib": "1000000"})
    assert areas["disk"]["key"] == "disk_full"


@pytest.mark.skipif(os.geteuid() != 0, reason="mounting needs root")
async def test_a_disk_without_room_for_files_is_full(overrides: dict[str, str]) -> None:
    mounts = 'mount -t tmpfs -o nr_inodes=60,mode=700 none "$0" && exec "$@"'
    areas = await found(overrides, within=["unshare", "--mount", "sh", "-c", mounts, overrides["paths.state"]])
    disk = areas["disk"]
    assert (disk["key"], disk["level"], disk["values"]["least"]) == ("disk_inodes", "bad", "100")
    assert 0 < int(disk["values"]["free"]) < 60
    assert "delete many small files" in disk["fix"]


async def test_real_table_on_disk_that_keeps_nothing_is_not_well(overrides: dict[str, str]) -> None:
    real = {f"devices.{name}.simulated": "false" for name in ("shoe", "shuffler")}
    real |= {f"devices.{name}.port": f"serial:/dev/serial/by-path/{name}" for name in ("shoe", "shuffler")}
    people = {f"people.{name}.simulated": "false" for name in ("ana", "rui", "mei")}
    _, said = await doctor({**overrides, **real, **people, "paths.state": "/dev/shm/t7"}, "--json")
    texts = [each for each in json.loads(said)["findings"] if "paths.state" in each["text"]]
    assert [each["level"] for each in texts] == ["bad"]
    assert "/dev/shm/t7 is in memory (tmpfs)" in texts[0]["text"]
    assert "have [paths] state on a disk" in texts[0]["text"]


async def test_it_changes_nothing(overrides: dict[str, str]) -> None:
    before = await asyncio.to_thread(listed, overrides["paths.state"])
    await doctor(overrides)
    assert await asyncio.to_thread(listed, overrides["paths.state"]) == before


@pytest.mark.parametrize(("language", "word"), [("pt", "MAL"), ("zh-Hant", "不妥")])
async def test_it_speaks_the_languages_of_the_house(overrides: dict[str, str], language: str, word: str) -> None:
    _, said = await doctor(overrides, "--lang", language)
    assert any(line.startswith(word) for line in said.splitlines())


async def test_a_wrong_configuration_ends_with_its_own_status(overrides: dict[str, str]) -> None:
    status, _ = await doctor({**overrides, "table.game": "bridge"})
    assert status == os.EX_CONFIG


async def test_a_stopped_table_is_started_by_its_configurations_own_path(overrides: dict[str, str]) -> None:
    seen = await found(overrides)
    assert seen["daemon"]["key"] == "daemon_stopped_elsewhere"
    wanted = f"tablectl run --config {CONFIG}; as a service it has to lie at /etc/tablectl/"
    assert seen["daemon"]["fix"].startswith(wanted)


async def test_no_address_and_no_path_stands_twice_in_a_line(overrides: dict[str, str]) -> None:
    seen = await found(overrides)
    assert seen["broker"]["text"].count("127.0.0.1:1") == 1
    assert seen["shoe"]["text"].count(f"{overrides['paths.runtime']}/shoe") == 1


@pytest.mark.parametrize(
    ("answer", "level", "said"),
    [
        ("400 Bad Request", "ok", "answers"),
        ("200 OK", "note", "answers 200, as no witness does"),
        ("", "note", "doesn't answer"),
    ],
)
async def test_witness_that_is_none_is_told_apart(
    overrides: dict[str, str], answer: str, level: str, said: str
) -> None:
    async def answered(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(f"HTTP/1.1 {answer}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".encode() if answer else b"")
        writer.close()

    server = await asyncio.start_server(answered, "127.0.0.1", 0)
    async with server:
        port = server.sockets[0].getsockname()[1]
        given = {"url": f"http://127.0.0.1:{port}", "key": witness_key("w.example/one", signer().public)}
        own = {f"witnesses.one.{name}": json.dumps(value) for name, value in given.items()}
        finding = (await found({**overrides, **own}))["witness"]
    assert (finding["level"], said in finding["text"]) == (level, True), finding
