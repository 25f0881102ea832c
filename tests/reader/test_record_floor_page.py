"""The commands of docs/floor.md do what the page says, in its order, on a real server."""

import asyncio
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from pydantic import BaseModel

from tablectl.features.recorder.run import load_record_config
from tablectl.features.recorder.settings import BrokerSection, MetricsSection, RecordConfig, StoreSection, TablesSection
from tests.reader.record_postgres import Postgres
from tests.reader.record_process import Process
from tests.reader.record_table import Table
from tests.support.broker import Broker

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "floor.md").read_text()
COMMANDS = re.findall(r"^```sh\n(.*?)^```", PAGE, re.M | re.S)
COMPLETE = re.search(r"^```python\n(# complete.py.*?)^```", (ROOT / "docs" / "mqtt.md").read_text(), re.M | re.S)


def written(broker: Broker, table: Table, postgres: Postgres) -> str:
    """The page's configuration, with this test's broker, server and key."""
    found = re.search(r"^```toml\n(.*?)^```", PAGE, re.M | re.S)
    assert found is not None
    lines = [line for line in found[1].splitlines() if "_file" not in line]
    text = "\n".join(lines).replace("mqtts://broker.example:8883", broker.url)
    text = text.replace("postgresql:///floor", postgres.address("floor"))
    return re.sub("sha256:0{64}", table.fingerprint, text)


async def published(table: Table) -> None:
    async with table.online():
        await table.live(300)


@dataclass(frozen=True)
class Shell:
    """A shell in a folder, with the page's programs and server at hand."""

    folder: Path
    postgres: Postgres

    def run(self, script: str) -> str:
        path = f"{Path(sys.executable).parent}:{self.postgres.programs}:{os.environ['PATH']}"
        here = {"PATH": path, "PGHOST": str(self.postgres.folder), "PGUSER": "postgres"}
        command = ["sh", "-euc", script]
        environment = {**os.environ, **here}
        ended = subprocess.run(command, cwd=self.folder, env=environment, capture_output=True, text=True, check=False)
        assert ended.returncode == 0, (script, ended.stdout, ended.stderr)
        return ended.stdout


def test_the_commands_of_the_page_work_in_its_order(postgres: Postgres, broker: Broker, tmp_path: Path) -> None:
    table, shell = Table(broker.port), Shell(tmp_path, postgres)
    (tmp_path / "record.toml").write_text(written(broker, table, postgres))
    assert COMPLETE is not None
    (tmp_path / "complete.py").write_text(COMPLETE[1])
    make, record, status, *rest = COMMANDS
    shell.run(make)
    assert record == "tablectl record --config record.toml &\n"
    recorder = Process(tmp_path / "record.toml", tmp_path / "log")
    recorder.start()
    try:
        recorder.says("connected")
        asyncio.run(published(table))
        recorder.until(lambda report: report.complete and report.tables[0].logs[0].verified == 300)
        assert "verified up to 300" in shell.run(status)
        said = [shell.run(script) for script in rest]
    finally:
        recorder.end()
    assert "complete from 1 to 300; the checkpoint agrees" in said[3]
    assert postgres.ask("copy", "SELECT count(*) FROM tablectl.event") == [(300,)]
    assert "macau/q1/log7: #1 to #256 moved" in said[5]
    assert "whole, #1 to #256" in said[5]


def test_the_page_tells_of_every_key() -> None:
    sections: dict[str, type[BaseModel]] = {
        "broker": BrokerSection,
        "store": StoreSection,
        "tables": TablesSection,
        "metrics": MetricsSection,
    }
    keys = {f"{name}.{key}" for name, section in sections.items() for key in section.model_fields}
    assert set(re.findall(r"`((?:broker|store|tables|metrics)\.[a-z_]+)`", PAGE)) == keys
    assert "| `pit_brokers.<pit>.url` …" in PAGE
    assert set(RecordConfig.model_fields) == {*sections, "keys", "pit_brokers"}


def test_the_example_configuration_is_one() -> None:
    assert load_record_config(ROOT / "config" / "record.example.toml", {}).tables.listen == ("macau/+",)
