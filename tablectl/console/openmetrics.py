"""OpenMetrics text: families of samples, and the answer that carries them.

The form is that which Prometheus reads.
"""

import asyncio
import os
import resource
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from math import isinf
from pathlib import Path
from typing import Final, Literal

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from tablectl.lazy_dataclass import dataclass

CONTENT_TYPE: Final = "application/openmetrics-text; version=1.0.0; charset=utf-8"
PATH: Final = "/metrics"

_PAGE_BYTES: Final = os.sysconf("SC_PAGE_SIZE")
_ESCAPES: Final = str.maketrans({"\\": r"\\", '"': r"\"", "\n": r"\n"})


@dataclass(frozen=True, slots=True)
class Sample:
    """One line of a family.

    Args:
        suffix: what follows the family's name, such as `_total`.
    """

    value: float
    labels: Mapping[str, str] = field(default_factory=dict[str, str])
    suffix: str = ""


@dataclass(frozen=True, slots=True)
class Family:
    """A metric with all its samples.

    Args:
        name: without the suffix of a kind; ends with the unit where it has one.
    """

    name: str
    kind: Literal["counter", "gauge", "histogram", "info", "stateset"]
    help: str
    samples: Sequence[Sample]
    unit: str = ""

    def lines(self) -> Iterator[str]:
        """The family as text, a line each."""
        yield f"# TYPE {self.name} {self.kind}"
        if self.unit:
            yield f"# UNIT {self.name} {self.unit}"
        yield f"# HELP {self.name} {self.help.translate(_ESCAPES)}"
        for sample in self.samples:
            labels = ",".join(f'{name}="{text.translate(_ESCAPES)}"' for name, text in sample.labels.items())
            yield f"{self.name}{sample.suffix}{f'{{{labels}}}' if labels else ''} {sample.value}"


def counter(name: str, text: str, value: float, labels: Mapping[str, str], unit: str = "") -> Family:
    """A counter with one sample."""
    return Family(name, "counter", text, (Sample(value, labels, "_total"),), unit)


def gauge(name: str, text: str, value: float, labels: Mapping[str, str], unit: str = "") -> Family:
    """A gauge with one sample."""
    return Family(name, "gauge", text, (Sample(value, labels),), unit)


def stateset(name: str, text: str, now: str, states: Iterable[str], labels: Mapping[str, str]) -> Family:
    """A StateSet: a sample for each state, 1 for the present one and 0 for the others."""
    samples = tuple(Sample(int(state == now), {**labels, name: state}) for state in states)
    return Family(name, "stateset", text, samples)


def histogram(
    name: str, text: str, sizes: Sequence[tuple[float, int]], sum_s: float, labels: Mapping[str, str]
) -> Family:
    """Durations by size.

    Args:
        sizes: how many took at most so many seconds, by bound; the last bound is infinity.
        sum_s: all of them together.
    """
    buckets = (
        Sample(count, {**labels, "le": "+Inf" if isinf(bound) else repr(bound)}, "_bucket") for bound, count in sizes
    )
    ends = (Sample(sizes[-1][1], labels, "_count"), Sample(round(sum_s, 6), labels, "_sum"))
    return Family(name, "histogram", text, (*buckets, *ends), "seconds")


def info(name: str, text: str, labels: Mapping[str, str]) -> Family:
    """Texts that stay the same as long as the process runs."""
    return Family(name, "info", text, (Sample(1, labels, "_info"),))


def process_families() -> Sequence[Family]:
    """Memory, processor time and open files of this process. Blocks.

    They have the names that all exporters use.
    """
    used = resource.getrusage(resource.RUSAGE_SELF)
    pages = int(Path("/proc/self/statm").read_text("ascii").split()[1])
    seconds = round(used.ru_utime + used.ru_stime, 6)
    open_files = sum(1 for _ in Path("/proc/self/fd").iterdir())
    return (
        gauge("process_resident_memory_bytes", "Resident memory.", pages * _PAGE_BYTES, {}, "bytes"),
        counter("process_cpu_seconds", "Processor time.", seconds, {}, "seconds"),
        gauge("process_open_fds", "Open files.", open_files, {}),
    )


def exposition(families: Iterable[Family]) -> str:
    """The whole text, with its end mark."""
    return "".join(f"{line}\n" for family in families for line in family.lines()) + "# EOF\n"


def metrics_route(families: Callable[[], Iterable[Family]]) -> Route:
    """`GET /metrics`."""

    async def answer(_request: Request) -> Response:
        of_process = await asyncio.to_thread(process_families)
        text = exposition((*families(), *of_process))
        return Response(text, headers={"Content-Type": CONTENT_TYPE})

    return Route(PATH, answer)
