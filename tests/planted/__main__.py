# ruff: noqa: T201  # a command that says how far it is
"""`python -m tests.planted [WORD …]`: whether each planted mistake is caught by the tests that have to catch it.

Words choose the mistakes that have one of them in what they say. The exit code is 1 where one wasn't caught, where its
tests could not run, or where they fail without any mistake.
"""

import sys
import time
from collections.abc import Sequence

from tests.planted.planting import FAILED, PASSED, copied, mistakes, tested, verdict


def main(words: Sequence[str]) -> int:
    """Plants one after the other, and says what came of each."""
    chosen = [each for each in mistakes() if not words or any(word in each.says for word in words)]
    missed = 0
    with copied() as tree:
        code, said = tested(tree, sorted({test for each in chosen for test in each.caught_by}))
        if code != PASSED:
            print(f"{said}\nwithout any mistake the tests end with exit code {code}")
            return 1
        for each in chosen:
            began_s = time.monotonic()
            code = verdict(tree, each)
            missed += code != FAILED
            came = "caught" if code == FAILED else f"NOT CAUGHT (exit code {code})"
            print(f"{came}, {time.monotonic() - began_s:.0f} s: {each.says}", flush=True)
    print(f"{len(chosen)} mistakes planted, {len(chosen) - missed} caught")
    return 1 if missed or not chosen else 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
