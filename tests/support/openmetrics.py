"""A strict reader of OpenMetrics text, made from the specification and not from what writes it."""

import re
from dataclasses import dataclass, field

_NAME = r"[a-zA-Z_:][a-zA-Z0-9_:]*"
_LABEL = re.compile(r'([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\[\\n"])*)"(?:,(?=.)|$)')
_SAMPLE = re.compile(rf"({_NAME})(?:\{{(.*)\}})? (\S+)")
_SUFFIXES = {
    "counter": ("_total",),
    "gauge": ("",),
    "histogram": ("_bucket", "_count", "_sum"),
    "info": ("_info",),
    "stateset": ("",),
}

Labels = tuple[tuple[str, str], ...]


@dataclass(slots=True)
class Read:
    """A family as it was read: its samples by suffix and labels."""

    kind: str
    unit: str = ""
    help: str = ""
    samples: dict[tuple[str, Labels], float] = field(default_factory=dict)

    def value(self, suffix: str = "", **labels: str) -> float:
        """The one sample with these labels, whatever its others are."""
        (found,) = (
            value for (end, has), value in self.samples.items() if end == suffix and labels.items() <= dict(has).items()
        )
        return found


def read(text: str) -> dict[str, Read]:
    """Every family, in order; fails at the first line that the specification forbids."""
    *lines, end, empty = text.split("\n")
    assert (end, empty) == ("# EOF", "")
    families: dict[str, Read] = {}
    name = ""
    for line in lines:
        if line.startswith("# "):
            word, about, rest = line[2:].split(" ", 2)
            if word == "TYPE":
                assert re.fullmatch(_NAME, about), line
                assert about not in families, f"twice: {line}"
                assert rest in _SUFFIXES, line
                name, families[about] = about, Read(rest)
                continue
            assert about == name, f"out of its family: {line}"
            assert not families[name].samples, f"after samples: {line}"
            assert word in {"UNIT", "HELP"}, line
            assert word != "UNIT" or name.endswith(f"_{rest}"), line
            setattr(families[name], word.lower(), rest)
        else:
            _sample(name, families[name], line)
    for name, family in families.items():
        _whole(name, family)
    return families


def _sample(name: str, family: Read, line: str) -> None:
    found = _SAMPLE.fullmatch(line)
    assert found, line
    assert found[1].startswith(name), f"out of its family: {line}"
    suffix = found[1].removeprefix(name)
    assert suffix in _SUFFIXES[family.kind], line
    labels = tuple(sorted(_labels(found[2] or "")))
    assert len({label for label, _ in labels}) == len(labels), f"a label twice: {line}"
    assert (suffix, labels) not in family.samples, f"twice: {line}"
    value = float(found[3])
    assert family.kind not in {"counter", "histogram"} or value >= 0, line
    assert family.kind not in {"info", "stateset"} or value in {0, 1}, line
    assert family.kind != "stateset" or name in dict(labels), line
    family.samples[suffix, labels] = value


def _labels(text: str) -> list[tuple[str, str]]:
    found = [(match[1], match[2]) for match in _LABEL.finditer(text)]
    assert ",".join(f'{name}="{value}"' for name, value in found) == text, text
    return found


def _whole(name: str, family: Read) -> None:
    """A histogram ends with infinity, and its buckets never fall; a set of states is in one of them at most."""
    if family.kind == "histogram":
        bounds = {dict(labels)["le"]: value for (end, labels), value in family.samples.items() if end == "_bucket"}
        assert list(bounds)[-1] == "+Inf", name
        assert [float(bound) for bound in bounds] == sorted(float(bound) for bound in bounds), name
        assert list(bounds.values()) == sorted(bounds.values()), name
        assert bounds["+Inf"] == family.value("_count"), name
        assert "_sum" in (end for end, _ in family.samples), name
    if family.kind == "stateset":
        assert sum(family.samples.values()) <= 1, name
