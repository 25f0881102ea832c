"""What is counted, struck and reported of a table's published events."""

from collections.abc import Iterable
from pathlib import Path
from random import Random
from typing import Any

import pytest

from tablectl.config.game_setup import played
from tablectl.history.statistics.evidence import Evidence
from tablectl.history.statistics.fairness_monitor import Budget, Finding, Monitor
from tests.fairness.spoken import Event, amended, event, spin, throw
from tests.referee.amended import TABLES
from tests.referee.evening import Evening
from tests.referee.mistakes import Clumsy, faultless
from tests.referee.tally import Tally

LOADED = [throw(6, 6, 6) for _ in range(60)]


def watched(events: Iterable[Event], budget: Budget = Budget()) -> tuple[Monitor, list[Finding]]:  # noqa: B008
    monitor = Monitor(budget)
    return monitor, [finding for each in events for finding in monitor.take(each)]


def counts(events: Iterable[Event]) -> dict[tuple[str, str], dict[str, int]]:
    """What each stream has counted of each outcome; streams that have nothing left are left out."""
    found: dict[tuple[str, str], dict[str, int]] = {}
    for key, stream in watched(events)[0].streams.items():
        assert isinstance(stream.evidence, Evidence)
        seen = {name: n for name, n in zip(stream.evidence.null.names, stream.evidence.counts, strict=True) if n}
        if seen:
            found[key] = seen
    return found


def test_a_spin_counts_for_wheel_direction_and_dealer() -> None:
    events = [spin(3), event("audit.signed_on.v1", by="mei", role="dealer"), spin(3), spin(52, direction="ccw")]
    assert counts(events) == {
        ("sections", "2027-01 5eed"): {"3": 2, "52": 1},
        ("direction", "2027-01 5eed cw"): {"3": 2},
        ("direction", "2027-01 5eed ccw"): {"52": 1},
        ("dealer", "mei"): {"3": 1, "52": 1},
    }


def test_supervisor_is_no_dealer_and_a_session_forgets_its_dealer() -> None:
    by = {"by": "mei", "role": "dealer"}
    events = [event("audit.signed_on.v1", by="ana", role="supervisor"), spin(1), event("audit.signed_on.v1", **by)]
    assert ("dealer", "mei") not in counts([*events, event("audit.session_began.v1", by="table"), spin(1)])
    assert not [key for key in counts([*events, spin(1)]) if key == ("dealer", "ana")]


def test_spin_that_is_invalid_or_on_peg_is_not_counted() -> None:
    assert counts([spin(7, "wheel.invalid.v1"), spin(None), spin(4, on_peg=True)]) == {}


def test_a_wheel_read_by_a_person_stays_the_same_wheel() -> None:
    assert counts([spin(7), spin(8, calibration="")])["sections", "2027-01 5eed"] == {"7": 1, "8": 1}


def test_another_wheel_begins_with_no_evidence() -> None:
    monitor, _ = watched([*(spin(7) for _ in range(20)), spin(7, calibration="2027-02 0bad")])
    old, new = (monitor.streams["sections", name].evidence for name in ("2027-01 5eed", "2027-02 0bad"))
    assert (old.total, new.total) == (20, 1)
    assert old.log10() > 2
    assert new.log10() < 0.1


def test_a_throw_counts_its_faces_and_their_sum() -> None:
    assert counts([throw(1, 6, 6), throw(2, 2, 2, 5), throw(4, 4, 4, valid=False)]) == {
        ("faces", "dice"): {"1": 1, "2": 3, "5": 1, "6": 2},
        ("sums", "3"): {"13": 1},
        ("sums", "4"): {"11": 1},
    }


def test_a_throw_that_the_dealer_calls_invalid_is_struck() -> None:
    called = throw(5, 5, 5, valid=False, called_invalid=True)
    assert counts([throw(1, 2, 3), throw(5, 5, 5), called]) == counts([throw(1, 2, 3)])


def test_an_unreadable_outcome_is_left_out() -> None:
    assert counts([spin(99), throw(0, 7, 9)]) == {}


def test_an_amendment_takes_back_what_was_observed() -> None:
    wrong, right = spin(7), spin(23)
    assert counts([spin(3), wrong, amended(wrong), right]) == counts([spin(3), right])
    before, after = watched([spin(3), wrong, amended(wrong), right])[0], watched([spin(3), right])[0]
    key = ("sections", "2027-01 5eed")
    assert before.streams[key].evidence.log10() == after.streams[key].evidence.log10()


def test_an_amendment_of_an_earlier_round_takes_back_its_own() -> None:
    old, new = spin(7, round_id="r1"), spin(7, round_id="r2")
    events = [old, new, amended(old, round_id="r1"), amended(old, round_id="r1"), spin(9, round_id="r1")]
    assert counts(events)["sections", "2027-01 5eed"] == {"7": 1, "9": 1}


def test_throw_wrongly_called_invalid_counts_again_once_struck() -> None:
    called = throw(5, 5, 5, valid=False, called_invalid=True)
    events = [throw(1, 2, 3), throw(5, 5, 5), called, amended(called)]
    assert counts(events) == counts([throw(1, 2, 3), throw(5, 5, 5)])


def test_a_spin_that_is_announced_again_stays_its_dealers() -> None:
    mei, rui = (event("audit.signed_on.v1", by=name, role="dealer") for name in ("mei", "rui"))
    first, wrong = spin(7), spin(8)
    events = [mei, first, wrong, rui, amended(first, wrong), spin(7), spin(9)]
    assert {key: seen for key, seen in counts(events).items() if key[0] == "dealer"} == {
        ("dealer", "mei"): {"7": 1},
        ("dealer", "rui"): {"9": 1},
    }


def test_a_spin_counts_for_the_speed_of_its_release() -> None:
    first, again = spin(3), spin(4)
    events = [event("wheel.started.v1", release_rpm=54.3), first, amended(first), again, spin(5, "r2")]
    speeds = {key: seen for key, seen in counts(events).items() if key[0] == "speed"}
    assert speeds == {("speed", "2027-01 5eed 50"): {"4": 1}}


def evening(rounds: int) -> list[Event]:
    """Two dealers take turns of ten rounds; every third round of one of them is void, every fifth amended."""
    found: list[Event] = []
    for nth in range(rounds):
        name, dealer = f"e{nth}", ("ana", "mei")[nth // 10 % 2]
        if nth % 10 == 0:
            found.append(event("audit.signed_on.v1", by=dealer, role="dealer"))
        found.append(event("round.opened.v1", round_id=name))
        is_void = dealer == "mei" and nth % 3 == 0
        found.append(event("round.void.v1" if is_void else "round.settled.v1", round_id=name))
        if dealer == "mei" and nth % 5 == 0:
            found.append(event("round.amended.v1", round_id=name, amends=[]))
    return found


def test_void_and_amended_rounds_are_compared_between_dealers() -> None:
    monitor, _ = watched(evening(499))
    (*rates,) = ((key, each.evidence.total) for key, each in monitor.streams.items())
    names = [(family, dealer) for family in ("voids", "amendments") for dealer in ("ana", "mei")]
    assert rates == [(name, 50) for name in names]
    more, fewer = (monitor.streams["voids", name].form()["leading"] for name in ("mei", "ana"))
    assert (more["seen"], more["at"], fewer["seen"], fewer["at"]) == (17, "more", 0, "fewer")
    assert more["chance"] == fewer["chance"] == "0.170000000"
    assert float(fewer["high"]) < float(more["low"])
    assert monitor.streams["voids", "mei"].evidence.log10() > 2


def test_one_dealer_alone_is_compared_with_nobody() -> None:
    events = [each for each in evening(899) if each["data"].get("by") != "mei"]
    assert counts_of_rates(events) == []


def counts_of_rates(events: Iterable[Event]) -> list[tuple[str, str]]:
    return [key for key in watched(events)[0].streams if key[0] in {"voids", "amendments"}]


def poker(name: str, *cards: str, by_hand: bool = False) -> list[Event]:
    """A round of Q Poker with these cards, three for each hand, the dealer's last."""
    hands = [list(cards[nth : nth + 3]) for nth in range(0, len(cards), 3)]
    known = {"dealer": hands[-1], "places": [{"place": nth, "cards": hand} for nth, hand in enumerate(hands[:-1], 1)]}
    settled: dict[str, Any] = {
        "game": "q_poker",
        "rules": {},
        "round": known,
        "settlement": {"status": "settled", "places": []},
    }
    dealt = [event("card.dealt.v1", name, place=1, index=index) for index in ((1, 2) if by_hand else (1, 1))]
    return [event("round.opened.v1", name), *dealt, event("round.settled.v1", name, **settled)]


@pytest.mark.parametrize(("by_hand", "order"), [(True, "2 0 1 3"), (False, "2 3 0 1")])
def test_order_of_pack_is_told_by_the_gathered_one_before(by_hand: bool, order: str) -> None:  # a case
    rounds = [
        *poker("p1", "As", "Ks", "Qs", "2h", "3h", "4h"),
        *poker("p2", "Qs", "As", "Ks", "3h", "9c", "9d", by_hand=by_hand),
    ]
    reader, told = Monitor().reader, list[tuple[str, str]]()
    for each in [*rounds, *(event("round.opened.v1", f"x{nth}") for nth in range(400))]:
        told += [(one.family, one.outcome) for one, _ in reader.changes(each) if one.family == "shuffles"]
    assert told == [("shuffles", order)]


def test_a_pack_of_which_a_card_is_unknown_tells_nothing() -> None:
    rounds = [*poker("p1", "As", "Ks", "Qs", "2h", "3h", "4h"), *poker("p2", "Qs", "As", "", "3h", "9c", "9d")]
    rounds += [
        *poker("p3", "Qs", "As", "Ks", "3h", "9c", "9d"),
        *(event("round.opened.v1", f"x{nth}") for nth in range(400)),
    ]
    assert ("shuffles", "pack") not in watched(rounds)[0].streams


def wheel_round(net: str) -> dict[str, Any]:
    bets = [{"bet": "symbol_2", "stake": "100.00", "net": net}, {"bet": "symbol_2", "stake": "50.00", "net": "-50.00"}]
    return {"game": "wheel_of_fortune", "rules": {}, "settlement": {"status": "settled", "bets": bets}}


def test_round_counts_return_of_first_bet_of_a_name() -> None:
    assert counts([event("round.settled.v1", **wheel_round("300.00"))]) == {("returns", "symbol_2"): {"3": 1}}
    mei, rui = (event("audit.signed_on.v1", by=name, role="dealer") for name in ("mei", "rui"))
    seen = counts([mei, event("round.opened.v1"), rui, spin(7), event("round.settled.v1", **wheel_round("300.00"))])
    assert {key: came for key, came in seen.items() if "returns" in key[0]} == {
        ("returns", "symbol_2"): {"3": 1},
        ("dealer_returns", "mei symbol_2"): {"3": 1},
        ("wheel_returns", "2027-01 5eed symbol_2"): {"3": 1},
    }
    overridden: dict[str, Any] = wheel_round("300.00") | {"rules": {"pays": [1]}}
    assert counts([event("round.settled.v1", **overridden)]) == {}


def test_returns_of_a_wheel_outlive_an_amended_spin() -> None:
    spins, settled = [spin(section) for section in (7, 9, 11)], event("round.settled.v1", **wheel_round("300.00"))
    events = [spins[0], settled, amended(spins[0]), spins[1], amended(spins[1]), spins[2]]
    assert counts(events)["wheel_returns", "2027-01 5eed symbol_2"] == {"3": 1}


def test_correction_reopening_and_void_change_what_round_came_to() -> None:
    settled, lost = event("round.settled.v1", **wheel_round("300.00")), wheel_round("-100.00")
    result: dict[str, Any] = {"game": "wheel_of_fortune", "rules": {}, "result": lost["settlement"]}
    corrected = event("round.corrected.v1", by_hand=False, **result)
    assert counts([settled, corrected]) == {("returns", "symbol_2"): {"-1": 1}}
    assert counts([settled, event("round.corrected.v1", by_hand=True, **result)]) == counts([settled])
    assert counts([settled, event("round.corrected.v1", by_hand=False, void={})]) == {}
    assert counts([settled, event("round.reopened.v1", reopens="x")]) == {}


def test_each_tenfold_is_reported_once_and_the_alarm_once() -> None:
    monitor, reported, alarms = Monitor(), list[int](), 0
    for each in LOADED:
        faces = [finding for finding in monitor.take(each) if finding.stream.family == "faces"]
        reported += [int(finding.stream.evidence.log10()) for finding in faces if not finding.alarm]
        alarms += sum(finding.alarm for finding in faces)
    stream = monitor.streams["faces", "dice"]
    assert reported == sorted(set(reported))
    assert (reported[-1], alarms) == (int(stream.evidence.log10()), 1)
    assert stream.alarmed


def test_evidence_that_falls_and_rises_again_is_not_reported_again() -> None:
    monitor, found = watched(LOADED[:40])
    assert found
    back = [finding for each in LOADED[:40] for finding in monitor.take(amended(each))]
    again = [finding for _ in range(40) for finding in monitor.take(throw(6, 6, 6))]
    assert back + again == []


def test_budget_is_shared_over_tables_families_and_streams_of_year() -> None:
    spins = [
        spin(1, calibration=name, time=f"{year}-05-05T00:00:00Z")
        for name, year in zip("abc", (2026, 2026, 2027), strict=True)
    ]
    monitor, _ = watched(spins, Budget(years=20, tables=5))
    alphas = [10 ** -monitor.streams["sections", name].threshold for name in "abc"]
    assert alphas == pytest.approx([1 / (20 * 5 * 12 * 2), 1 / (20 * 5 * 12 * 6), 1 / (20 * 5 * 12 * 2)])


def test_all_streams_together_keep_to_the_budget() -> None:
    each = sum(10 ** -Budget(years=20, tables=5).threshold(nth) for nth in range(1, 10_000))
    assert 0.999 / 100 < 12 * each < 1 / 100


@pytest.mark.parametrize("game", TABLES)
def test_an_evening_with_amended_mistakes_leaves_the_same_evidence(game: str, tmp_path: Path) -> None:
    kind, random = played(game).table, Random(17)
    evenings = []
    for name in ("truly", "clumsily"):
        (tmp_path / name).mkdir()
        evenings.append(Evening(TABLES[game], kind, tmp_path / name))
    truly, clumsily = evenings
    script = faultless(random, game, truly, 5)
    Clumsy(random, game, clumsily, script, Tally()).play()
    expected, amended_too = (counts(each.events) for each in evenings)
    for each in evenings:
        each.close()
    assert any("amended" in each["type"] for each in clumsily.events)
    assert amended_too == expected
    assert expected or game == "football_poker"
