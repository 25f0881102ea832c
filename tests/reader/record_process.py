"""`tablectl record` as a process of its own."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tablectl.features.recorder.run import load_record_config, recorded
from tablectl.features.recorder.settings import RecordConfig
from tablectl.features.recorder.status import Report
from tablectl.features.recorder.stores.store import StoreUnusableError
from tests.support.patience import PATIENCE_S
from tests.support.warm import tablectl_path

COMMAND = (sys.executable, "-m", "tablectl", "record")


@dataclass(slots=True)
class Process:
    """A recorder that is started, killed and asked for its status by its own commands."""

    config: Path
    log: Path
    changes: tuple[str, ...] = ()
    _process: "subprocess.Popen[bytes] | None" = None
    environment: dict[str, str] = field(default_factory=lambda: {**os.environ, "TZ": "Asia/Macau"})

    def start(self) -> None:
        """Starts it."""
        assert self._process is None
        with self.log.open("ab") as log:
            self._process = subprocess.Popen([*COMMAND, *self._options()], stderr=log, env=self.environment)

    def send(self, number: signal.Signals) -> None:
        """Sends it a signal."""
        assert self._process is not None
        self._process.send_signal(number)

    def end(self, number: signal.Signals = signal.SIGTERM) -> int:
        """Ends it; its exit code."""
        process, self._process = self._process, None
        if process is None:
            return 0
        process.send_signal(number)
        return process.wait(PATIENCE_S)

    def status(self) -> tuple[int, dict[str, Any]]:
        """The status command's exit code, and what it says."""
        command = [tablectl_path(), "record", *self._options(), "status", "--json"]
        ended = subprocess.run(command, capture_output=True, check=False, timeout=PATIENCE_S)
        return ended.returncode, json.loads(ended.stdout) if ended.stdout else {}

    def until(self, true: Callable[[Report], object]) -> Report:
        """Waits until there is something in the store, read as the status command reads it."""
        config = load_record_config(self.config, dict(change.split("=", 1) for change in self.changes))
        deadline = time.monotonic() + PATIENCE_S
        while not true(report := self._report(config)):
            assert time.monotonic() < deadline, (report, self.said())
            time.sleep(0.02)
        return report

    @staticmethod
    def _report(config: RecordConfig) -> Report:
        try:
            return recorded(config)
        except StoreUnusableError:
            return Report(complete=False, recorder="", recorder_at=None, tables=())

    def says(self, part: str) -> None:
        """Waits until it says this."""
        deadline = time.monotonic() + PATIENCE_S
        while part not in self.said():
            assert time.monotonic() < deadline, self.said()
            time.sleep(0.01)

    def said(self) -> str:
        """What it said so far."""
        return self.log.read_text()

    def _options(self) -> list[str]:
        changes = [word for change in self.changes for word in ("--set", change)]
        return ["--config", str(self.config), *changes]
