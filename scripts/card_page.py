"""Draw the path of one card into docs/architecture.md, from a trace of a real daemon: `python -m scripts.card_page`.

The counts are those of the median card of one round of Q Poker; they differ by a few from run to run.
"""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from bench import card_path

PAGE: Final = Path(__file__).parent.parent / "docs" / "architecture.md"
BEGIN: Final = "<!-- Written by `python -m scripts.card_page`, up to the end of the table. -->\n"
END: Final = "<!-- The end of what it writes. -->\n"
OUTSIDE: Final = "event loop, threads"


def room(file: str) -> str:
    """The folder of a file as the picture names it; what the core's folders share is one."""
    folder = file.rpartition("/")[0].removeprefix("tablectl/")
    return "core" if folder.startswith("core") and "games" not in folder else folder or OUTSIDE


def picture(path: card_path.CardPath) -> str:
    """The page's part about a card's path: who calls whom how often, and what each folder has in it."""
    files = [call.partition(":")[0] for call in path.calls]
    totals = f"{len(path.calls)} calls of {len(set(path.calls))} functions in {len(set(files))} modules"
    return "\n".join(
        [
            f"From the byte that decides to the broker's answer: {totals}.",
            "A number at an arrow is how often one folder calls another; in a box, how many calls are its own.",
            "",
            *("```mermaid", "flowchart TD", *_graph(path, files), "```"),
            "",
            *("| Folder | Calls | Modules, in the order they come |", "|---|--:|---|", *_rows(files)),
            "",
        ]
    )


def _graph(path: card_path.CardPath, files: list[str]) -> Iterator[str]:
    own = Counter(map(room, files))
    number = {name: f"r{nth}" for nth, name in enumerate((OUTSIDE, *own))}
    yield f"    r0([{OUTSIDE}])"
    yield from (f"    {number[name]}[{name}<br>{count}]" for name, count in own.items())
    between = Counter((room(caller), room(file)) for caller, file in zip(path.callers, files, strict=True))
    for (caller, called), count in between.items():
        if caller != called:
            yield f"    {number[caller]} -- {count} --> {number[called]}"


def _rows(files: list[str]) -> Iterator[str]:
    for name, count in Counter(map(room, files)).items():
        modules = dict.fromkeys(file.removeprefix("tablectl/") for file in files if room(file) == name)
        shown = ", ".join(f"`{module.removeprefix(f'{name}/').removesuffix('.py')}`" for module in modules)
        yield f"| `{name}` | {count} | {shown} |"


def main() -> None:
    """Trace a card and write the page's part anew."""
    before, _, rest = PAGE.read_text("utf-8").partition(BEGIN)
    after = rest.partition(END)[2]
    PAGE.write_text(f"{before}{BEGIN}\n{picture(card_path.measure())}\n{END}{after}", "utf-8")


if __name__ == "__main__":
    main()
