"""The picture of a card's path in docs/architecture.md."""

import re
from pathlib import Path

from scripts.card_page import BEGIN, END, PAGE, room

ROOT = Path(__file__).parents[2]
PART = PAGE.read_text("utf-8").partition(BEGIN)[2].partition(END)[0]
ROWS = re.findall(r"^\| `(.+?)` \| (\d+) \| (.+) \|$", PART, re.MULTILINE)


def test_every_module_in_the_picture_exists() -> None:
    assert len(ROWS) > 5
    for folder, _, modules in ROWS:
        for module in re.findall(r"`(.+?)`", modules):
            path = ROOT / ("" if folder.startswith(("drivers/", "tablectl")) else "tablectl") / folder / f"{module}.py"
            assert path.exists(), f"{path}: run `python -m scripts.card_page`"
            assert room(str(path.relative_to(ROOT))) == folder


def test_the_boxes_and_the_table_add_up_to_the_calls() -> None:
    (total, modules), *_ = re.findall(r"(\d+) calls of \d+ functions in (\d+) modules", PART)
    boxes = re.findall(r"\[(.+?)<br>(\d+)\]", PART)
    assert boxes == [(folder, count) for folder, count, _ in ROWS]
    assert sum(int(count) for _, count in boxes) == int(total)
    assert sum(len(row[2].split(", ")) for row in ROWS) == int(modules)
