"""The samples of a soak run as an SVG: a row for each series, the games one after the other."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

WIDTH: Final = 900
HEIGHT: Final = 110
LEFT: Final = 150
COLOURS: Final = ("#1f5fa8", "#b35900", "#2d7d46", "#8a3ffc", "#a2191f")

Samples = Sequence[tuple[float, float]]


def plot(path: Path, series: Mapping[str, Mapping[str, Samples]], bad: Mapping[str, Sequence[str]]) -> None:
    """Draws all series.

    Args:
        series: by name, then by game.
        bad: the games in which a series grew, by its name.
    """
    games = list(next(iter(series.values())))
    rows = [_row(nth, name, games, given, bad.get(name, ())) for nth, (name, given) in enumerate(series.items())]
    height = HEIGHT * len(series) + 40
    legend = [
        f'<text x="{LEFT + nth * 150}" y="20" fill="{COLOURS[nth % len(COLOURS)]}">{game}</text>'
        for nth, game in enumerate(games)
    ]
    head = f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" font-family="sans-serif"'
    path.parent.mkdir(parents=True, exist_ok=True)
    white = '<rect width="100%" height="100%" fill="white"/>'
    path.write_text("\n".join([f'{head} font-size="12">', white, *legend, *rows, "</svg>"]), "utf-8")


def _row(nth: int, name: str, games: Sequence[str], given: Mapping[str, Samples], bad: Sequence[str]) -> str:
    top = 30 + nth * HEIGHT
    values = [value for samples in given.values() for _, value in samples] or [0.0]
    low, high = min(values), max(values)
    step = (WIDTH - LEFT - 20) / len(games)
    told = f"{name}{' GROWS' if bad else ''}"
    lines = [
        f'<text x="8" y="{top + 20}" fill="{"#a2191f" if bad else "#000"}">{told}</text>',
        f'<text x="8" y="{top + 38}" fill="#666">{low:,.4g} to {high:,.4g}</text>',
        f'<line x1="{LEFT}" y1="{top + HEIGHT - 12}" x2="{WIDTH - 20}" y2="{top + HEIGHT - 12}" stroke="#ccc"/>',
    ]
    for which, game in enumerate(games):
        path = _path(given.get(game, ()), LEFT + which * step, step - 8, top, (low, high))
        lines.append(f'<polyline points="{path}" fill="none" stroke="{COLOURS[which % len(COLOURS)]}"/>')
    return "\n".join(lines)


def _path(samples: Samples, left: float, width: float, top: float, span: tuple[float, float]) -> str:
    """Points from the first sample to the last, from the row's lowest value to its highest."""
    if not samples:
        return ""
    low, high = span
    begin_s, long_s = samples[0][0], (samples[-1][0] - samples[0][0]) or 1.0
    points = (
        (
            left + (at - begin_s) / long_s * width,
            top + (HEIGHT - 16) - (value - low) / ((high - low) or 1.0) * (HEIGHT - 30),
        )
        for at, value in samples
    )
    return " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
