"""Power cuts while rounds are played: `python -m tests.hil.powercut --cuts 100`.

In each cycle a guest is restored in which the daemon has been loaded under its unit; it gets its disk and its devices,
recovers, is played at, and loses its power in the middle of it. The disk outside forgets what was not flushed. What is
left on it is judged at once, and once more by the next cycle, which goes on from it.
"""

import argparse
import sys
import time
from pathlib import Path
from typing import Any

from tests.hil.cuts import NORMAL, Cut, Series, series
from tests.hil.guest import ending_cleanly
from tests.hil.report import Check, Report
from tests.hil.rig import Rig, rig_in


def cut_again_and_again(rig: Rig, cuts: int, seed: int, report: Report, kept: Path) -> bool:
    """Cuts the power so often; returns whether nothing was lost.

    Args:
        kept: the folder for the journal of a table that something was wrong with.
    """
    with series(rig, seed) as table, report.check(f"powercut.{cuts}_cuts") as check:
        for number in range(1, cuts + 1):
            try:
                table.cycle()
            except Exception:
                table.keep(kept)
                raise
            _tell(check, number, table.cuts[-1])
            if table.cuts[-1].judged.wrong:
                table.keep(kept)
                break
        _sum_up(table, check)
    return not check.wrong


def _tell(check: Check, number: int, cut: Cut) -> None:
    kept = f"{cut.lost.cached} writes in the cache, {cut.lost.kept} kept, {cut.lost.torn} torn"
    line = (
        f"cut {number}: {cut.how}; {cut.answers} answers, {cut.steps} steps, {kept}; "
        f"{cut.judged.records} records, {cut.judged.events} events; "
        f"back after {cut.back_s:.1f} s, in all {cut.took_s:.1f} s"
    )
    check.say(line)
    for wrong in cut.judged.wrong:
        check.fail(wrong)


def _sum_up(table: Series, check: Check) -> None:
    vacuous = [number for number, cut in enumerate(table.cuts, 1) if not cut.steps]
    if vacuous:
        check.fail(f"cuts {vacuous} came before anything was stored since the one before, and prove nothing")
    for wrong in table.end():
        check.fail(wrong)
    check.say(
        "after each cut the console showed what the records on the disk come to; "
        f"{table.phases_kept()} times nobody had done anything meanwhile, and it was what it had shown before"
    )
    assert table.shift is not None
    took = sum(cut.took_s for cut in table.cuts) / len(table.cuts)
    answers = len(table.shift.requests.records)
    check.say(f"{len(table.cuts)} cuts, {answers} answers, {took:.1f} s for each cut, {len(vacuous)} vacuous")


def must_be_seen(rig: Rig, name: str, most: int, seed: int, report: Report, **damaged: Any) -> bool:
    """Whether a table or a disk that is damaged on purpose is found out within so many cuts."""
    with series(rig, seed, **damaged) as table, report.check(f"powercut.control_{name}") as check:
        for number in range(1, most + 1):
            try:
                table.cycle()
            except Exception as error:  # noqa: BLE001  # a table that doesn't come back was found out
                check.say(f"found out at cut {number}: the table doesn't come back: {str(error)[:300]}")
                return True
            wrong = table.cuts[-1].judged.wrong
            if wrong:
                check.say(f"found out at cut {number}: {wrong[0]}")
                return True
        check.fail(f"{most} cuts of a table that loses what it acknowledged, and none was found out")
    return False


def main(arguments: list[str]) -> int:
    """Cuts the power; returns 1 where something was lost, or a damaged table was not found out."""
    parser = argparse.ArgumentParser(prog="python -m tests.hil.powercut", description="Power cuts in the guest.")
    parser.add_argument("--built", type=Path, default=Path("build/rig"))
    parser.add_argument("--cuts", type=int, default=20)
    parser.add_argument("--seed", type=int, default=20_041_231)
    parser.add_argument("--controls", type=int, default=5, help="most cuts for each control; 0: none")
    parser.add_argument("--report", type=Path, default=Path("build/rig/powercut"))
    chosen = parser.parse_args(arguments)
    began_s = time.monotonic()

    def told(line: str) -> None:
        sys.stdout.write(f"{time.monotonic() - began_s:7.1f} s  {line}\n")
        sys.stdout.flush()

    report = Report("Power cuts", told)
    with ending_cleanly(), rig_in(chosen.built, told) as rig:
        well = not chosen.cuts or cut_again_and_again(rig, chosen.cuts, chosen.seed, report, chosen.report / "journal")
        if chosen.controls:
            well &= must_be_seen(rig, "synchronous_normal", chosen.controls, chosen.seed, report, patch=NORMAL)
            well &= must_be_seen(rig, "disk_ignores_flush", chosen.controls, chosen.seed, report, honest=False)
    told(f"report: {report.write(chosen.report)}")
    return 0 if well else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
