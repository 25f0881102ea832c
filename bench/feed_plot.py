"""How delay, processor and memory grow with the number of tables, as an SVG."""

import tempfile
from collections.abc import Sequence
from pathlib import Path

from bench.feed_scale import Step
from bench.figures import percentile

WIDTH, HEIGHT, EDGE = 640, 200, 48


def plot(steps: Sequence[Step]) -> Path:
    """Draws them; the file, outside of the repository."""
    path = Path(tempfile.gettempdir()) / "tablectl-bench-feed.svg"
    panels = [
        ("median delay, ms", [percentile(step.delays_ms, 0.5) for step in steps]),
        ("p99 delay, ms", [percentile(step.delays_ms, 0.99) for step in steps]),
        ("processor, % of a core", [100 * step.processor_share for step in steps]),
        ("private memory, MiB", [step.memory_mib for step in steps]),
        ("the recorder: median delay, ms", [percentile(step.record.delays_ms, 0.5) for step in steps]),
        ("the recorder: processor, % of a core", [100 * step.record.processor_share for step in steps]),
        ("the recorder: private memory, MiB", [step.record.memory_mib for step in steps]),
    ]
    drawn = [_panel(nth, name, steps, values) for nth, (name, values) in enumerate(panels)]
    size = f'width="{WIDTH}" height="{HEIGHT * len(panels)}"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="sans-serif" font-size="12">'
    path.write_text("\n".join([head, '<rect width="100%" height="100%" fill="white"/>', *drawn, "</svg>"]), "utf-8")
    return path


def _panel(nth: int, name: str, steps: Sequence[Step], values: Sequence[float]) -> str:
    top, most = nth * HEIGHT, max(values, default=1) or 1
    lines = [f'<text x="{EDGE}" y="{top + 16}">{name}; tables to the right, the most is {most:,.1f}</text>']
    for what, colour in (("daemons", "#1f5fa8"), ("tables in one process", "#b35900")):
        points = [
            (EDGE + step.tables / max(each.tables for each in steps) * (WIDTH - 2 * EDGE), _y(top, value / most))
            for step, value in zip(steps, values, strict=True)
            if step.what == what
        ]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        lines.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
        lines += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colour}"/>' for x, y in points]
    low = _y(top, 0)
    lines.append(f'<line x1="{EDGE}" y1="{low}" x2="{WIDTH - EDGE}" y2="{low}" stroke="#666"/>')
    legend = "blue: daemons; orange: tables in one process (a fifth of the pace)"
    return "\n".join([*lines, f'<text x="{EDGE}" y="{low + 16}" fill="#666">{legend}</text>'])


def _y(top: int, share: float) -> float:
    return top + HEIGHT - 32 - share * (HEIGHT - 64)
