"""What every table keeps, whatever its game: sessions, devices, and the list of faults."""

import pytest

from tablectl.core.events.audit import (
    CertificateEnds,
    ClockSet,
    ConfigChanged,
    LogStarted,
    ProgramChecked,
    SessionOver,
    SessionStarted,
    SignedOn,
    SignOnRefused,
)
from tablectl.core.events.device import EvidenceGrown, FairnessAlarm, FaultGone, FaultSeen, FaultSeenBy
from tablectl.core.events.text import saying
from tablectl.core.facts import (
    CertificateExpiring,
    ClockStepped,
    FairnessWeighed,
    FaultRaised,
    LogBegan,
    ProgramVerified,
    SessionBegan,
    SessionEnded,
)
from tablectl.core.facts.reports import DeviceAttached, DeviceLost
from tablectl.core.facts.table_requests import FaultAcknowledged, PersonSignedOn, SignOnFailed
from tablectl.core.faults import CATALOGUE, Authority, Code
from tablectl.core.table import Device, device, entry, stopping_fault
from tests.support.poker import SHOE, SHUFFLER, said
from tests.support.q_poker import Sitting, new_table
from tests.support.sitting import events, refused

LATCHED = [code for code, line in CATALOGUE.items() if line.clears is not Authority.AUTO]
PASSING = [code for code, line in CATALOGUE.items() if line.clears is Authority.AUTO]


def standing(table: Sitting) -> list[tuple[int, str]]:
    return [(fault.code, fault.device) for fault in table.table.faults]


# --- the log, sessions, persons


def test_a_new_log_says_so_and_names_the_one_before() -> None:
    table = new_table()
    assert said(table.tell(LogBegan("5eed0002", "site", "table", "5eed0001")), LogStarted) == LogStarted(
        "table", "5eed0002", "5eed0001"
    )
    assert table.table.log_id == "5eed0002"


def test_the_first_session_changes_nothing_to_report() -> None:
    assert new_table().all_of(ConfigChanged) == []


@pytest.mark.parametrize(("version", "config", "reported"), [("1", "c", 0), ("2", "c", 1), ("1", "d", 1)])
def test_a_session_with_another_version_or_configuration_reports_both(version: str, config: str, reported: int) -> None:
    table = new_table()
    table.tell(SessionBegan("s1", "1", "c", "q_poker", "89/2004"))
    changes = events(table.tell(SessionBegan("s2", version, config, "q_poker", "89/2004")))
    assert len(changes) == reported
    assert all(change == ConfigChanged("table", version, config, "1", "c") for change in changes)
    assert (table.table.session, table.table.version, table.table.config_hash) == ("s2", version, config)


def test_when_session_begins_every_device_has_yet_to_come_back() -> None:
    table = new_table()
    table.attach(SHOE, boot="7")
    table.restart()
    assert [(item.name, item.attached) for item in table.table.devices] == [(SHOE, False), (SHUFFLER, False)]
    assert device(table.table, SHOE).boot == "7"


def test_whether_anything_is_simulated_is_the_sessions_word() -> None:
    table = new_table()
    table.tell(SessionBegan("s2", "1", "c", "q_poker", "89/2004", simulated=True))
    assert table.table.simulated
    table.restart()
    assert not table.table.simulated


def test_session_that_knows_says_how_the_one_before_ended() -> None:
    began = SessionBegan("s2", "1", "c", "q_poker", "89/2004", previous="killed", program="p", rules_hash="r")
    assert events(new_table().tell(began))[0] == SessionStarted("table", "killed", "1", "p", "r", "c")


def test_end_of_a_session_that_was_stopped_is_an_event() -> None:
    assert events(new_table().tell(SessionEnded("s1", "stopped"))) == [SessionOver("table", "s1", "stopped")]


def test_step_of_the_clock_is_an_event() -> None:
    told = events(new_table().tell(ClockStepped(0, 1_500_000)))
    assert told == [ClockSet("table", "1970-01-01T00:00:00.000000Z", "1970-01-01T00:00:01.500000Z")]


def test_end_of_a_certificate_that_comes_near_is_an_event() -> None:
    told = events(new_table().tell(CertificateExpiring("mqtt.cert_file", "f", 1_500_000, 7)))
    assert told == [CertificateEnds("table", "mqtt.cert_file", "f", "1970-01-01T00:00:01.500000Z", 7)]


@pytest.mark.parametrize(("alarm", "kind"), [(False, EvidenceGrown), (True, FairnessAlarm)])
def test_evidence_becomes_an_event_with_its_figures(alarm: bool, kind: type[EvidenceGrown | FairnessAlarm]) -> None:
    (told,) = events(new_table().tell(FairnessWeighed("faces", "dice", "3.123456789", 60, "2.987654321", alarm)))
    key = "fairness.alarmed" if alarm else "fairness.grown"
    text = saying(key, log10_e="3.1", threshold="2.9")
    assert told == kind("faces", "dice", "3.123456789", 60, "2.987654321", text)


def test_differing_program_stops_rounds_until_restored() -> None:
    table = new_table()
    wrong = ProgramVerified("hourly", "mismatch", "1", "d", 9, 1, ("/a: changed",), "k")
    assert said(table.tell(wrong), ProgramChecked).findings == ("/a: changed",)
    assert stopping_fault(table.table) is not None
    table.tell(ProgramVerified("request", "ok", "1", "d", 9, 0, (), "k"))
    assert standing(table) == [(Code.PROGRAM_CHANGED, "")]
    table.tell(FaultAcknowledged(Code.PROGRAM_CHANGED, ""))
    assert standing(table) == []


def test_the_end_of_a_session_changes_nothing() -> None:
    table = new_table()
    before = table.table
    assert table.tell(SessionEnded("s1")) == ()
    assert (table.table.devices, table.table.game) == (before.devices, before.game)


def test_who_signs_on_is_published_with_their_role() -> None:
    assert said(new_table().tell(PersonSignedOn("chan", "supervisor")), SignedOn) == SignedOn("chan", "supervisor")
    signed = new_table().tell(PersonSignedOn("chan", "supervisor", "certificate"))
    assert said(signed, SignedOn) == SignedOn("chan", "supervisor", "certificate")


def test_wrong_pins_are_announced_by_whom_they_were_for() -> None:
    effects = new_table().tell(SignOnFailed("chan", 5, locked=True), by=None)
    assert said(effects, SignOnRefused) == SignOnRefused("console", "chan", 5, locked=True)


# --- devices


def test_device_is_attached_with_all_that_it_says_of_itself() -> None:
    table = new_table()
    table.tell(DeviceAttached(SHOE, "maker", "model", "serial", "1.2", "9", simulated=True))
    assert device(table.table, SHOE) == Device(
        SHOE, attached=True, maker="maker", model="model", serial="serial", firmware="1.2", boot="9", simulated=True
    )


def test_a_lost_device_is_kept_with_the_reason() -> None:
    table = new_table()
    table.tell(DeviceLost(SHOE, "unplugged"))
    lost = device(table.table, SHOE)
    assert (lost.attached, lost.reason, lost.boot) == (False, "unplugged", "1")
    table.attach(SHOE)
    assert device(table.table, SHOE).reason == ""


def test_a_device_never_seen_is_not_attached() -> None:
    assert device(new_table().table, "wheel") == Device("wheel", attached=False)


@pytest.mark.parametrize(("first", "second", "restarted"), [("1", "2", True), ("1", "1", False), ("", "1", False)])
def test_a_restart_is_known_by_another_boot(first: str, second: str, restarted: bool) -> None:
    table = new_table(shoe="other")
    table.attach("wheel", boot=first)
    table.attach("wheel", boot=second)
    assert (standing(table) == [(Code.RESTARTED, "wheel")]) is restarted


def test_device_without_a_boot_name_never_counts_as_restarted() -> None:
    table = new_table()
    table.attach(SHUFFLER, boot="1")
    table.attach(SHUFFLER, boot="")
    assert standing(table) == []


# --- faults


@pytest.mark.parametrize("code", Code)
def test_a_fault_is_published_and_listed_once(code: Code) -> None:
    table = new_table()
    event = said(table.raise_fault(code, SHOE), FaultSeen)
    line = CATALOGUE[code]
    assert (event.code, event.device, event.severity) == (code, SHOE, line.severity)
    assert event.text.key == f"fault.{line.key}.text"
    assert table.raise_fault(code, SHOE) == ()
    assert [(fault.code, fault.times, fault.present) for fault in table.table.faults] == [(code, 2, True)]


def test_a_standing_fault_is_published_again_with_its_new_reason() -> None:
    table = new_table()
    told = [
        [
            event.detail
            for event in events(table.tell(FaultRaised(Code.BROKER_AWAY, "", why)))
            if isinstance(event, FaultSeen)
        ]
        for why in ("Connection refused", "Connection refused", "certificate has expired")
    ]
    assert told == [["Connection refused"], [], ["certificate has expired"]]
    assert said(table.clear_fault(Code.BROKER_AWAY, ""), FaultGone).code == Code.BROKER_AWAY


@pytest.mark.parametrize("code", PASSING)
def test_a_passing_fault_is_gone_with_its_cause(code: Code) -> None:
    table = new_table()
    table.raise_fault(code, SHOE)
    assert said(table.clear_fault(code, SHOE), FaultGone).by == "table"
    assert standing(table) == []


@pytest.mark.parametrize("code", LATCHED)
def test_a_latched_fault_stays_until_a_person_has_seen_it(code: Code) -> None:
    table = new_table()
    table.raise_fault(code, SHOE)
    assert table.clear_fault(code, SHOE) == ()
    assert standing(table) == [(code, SHOE)]
    effects = table.acknowledge(code, SHOE)
    assert said(effects, FaultSeenBy).by == said(effects, FaultGone).by == "supervisor"
    assert standing(table) == []


@pytest.mark.parametrize("code", LATCHED)
def test_fault_acknowledged_while_its_cause_stands_goes_with_the_cause(code: Code) -> None:
    table = new_table()
    table.raise_fault(code, SHOE)
    assert [type(event) for event in events(table.acknowledge(code, SHOE))] == [FaultSeenBy]
    assert standing(table) == [(code, SHOE)]
    assert said(table.clear_fault(code, SHOE), FaultGone).by == "supervisor"
    assert standing(table) == []


def test_recurring_latched_fault_is_published_and_acknowledged_again() -> None:
    table = new_table()
    table.raise_fault(Code.SHUFFLER_JAM)
    table.acknowledge(Code.SHUFFLER_JAM)
    table.raise_fault(Code.SHUFFLER_JAM)
    table.clear_fault(Code.SHUFFLER_JAM)
    assert standing(table) == [(Code.SHUFFLER_JAM, SHUFFLER)]
    assert said(table.raise_fault(Code.SHUFFLER_JAM), FaultSeen).code == Code.SHUFFLER_JAM
    assert table.table.faults[0].times == 3


def test_the_same_fault_of_another_device_is_another_fault() -> None:
    table = new_table()
    table.raise_fault(Code.LINK_LOST, SHUFFLER)
    table.raise_fault(Code.LINK_LOST, SHOE)
    assert standing(table) == [(Code.LINK_LOST, SHOE), (Code.LINK_LOST, SHUFFLER)]
    table.clear_fault(Code.LINK_LOST, SHOE)
    assert standing(table) == [(Code.LINK_LOST, SHUFFLER)]


def test_fault_that_does_not_stand_is_neither_cleared_nor_acknowledged() -> None:
    table = new_table()
    assert table.clear_fault(Code.LINK_LOST, SHOE) == ()
    assert refused(table.acknowledge(Code.LINK_LOST, SHOE)) == ("table", "no_such_fault")


def test_the_fault_that_stops_rounds_is_found_among_others() -> None:
    table = new_table()
    table.raise_fault(Code.LINK_LOST, SHOE)
    assert stopping_fault(table.table) is None
    table.raise_fault(Code.STORAGE_FAILED, "")
    stopping = stopping_fault(table.table)
    assert stopping is not None
    assert stopping.code == Code.STORAGE_FAILED


@pytest.mark.parametrize("number", [0, -1, 999, 10**9])
def test_a_fault_number_of_another_build_is_listed_as_unknown(number: int) -> None:
    table = new_table()
    assert said(table.raise_fault(number, SHOE), FaultSeen).code == number
    assert entry(number) == CATALOGUE[Code.UNKNOWN_MESSAGE]
    table.clear_fault(number, SHOE)
    table.acknowledge(number, SHOE)
    assert standing(table) == []


def test_catalogue_has_one_named_line_per_number() -> None:
    assert set(CATALOGUE) == set(Code)
    assert len({line.key for line in CATALOGUE.values()}) == len(CATALOGUE)
