"""Record of the wires of a table under test, written onto the timeline.

It is taken at the device's end.
"""

from collections.abc import Callable, Mapping
from typing import Final

from drivers.diagnostics.explain import Explainer, explainer
from drivers.sim.stand import Stand
from tablectl.config.models import Config
from tablectl.testing.timeline import Lane, Timeline

SAMPLES: Final = ("s count", "packet ")
"""How the words for a wheel's samples begin."""

EVERY: Final = 200
"""Of a stream of samples one in so many is noted."""


class Wires:
    """Counts and notes the bytes of every wire."""

    def __init__(self, config: Config, stands: Mapping[str, Stand], timeline: Timeline) -> None:
        self.sent = dict.fromkeys(stands, 0)
        self._timeline = timeline
        for name, stand in stands.items():
            section = config.devices[name]
            kind = section.kind if section.protocol == "link" else ""
            self._tap(name, stand, section.protocol, kind)

    def _tap(self, name: str, stand: Stand, protocol: str, kind: str) -> None:
        port = stand.port
        to_table = self._reader(name, Lane.TO_TABLE, explainer(protocol, kind, cards=True))
        to_device = self._reader(name, Lane.TO_DEVICE, explainer(protocol, kind, cards=True))
        sending, hearing = port.inject, port.on_bytes

        def send(data: bytes) -> None:
            self.sent[name] += len(data)
            to_table(data)
            sending(data)

        def hear(data: bytes) -> None:
            to_device(data)
            if hearing is not None:
                hearing(data)

        setattr(port, "inject", send)  # noqa: B010  # an observer, which a type can't know
        port.on_bytes = hear

    def _reader(self, name: str, lane: Lane, explaining: Explainer) -> Callable[[bytes], None]:
        samples = 0

        def read(data: bytes) -> None:
            nonlocal samples
            for line in explaining.feed(data):
                if line.startswith(SAMPLES):
                    samples += 1
                    if samples % EVERY != 1:
                        continue
                self._timeline.note(lane, name, line)

        return read
