"""Metrics of the table for Prometheus.

They have nothing of people, bettors or single rounds.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

from tablectl.config.models import Config
from tablectl.console.openmetrics import Family, Sample, counter, gauge, histogram, info, stateset
from tablectl.core.events.round import Settled, Voided
from tablectl.core.protocols import DeviceCounters, StoredEvent
from tablectl.core.table import device, entry
from tablectl.daemon.host.outlet import outlets
from tablectl.daemon.table import LiveTable
from tablectl.daemon.views.state_topics import About
from tablectl.mqtt.publisher import PublisherHealth
from tablectl.rule_tables import game_record

STATES: Final = ("init", "ready", "degraded", "stopped")
ENDS: Final[Mapping[type, str]] = {Settled: "settled", Voided: "void"}

_OF_DEVICES: Final[Mapping[str, tuple[str, Callable[[DeviceCounters], int]]]] = {
    "tablectl_device_received_bytes": ("Bytes from the device.", lambda counted: counted.bytes),
    "tablectl_device_frames": ("Whole frames from the device.", lambda counted: counted.frames),
    "tablectl_device_rejected_frames": ("Frames that could not be taken.", lambda counted: counted.rejected),
    "tablectl_device_facts": ("Facts that the device reported.", lambda counted: counted.facts),
}


class TableMetrics:
    """The metrics of one table, read when `/metrics` is requested.

    Args:
        status: the table's state in one word.
        counters: of each driver, by its device's name.
        broker: figures of the publisher.
        lag_s: how late the loop was when it was measured last.
    """

    def __init__(
        self,
        config: Config,
        table: LiveTable[Any],
        about: About,
        status: Callable[[], str],
        counters: Callable[[], Mapping[str, DeviceCounters]],
        broker: Callable[[], PublisherHealth],
        lag_s: Callable[[], float],
    ) -> None:
        self._config = config
        self._table = table
        self._about = about
        self._status = status
        self._counters = counters
        self._broker = broker
        self._lag_s = lag_s
        self._of = {"site": config.table.site, "table": config.table.name}
        self._phases = tuple(map(str, game_record(table.game.name).transitions))
        self._rounds = dict.fromkeys(ENDS.values(), 0)
        self._ended = ""

    def take(self, events: Sequence[StoredEvent]) -> None:
        """Count the rounds that these events end.

        A round that was open again counts once; only the last one can be.
        """
        for event in (stored.event for stored in events):
            if isinstance(event, Settled | Voided) and event.round_id != self._ended:
                self._ended = event.round_id
                self._rounds[ENDS[type(event)]] += 1

    def families(self) -> Iterator[Family]:
        """Every metric of the table now."""
        yield from self._of_table()
        yield from self._of_journal()
        yield from self._of_broker()
        yield from self._of_devices()
        yield self._faults()

    def _of_table(self) -> Iterator[Family]:
        table, of = self._table, self._of
        about = {"version": self._about.version, "program": self._about.program, "game": table.game.name}
        yield info("tablectl_build", "What runs at the table.", {**of, **about})
        yield stateset("tablectl_state", "State of the table.", self._status(), STATES, of)
        phase = table.game.phase(table.state.game)
        yield stateset("tablectl_phase", "Phase of the round.", phase, self._phases, of)
        rounds = tuple(Sample(count, {**of, "end": end}, "_total") for end, count in self._rounds.items())
        yield Family("tablectl_rounds", "counter", "Rounds that ended since the daemon began.", rounds)
        yield gauge("tablectl_facts_waiting", "Facts that wait to be stored.", table.waiting, of)
        lag_s = round(self._lag_s(), 6)
        yield gauge("tablectl_loop_lag_seconds", "How late the event loop was last.", lag_s, of, "seconds")
        lost = sum(outlet.lost for outlet in outlets())
        yield counter("tablectl_log_lines_lost", "Log lines that nobody took.", lost, of)

    def _of_journal(self) -> Iterator[Family]:
        journal, of = self._table.journal, self._of
        yield counter("tablectl_journal_records", "Facts in the journal.", self._table.state.records, of)
        yield counter("tablectl_events_stored", "Events in the journal.", journal.last_sequence(), of)
        commits = journal.commits
        text = "Time until facts are durable."
        yield histogram("tablectl_commit_seconds", text, commits.at_most(), commits.sum_s, of)

    def _of_broker(self) -> Iterator[Family]:
        broker, of = self._broker(), self._of
        connected = int(broker.connected_s is not None)
        yield gauge("tablectl_mqtt_connected", "1 while the broker is connected.", connected, of)
        yield counter("tablectl_events_acknowledged", "Events that the broker has.", broker.acknowledged, of)
        yield gauge("tablectl_events_behind", "Events that the broker has yet to take.", broker.backlog, of)
        yield counter("tablectl_mqtt_retries", "Connections to the broker that failed.", broker.retries, of)
        yield counter("tablectl_mqtt_refused", "Messages that the broker refused.", broker.refused, of)
        yield counter("tablectl_requests", "Requests that subscribers made.", broker.requests, of)
        yield counter("tablectl_requests_denied", "Requests that were denied.", broker.requests_denied, of)

    def _of_devices(self) -> Iterator[Family]:
        counted = self._counters()
        attached = tuple(
            Sample(int(device(self._table.state, name).attached), {**self._of, "device": name})
            for name in self._config.devices
        )
        yield Family("tablectl_device_attached", "gauge", "1 while the device is there.", attached)
        for name, (text, figure) in _OF_DEVICES.items():
            samples = tuple(
                Sample(figure(each), {**self._of, "device": here}, "_total") for here, each in counted.items()
            )
            yield Family(name, "counter", text, samples, "bytes" if name.endswith("_bytes") else "")

    def _faults(self) -> Family:
        """Faults that are present, by code and device.

        A device that the table no longer has goes without its name.
        """
        present: Counter[tuple[int, str]] = Counter()
        for item in self._table.state.faults:
            if item.present:
                present[int(item.code), item.device if item.device in self._config.devices else ""] += 1
        samples = tuple(
            Sample(
                count,
                {**self._of, "device": name, "code": str(code), "severity": entry(code).severity.value},
            )
            for (code, name), count in sorted(present.items())
        )
        return Family("tablectl_faults", "gauge", "Faults that are present.", samples)
