"""`/metrics`: OpenMetrics text that a strict reader takes, and only where the house wants it."""

from math import inf

import pytest

from tablectl.console.openmetrics import CONTENT_TYPE, exposition, gauge, histogram, info, stateset
from tests.console.rig import house
from tests.support.openmetrics import read


async def test_metrics_need_no_sign_on_and_say_what_they_are() -> None:
    async with house(metrics=lambda: [gauge("tablectl_x", "An x.", 2, {"site": "s"})]) as here:
        answer = await here.screen().http.get("/metrics")
        assert (answer.status_code, answer.headers["Content-Type"]) == (200, CONTENT_TYPE)
        families = read(answer.text)
        assert families["tablectl_x"].value(site="s") == 2
        assert families["process_resident_memory_bytes"].value() > 1 << 20
        assert families["process_cpu_seconds"].value("_total") > 0


async def test_metrics_are_not_there_unless_wanted() -> None:
    async with house() as here:
        assert (await here.screen().http.get("/metrics")).status_code == 404


def test_labels_and_help_survive_any_text() -> None:
    hostile = 'a "quote", a back\\slash, a line\nbreak}, name="x"'
    families = read(exposition([info("tablectl_about", hostile, {"text": hostile})]))
    ((_, labels),) = families["tablectl_about"].samples
    assert dict(labels)["text"].replace(r"\"", '"').replace(r"\n", "\n").replace(r"\\", "\\") == hostile


def test_a_histogram_counts_up_to_infinity() -> None:
    family = histogram("tablectl_s_seconds", "S.", [(0.001, 3), (0.5, 4), (inf, 6)], 2.5, {"table": "q"})
    found = read(exposition([family]))["tablectl_s_seconds"]
    assert [found.value("_bucket", le=bound) for bound in ("0.001", "0.5", "+Inf")] == [3, 4, 6]
    assert (found.value("_count"), found.value("_sum")) == (6, 2.5)


def test_a_state_is_one_of_its_set() -> None:
    found = read(exposition([stateset("tablectl_state", "S.", "ready", ("init", "ready"), {})]))["tablectl_state"]
    assert [found.value(tablectl_state=state) for state in ("init", "ready")] == [0, 1]


@pytest.mark.parametrize(
    "wrong",
    [
        "# TYPE a gauge\na 1\n",
        "# TYPE a gauge\na 1\na 2\n# EOF\n",
        "# TYPE a counter\na 1\n# EOF\n",
        "# TYPE a gauge\na 1\n# TYPE a gauge\n# EOF\n",
        '# TYPE a gauge\na{b="c"d="e"} 1\n# EOF\n',
        "# TYPE a gauge\n# UNIT a seconds\na 1\n# EOF\n",
    ],
    ids=["no end", "sample twice", "counter without total", "family twice", "no comma", "unit not in the name"],
)
def test_the_reader_of_these_tests_is_strict(wrong: str) -> None:
    with pytest.raises(AssertionError):
        read(wrong)
