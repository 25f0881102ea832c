"""A measured figure beside its floor and its target, and a table of them for people."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass


class UnmeasuredError(Exception):
    """It could not be measured; one line that says why."""


@dataclass(frozen=True, slots=True)
class Figure:
    """One line of a bench.

    Args:
        value: in `unit`, as is `floor`.
        target: the most that `value` may be, or, where `as_ratio`, the most that `value / floor` may be.
    """

    name: str
    value: float
    unit: str
    floor: float | None = None
    target: float | None = None
    as_ratio: bool = False
    digits: int = 2

    @property
    def ratio(self) -> float | None:
        """How many times the floor it is."""
        return self.value / self.floor if self.floor else None

    @property
    def met(self) -> bool | None:
        """Whether the target is met; None where there is none."""
        measured = self.ratio if self.as_ratio else self.value
        return None if self.target is None or measured is None else measured <= self.target


HEAD = ("", "figure", "floor", "ratio", "target", "met")


def show(title: str, figures: Iterable[Figure]) -> None:
    """Prints the figures under their title."""
    _print(title, [_row(figure) for figure in figures])


def show_targets(measured: Mapping[str, Sequence[Figure] | None]) -> None:
    """Prints every figure that has a target, and the benches without figures: the last table of a run.

    Args:
        measured: by bench; None where it could not be measured.
    """
    rows: list[tuple[str, ...]] = []
    for name, figures in measured.items():
        rows += [(f"{name}: {_row(each)[0]}", *_row(each)[1:]) for each in figures or () if each.target is not None]
        if figures is None:
            rows.append((f"{name}: not measured", "", "", "", "", "NO"))
    _print("targets", rows)


def _print(title: str, rows: Sequence[tuple[str, ...]]) -> None:
    rows = [HEAD, *rows]
    widths = [max(len(row[column]) for row in rows) for column in range(len(HEAD))]
    print(f"\n{title}")
    for row in rows:
        first, *rest = (
            cell.ljust(width) if not column else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        print("  " + "  ".join((first, *rest)).rstrip())


def percentile(values: Sequence[float], share: float) -> float:
    """The smallest value that this share of the values doesn't exceed."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, max(0, -int(-share * len(ordered) // 1) - 1))]


def _row(figure: Figure) -> tuple[str, ...]:
    def number(value: float | None, unit: str) -> str:
        return "" if value is None else f"{value:,.{figure.digits}f} {unit}".strip()

    ratio = "" if figure.ratio is None else f"{figure.ratio:.2f}"
    target = "" if figure.target is None else f"≤ {figure.target:g}" + (" x" if figure.as_ratio else f" {figure.unit}")
    met = {None: "", True: "yes", False: "NO"}[figure.met]
    return (
        figure.name,
        number(figure.value, figure.unit),
        number(figure.floor, figure.unit),
        ratio,
        target,
        met,
    )
