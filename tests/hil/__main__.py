"""The rig, as a program: `python -m tests.hil` runs its checks but the power cuts; `make rig` prepares it before."""

import argparse
import resource
import sys
import time
from pathlib import Path

from tests.hil.guest import ending_cleanly
from tests.hil.report import Report
from tests.hil.rig import Rig, rig_in
from tests.hil.systemd_life import check_boot, check_damaged, check_unit
from tests.hil.usb_life import GAMES, check_accidents, check_phases

PARTS = ("unit", "boot", "damaged", "accidents", "phases")


def main(arguments: list[str]) -> int:
    """Runs the checks that are asked for; returns 1 where one went wrong."""
    parser = argparse.ArgumentParser(prog="python -m tests.hil", description="What is tried in the guest.")
    parser.add_argument("parts", nargs="*", default=["unit"], help=f"of {', '.join(PARTS)}")
    parser.add_argument("--built", type=Path, default=Path("build/rig"))
    parser.add_argument("--games", nargs="*", default=list(GAMES), help="whose phases are gone through")
    parser.add_argument("--replugs", type=int, default=20)
    parser.add_argument("--report", type=Path, default=Path("build/rig/report"))
    chosen = parser.parse_args(arguments)
    if unknown := set(chosen.parts) - set(PARTS):
        parser.error(f"there is no part {', '.join(unknown)}")
    began_s = time.monotonic()

    def told(line: str) -> None:
        sys.stdout.write(f"{time.monotonic() - began_s:7.1f} s  {line}\n")
        sys.stdout.flush()

    report = Report("The rig", told=told)
    with ending_cleanly(), rig_in(chosen.built, told) as rig:
        for part in chosen.parts:
            told(f"--- {part}")
            _try(part, rig, report, chosen)
    told(f"processor time, QEMU's included: {processor_s():.0f} s")
    told(f"{len(report.checks)} checks, {report.wrong} went wrong: {report.write(chosen.report)}")
    return 1 if report.wrong else 0


def processor_s() -> float:
    """Seconds of processor time of this program and of all that it has started and that has ended."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


def _try(part: str, rig: Rig, report: Report, chosen: argparse.Namespace) -> None:
    match part:
        case "unit":
            check_unit(rig, report)
        case "boot":
            check_boot(rig, report)
        case "damaged":
            check_damaged(rig, report)
        case "accidents":
            check_accidents(rig, report, chosen.replugs)
        case _:
            for game in chosen.games:
                check_phases(rig, game, report)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
