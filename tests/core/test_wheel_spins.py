"""Random spins of a simulated wheel: the watch never names a wrong section and never takes what is no result.

Ten thousand of them in `make proof`.
"""

import pytest

from tests.support.wheel import Verdict, judge_spins

pytestmark = pytest.mark.slow

SPINS = 60
SEED = 20261120


@pytest.fixture(scope="module")
def verdict() -> Verdict:
    return judge_spins(SPINS, SEED)


def test_every_spin_has_one_result(verdict: Verdict) -> None:
    assert verdict.spins == SPINS
    assert verdict.no_result == []


def test_no_section_is_wrong(verdict: Verdict) -> None:
    assert verdict.wrong_section == []


def test_short_touched_gapped_or_pegged_spins_are_rejected(verdict: Verdict) -> None:
    assert min(verdict.short, verdict.on_peg, verdict.touched, verdict.gaps, verdict.slips) > 0
    assert verdict.invalid_accepted == []


def test_rest_on_a_peg_is_named_so(verdict: Verdict) -> None:
    assert verdict.peg_missed == []


def test_fewer_than_one_clean_spin_in_two_hundred_is_refused(verdict: Verdict) -> None:
    assert verdict.clean >= SPINS // 4
    assert len(verdict.refused) * 200 < verdict.clean or not verdict.refused
