"""The archive: what an event takes in a cold file, and how long a round among many takes to be found and proved.

`python -m bench.cold --events 100000000 --to FOLDER` writes a log of so many straight as cold files and proves a round
of it; by two processes, in some twenty minutes on two cores.
"""

import argparse
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import closing
from functools import partial
from pathlib import Path
from random import Random
from typing import Any, Final

from bench.figures import Figure, UnmeasuredError
from tablectl.core.money import utc_text
from tablectl.features.recorder.archive import Row, archived, write_tiles
from tablectl.features.recorder.stores.kept import Kept
from tablectl.history.cold import open_cold
from tablectl.history.cold_files import INDEX, ColdFile, digest_of, footer_of, peaks_of
from tablectl.proof.checkpoint import Checkpoint, sign_checkpoint
from tablectl.proof.note import KEY_BYTES, Signer, fingerprint
from tablectl.proof.tree import TILE, Frontier, leaf_hash, root_of
from tests.proof.keys import signer

LOG: Final = "5eed0001"
ORIGIN: Final = f"tablectl/bench/q1/{LOG}"
SINCE_US: Final = 1_790_000_000_000_000
OF_A_ROUND: Final = 20
"""Events: a round of Q Poker at which three people play."""

BYTES_TARGET, PROOF_TARGET_S = 40.0, 2.0
STRAIGHT: Final = 1 << 18
"""Events of a file that is written straight."""

IMPORTS: Final = "import pyarrow.parquet"


def event(number: int, draw: Random) -> Row:
    """An event with the numbers and times that a table's has."""
    nth, of_round = divmod(number - 1, OF_A_ROUND)
    round_id, at_us = f"{LOG}-{nth + 1:06d}", SINCE_US + number * 3_000_000 + draw.randrange(1_000_000)
    kind, data = "card.dealt.v1", f'"place":{of_round % 7 + 1},"index":{of_round % 3 + 1}'
    if of_round == 0:
        kind, data = "round.opened.v1", '"game":"q_poker","rules_version":"89/2004","places":[1,2,3,4,5,6,7]'
    elif of_round == OF_A_ROUND - 1:
        kind, data = "round.void.v1", '"reason":"misdeal","article":"11(1)","by":"table","returned":[]'
    elif of_round < 5:
        stake = f"{draw.randrange(1, 40)}00.00"
        kind, data = "bet.placed.v1", f'"place":{of_round},"bettor":"ann","bet":"versus_dealer","stake":"{stake}"'
    payload = (
        f'{{"specversion":"1.0","id":"{LOG}-{number:016d}","source":"/{ORIGIN}","type":"mo.tablectl.{kind}",'
        f'"subject":"{round_id}","time":"{utc_text(at_us)}","recordedtime":"{utc_text(at_us + draw.randrange(900))}",'
        f'"datacontenttype":"application/json","dataschema":"urn:tablectl:v1:{kind}","sequence":"{number:016d}",'
        f'"correlationid":"{round_id}","bootid":"3f2b9a52-6c1d-4b0e-9d62-0d6a4a1c7e55","session":"5e5510aa",'
        f'"monotonicns":"{number * 3_000_000_000 + draw.randrange(1_000_000_000)}","clockerrus":"850",'
        f'"clockstate":"synced","simulated":true,"data":{{"round_id":"{round_id}",{data}}}}}'
    )
    return Row(number, kind, utc_text(at_us), round_id, payload.encode())


def events(first: int, count: int) -> list[Row]:
    """So many events in order; each is the same whenever it is asked for."""
    draw = Random(first)
    return [event(number, draw) for number in range(first, first + count)]


def measure(count: int) -> Sequence[Figure]:
    """Figures of an archive with so many events, by the product's own way from a recorder's database."""
    with tempfile.TemporaryDirectory(prefix="tablectl-bench-", dir="/var/tmp") as folder:
        key, rows = signer(), [row for at in range(1, count + 1, TILE) for row in events(at, TILE)]
        tree = Frontier().grown(leaf_hash(row.payload) for row in rows)
        note = sign_checkpoint(Checkpoint(ORIGIN, tree.size, tree.root), key)
        begun_s = time.monotonic()
        (moved,) = archived(_database(rows, note, tree.size, key), Path(folder) / "cold", SINCE_US * 2)
        took_s = time.monotonic() - begun_s
        return [
            Figure("an event in a cold file", moved.size / moved.last, " bytes", target=BYTES_TARGET, digits=1),
            Figure("events archived a second, read back and compared", moved.last / took_s, "", digits=0),
            *_proved(Path(folder) / "cold" / ORIGIN.partition("/")[2], moved.last, key),
        ]


def _database(rows: Sequence[Row], note: str, size: int, key: Signer) -> Kept:
    """A recorder's database of one log in memory."""

    def ask(query: str, values: Sequence[Any]) -> Sequence[Sequence[Any]]:
        if "FROM {in}log" in query:
            return [(1, f"/{ORIGIN}", size, key.public)]
        if "FROM {in}checkpoint" in query:
            return [(size, note)]
        return rows[values[1] : values[1] + values[2]] if query.lstrip().startswith("SELECT") else []

    return Kept(ask)


def _proved(log: Path, last: int, key: Signer) -> Iterator[Figure]:
    """How long commands take for a round in the middle, from the start of their process."""
    round_id = str(last // 2 // OF_A_ROUND)
    floor_s = _took_s("-c", IMPORTS)
    proof = log / "proof.json"
    found_s = _took_s("-m", "tablectl", "prove", round_id, "--journal", str(log), "--to", str(proof))
    _took_s("-m", "tablectl", "verify", str(proof), "--key", fingerprint(key.public))
    proof.unlink()
    name = f"a round found among {last:,} events and proved"
    yield Figure(name, found_s, "s", floor_s, PROOF_TARGET_S)


def _took_s(*words: str) -> float:
    begun_s = time.monotonic()
    done = subprocess.run([sys.executable, *words], capture_output=True, text=True, check=False)
    if done.returncode:
        raise UnmeasuredError(f"{' '.join(words)}: {done.stderr}")
    return time.monotonic() - begun_s


# --- many events, straight


def _written(folder: Path, first: int, count: int) -> tuple[ColdFile, list[bytes]]:
    tiles = [events(at, TILE) for at in range(first, first + count, TILE)]
    roots = [root_of(leaf_hash(row.payload) for row in tile) for tile in tiles]
    path = folder / f"{first:016d}.parquet"
    write_tiles(path, tiles, roots)
    last = first + count - 1
    made = ColdFile(
        name=path.name,
        first=first,
        last=last,
        begin=tiles[0][0].time,
        end=tiles[-1][-1].time,
        low=(first - 1) // OF_A_ROUND + 1,
        high=(last - 1) // OF_A_ROUND + 1,
        footer=footer_of(path),
        digest=digest_of(path),
        peaks=peaks_of((first - 1) // TILE, roots),
        checkpoint="",
        size=last,
        key=bytes(KEY_BYTES),
    )
    return made, roots


def write_straight(folder: Path, count: int) -> Signer:
    """Write a log of so many events as cold files; return who signed its checkpoint."""
    folder.mkdir(parents=True)
    key, tree, files = signer(), Frontier(), list[ColdFile]()
    firsts = range(1, count + 1, STRAIGHT)
    with ProcessPoolExecutor(2) as pool:
        for made, roots in pool.map(partial(_written, folder, count=STRAIGHT), firsts):
            for root in roots:
                tree = tree.joined(root, TILE)
            files.append(made)
            print(f"{made.last:,} events", flush=True)
    note = sign_checkpoint(Checkpoint(ORIGIN, tree.size, tree.root), key)
    lines = [each.model_copy(update={"checkpoint": note, "key": key.public}).line() for each in files]
    (folder / INDEX).write_text("".join(f"{line}\n" for line in lines))
    with closing(open_cold(folder)) as reader:
        if reader.tree().root(tree.size) != tree.root:
            raise UnmeasuredError("the archive's tree isn't the log's")
    return key


def main() -> int:
    """Writes a large archive and proves a round of it."""
    parser = argparse.ArgumentParser(prog="python -m bench.cold", description=__doc__)
    parser.add_argument("--events", type=int, default=100_000_000)
    parser.add_argument("--to", type=Path, required=True)
    chosen = parser.parse_args()
    log = chosen.to / ORIGIN.partition("/")[2]
    count = -(-chosen.events // STRAIGHT) * STRAIGHT
    key = write_straight(log, count)
    size = sum(each.stat().st_size for each in log.iterdir())
    print(f"{size / count:.1f} bytes an event")
    for figure in _proved(log, count, key):
        print(f"{figure.name}: {figure.value:.2f} s (libraries alone {figure.floor:.2f} s)")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
