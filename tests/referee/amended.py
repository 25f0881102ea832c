"""The rule by which amendments are judged: mistakes that are put right leave everybody the same money.

`python -m tests.referee.amended --evenings N [--seed FIRST] [--game GAME …]` plays N evenings of each game, counts what
went wrong in which phase, and fails where a mistake that is possible never occurred.
"""

import argparse
import io
import json
import re
import sys
import tempfile
from collections import defaultdict
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import redirect_stdout
from decimal import Decimal
from functools import cache, partial
from pathlib import Path
from random import Random
from types import CodeType
from typing import Any, Final
from unittest.mock import patch

from tablectl.config.game_setup import played
from tablectl.core.games.chinese_dice.game import ChineseDiceGame
from tablectl.core.games.football_poker.game import FootballPokerGame
from tablectl.core.games.q_poker.game import QPokerGame
from tablectl.core.games.thirteen_cards.game import ThirteenCardsGame
from tablectl.core.games.thirteen_cards.state import Settings
from tablectl.core.games.wheel_of_fortune.game import WheelOfFortuneGame
from tablectl.rule_tables import load_rules
from tests.referee.comparing import GAMES, same
from tests.referee.evening import LOG, Evening, as_lines
from tests.referee.forms import read_json
from tests.referee.mistakes import ROUNDS, Clumsy, faultless, possible_mistakes
from tests.referee.tally import Tally

TABLES: Final[Mapping[str, Any]] = {
    "q_poker": QPokerGame(load_rules("q_poker")),
    "football_poker": FootballPokerGame(load_rules("football_poker")),
    "wheel_of_fortune": WheelOfFortuneGame(load_rules("wheel_of_fortune")),
    "chinese_dice": ChineseDiceGame(load_rules("chinese_dice")),
    "thirteen_cards": ThirteenCardsGame(load_rules("thirteen_cards"), Settings(shoe="shoe")),
}
VERSIONS: Final = 5
"""How often each evening is played once more, with other mistakes each time."""

ROW: Final = 20
"""How many evenings are played one after the other, with their versions."""

MEASURED: Final = frozenset({"margin_deg", "direction", "calibration", "rotation", "wheel", "draw_id", "by"})
"""What only a device knows, and who says it where one missed it."""

DOCUMENT: Final = Path(__file__).parents[2] / "docs" / "mqtt.md"


def compared(game: str, seed: int, folder: Path, number: int = ROUNDS, tally: Tally | None = None) -> Tally:
    """One evening without mistakes beside versions of it with mistakes; what differs is an error.

    Args:
        number: of rounds.
        tally: what evenings of this game had so far: the versions aim at what was rare.

    Returns:
        The tally with these evenings.

    Raises:
        AssertionError: they don't come to the same.
    """
    random, kind, tally = Random(seed), played(game).table, tally or Tally()
    truly = Evening(TABLES[game], kind, _folder(folder, "truly"))
    script = faultless(random, game, truly, number)
    rounds = [f"{LOG}-{nth:06}" for nth in range(1, number + 1)]
    expected = _as_read(truly.events)
    _see_that_the_referee_agrees(game, expected, rounds)
    tally.possible |= possible_mistakes(script)
    for version in range(VERSIONS):
        clumsily = Evening(TABLES[game], kind, _folder(folder, f"clumsily{version}"))
        clumsy = Clumsy(random, game, clumsily, script, tally)
        clumsy.play()
        _see_that_the_money_agrees(clumsily)
        clumsy.take_back()
        assert [clumsily.nets(each) for each in rounds] == [truly.nets(each) for each in rounds]
        assert _seen(clumsily) == _seen(truly)
        assert _as_read(clumsily.events) == expected
        assert version or clumsily.replayed() == clumsily.table
        clumsily.close()
        tally.evenings += 1
    truly.close()
    return tally


def _seen(evening: Evening) -> Mapping[str, Any]:
    return {name: value for name, value in evening.sight.items() if name not in MEASURED}


def _folder(folder: Path, name: str) -> Path:
    made = folder / name
    made.mkdir()
    return made


@cache
def _reader() -> CodeType:
    found = re.search(r"```python\n(import json\nimport sys\n.*?)```", DOCUMENT.read_text(), re.DOTALL)
    assert found is not None
    return compile(found[1], str(DOCUMENT), "exec")


def read_by_the_document(events: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """What the reader in the documentation makes of events: `rounds`, `ends` and `nets`, by round."""
    names: dict[str, Any] = {}
    with patch.object(sys, "stdin", io.StringIO(as_lines(events))), redirect_stdout(io.StringIO()):
        exec(_reader(), names)
    return names


def _as_read(events: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Each round as the reader in the documentation has it: its events, what was played and what it came to."""
    names = read_by_the_document(events)
    return {
        name: (_public(standing.values()), _end(names["ends"].get(name)), _nets(names, name))
        for name, standing in names["rounds"].items()
    }


def _public(standing: Any) -> list[Any]:
    """The events; hands in the order of their places, because one that isn't known has to be opened before others."""
    told = [
        (each["type"], {key: value for key, value in each["data"].items() if key not in MEASURED})
        for each in standing
        if not each["type"].endswith("bet.refused.v1")
    ]
    return sorted(told, key=lambda each: str(each[1]["place"]) if each[0].endswith("round.revealed.v1") else "")


def _nets(names: Mapping[str, Any], name: str) -> Mapping[str, Decimal]:
    """What a round did to everybody's money: as it was corrected, otherwise as it was settled."""
    sums: dict[str, Decimal] = defaultdict(Decimal)
    if name in names["nets"]:
        sums |= {bettor: Decimal(net) for bettor, net in names["nets"][name].items()}
    else:
        settled = names["ends"].get(name, {}).get("settlement", {})
        bets = [*settled.get("bets", ()), *settled.get("bank", ())]
        for bet in bets + [each for place in settled.get("places", ()) for each in place["bets"]]:
            sums[bet["bettor"]] += Decimal(bet["net"])
        for change in names["by_hand"].get(name, ()):
            sums[change["bettor"]] += Decimal(change["amount"])
    return {bettor: net for bettor, net in sums.items() if bettor and net}


def _end(end: Mapping[str, Any] | None) -> Any:
    return end and (end["round"], end["result"] if "result" in end else end["settlement"])


def _see_that_the_money_agrees(evening: Evening) -> None:
    """Corrections by hand lie on top of what the events say, whatever was amended before and after them."""
    for name, (*_, nets) in _as_read(evening.events).items():
        assert nets == {bettor: Decimal(net) / 100 for bettor, net in evening.nets(name).items()}, name


def _see_that_the_referee_agrees(game: str, read: Mapping[str, Any], rounds: Sequence[str]) -> None:
    for name in rounds:
        _, (played_round, result), _ = read[name]
        ruled = GAMES[game].settle(read_json(json.dumps(played_round)), {})
        assert same({**result, "line": 1}, {**ruled, "line": 1}), (name, result, ruled)


def _in_a_row(seeds: Sequence[int], game: str) -> Tally:
    """Evenings one after the other, each of which aims at what was rare in those before."""
    tally = Tally()
    for seed in seeds:
        with tempfile.TemporaryDirectory() as folder:
            try:
                compared(game, seed, Path(folder), tally=tally)
            except AssertionError as error:
                begun = f"--game {game} --seed {seeds[0]} --evenings {(seed - seeds[0] + 1) * VERSIONS}"
                raise AssertionError(f"{begun}: {error}") from error
    return tally


def tallied(game: str, seeds: range) -> Tally:
    """The tally of all these evenings of a game."""
    whole, rows = Tally(), [seeds[nth : nth + ROW] for nth in range(0, len(seeds), ROW)]
    with ProcessPoolExecutor() as pool:
        for tally in pool.map(partial(_in_a_row, game=game), rows):
            whole.add(tally)
    return whole


def main(words: Sequence[str] | None = None) -> int:
    """Plays the evenings that are asked for; 1 where a possible mistake never occurred."""
    parser = argparse.ArgumentParser(prog="python -m tests.referee.amended", description=__doc__)
    parser.add_argument("--evenings", type=int, default=60, help="of each game")
    parser.add_argument("--seed", type=int, default=0, help="of the first")
    parser.add_argument("--game", action="append", choices=TABLES)
    chosen = parser.parse_args(words)
    seeds = range(chosen.seed, chosen.seed + -(-chosen.evenings // VERSIONS))
    tallies = {game: tallied(game, seeds) for game in chosen.game or TABLES}
    for game, tally in tallies.items():
        sys.stdout.write(f"{tally.report(game)}\n")
    evenings, mistakes = (
        sum(each) for each in zip(*((t.evenings, t.made.total()) for t in tallies.values()), strict=True)
    )
    sys.stdout.write(f"proved: {evenings} evenings with {mistakes} mistakes\n")
    return 1 if any(tally.failures(game) for game, tally in tallies.items()) else 0


if __name__ == "__main__":
    raise SystemExit(main())
