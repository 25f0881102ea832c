"""Common table step of all games: sessions, devices, and the list of faults."""

import json
from collections.abc import Sequence
from typing import Any, Final, TypeVar, get_args

from tablectl.core.amending.corrections import round_corrected
from tablectl.core.effects import Announce, ClearFault, Effects, RaiseFault, Refuse
from tablectl.core.events.audit import (
    BookmarkSet,
    CertificateEnds,
    ClockSet,
    ConfigChanged,
    HandedOver,
    LogKeyChanged,
    LogStarted,
    PlayedBefore,
    ProgramChecked,
    RoundsRecalled,
    SessionOver,
    SessionStarted,
    SignedOn,
    SignOnRefused,
)
from tablectl.core.events.device import EvidenceGrown, FairnessAlarm, FaultGone, FaultSeen, FaultSeenBy
from tablectl.core.events.text import Saying, saying
from tablectl.core.facts import (
    Bookmarked,
    CertificateExpiring,
    ClockStepped,
    Fact,
    FairnessWeighed,
    FaultCleared,
    FaultRaised,
    FloorHandedOver,
    KeyChanged,
    LogBegan,
    ProgramVerified,
    Recalled,
    SessionBegan,
    SessionEnded,
)
from tablectl.core.facts.reports import DeviceAttached, DeviceFact, DeviceLost
from tablectl.core.facts.table_requests import FaultAcknowledged, PersonSignedOn, RoundCorrected, SignOnFailed
from tablectl.core.faults import Authority, Code
from tablectl.core.money import utc_text
from tablectl.core.table import (
    Device,
    Fault,
    Table,
    device,
    entry,
    event_named,
    fault,
    restarted,
    with_device,
    with_fault,
    without_fault,
)
from tablectl.lazy_dataclass import replace

S = TypeVar("S")

OF_THE_GAME: Final = frozenset(get_args(DeviceFact)) - {DeviceAttached, DeviceLost}
"""What devices report of the game alone: most facts by far, and none of the table's own."""


def step(table: Table[S], fact: Fact, open_round: str | None) -> tuple[Table[S], Effects]:
    """Return the table after the part of a fact that all games share, and the effects.

    Args:
        open_round: the round in progress.
    """
    match fact.body:
        case LogBegan(log_id, _, _, predecessor, session, key, played):
            began = replace(table, log_id=log_id, session=session, public_key=key)
            return began, (Announce(LogStarted("table", log_id, predecessor, key)), *_played_before(played))
        case KeyChanged(before, key, old, new, note):
            said = LogKeyChanged(fact.by or fact.source, before, key, old, new, note)
            return replace(table, public_key=key), (Announce(said),)
        case FloorHandedOver(step, before, after):
            return table, (Announce(HandedOver(fact.by or fact.source, step, before, after)),)
        case SessionBegan():
            return _session(table, fact.body)
        case ProgramVerified():
            return table, _verified(fact, fact.body)
        case DeviceAttached():
            return _attached(table, fact.body)
        case DeviceLost(name, reason):
            return with_device(table, replace(device(table, name), attached=False, reason=reason)), ()
        case FaultRaised(code, name, detail):
            return table, (RaiseFault(code, name, detail),)
        case FaultCleared(code, name):
            return table, (ClearFault(code, name),)
        case FaultAcknowledged(code, name):
            return _acknowledged(table, fact, code, name)
        case RoundCorrected():
            return round_corrected(table, fact, fact.body, open_round)
        case _:
            return table, _noted(table, fact)


def apply(table: Table[S], effect: RaiseFault | ClearFault, at_us: int) -> tuple[Table[S], tuple[Announce, ...]]:
    """The table with a fault raised or its cause gone, and the message that says so.

    One that stands is announced again where it has another reason now.
    """
    if isinstance(effect, ClearFault):
        return _cleared(table, effect)
    standing = fault(table, effect.code, effect.device)
    if standing is None:
        new = Fault(effect.code, effect.device, effect.detail, at_us)
        return with_fault(table, new), (_seen(new),)
    again = replace(standing, present=True, times=standing.times + 1, detail=effect.detail, acknowledged_by=None)
    is_known = standing.present and standing.detail == again.detail
    return with_fault(table, again), () if is_known else (_seen(again),)


def _played_before(messages: Sequence[str]) -> Effects:
    """Announce the messages of the log before again, in the log after it.

    A text that is no message is left out.
    """
    announced: list[Announce] = []
    for message in messages:
        try:
            form: dict[str, Any] = json.loads(message)
            log = str(form["source"]).rpartition("/")[2]
            told = PlayedBefore("table", log, str(form["type"]), str(form["time"]), form["data"])
        except (ValueError, LookupError, TypeError, RecursionError):
            continue
        announced.append(Announce(told))
    return tuple(announced)


def _noted(table: Table[S], fact: Fact) -> Effects:
    """Return the event of a fact that changes nothing at the table.

    It is about an action of persons, the session's end, the clock, or evidence of unfairness.
    """
    who = fact.by or fact.source
    match fact.body:
        case SessionEnded(session, reason) if reason:
            return (Announce(SessionOver(who, session, reason)),)
        case ClockStepped(before, after):
            return (Announce(ClockSet(who, utc_text(before), utc_text(after))),)
        case CertificateExpiring(file, fingerprint, until, days):
            return (Announce(CertificateEnds(who, file, fingerprint, utc_text(until), days)),)
        case FairnessWeighed(stream, subject, reached, observed, threshold, alarm):
            now, due = _tenths(reached), _tenths(threshold)
            if alarm:
                text = saying("fairness.alarmed", log10_e=now, threshold=due)
                return (Announce(FairnessAlarm(stream, subject, reached, observed, threshold, text)),)
            text = saying("fairness.grown", log10_e=now, threshold=due)
            return (Announce(EvidenceGrown(stream, subject, reached, observed, threshold, text)),)
        case PersonSignedOn(person, role, means):
            return (Announce(SignedOn(person, role, means)),)
        case SignOnFailed(person, tries, locked):
            return (Announce(SignOnRefused(who, person, tries, locked)),)
        case Recalled(rounds):
            return (Announce(RoundsRecalled(who, rounds)),)
        case Bookmarked(note, sequence):
            marks = None if sequence is None else event_named(table, sequence)
            return (Announce(BookmarkSet(who, note, marks)),)
        case _:
            return ()


def _session(table: Table[S], began: SessionBegan) -> tuple[Table[S], Effects]:
    new = replace(
        table,
        session=began.session,
        version=began.version,
        config_hash=began.config_hash,
        terms=began.terms,
        by_hand_limit=began.by_hand_limit,
        simulated=began.simulated,
        devices=tuple(replace(item, attached=False, reason="session began") for item in table.devices),
    )
    digests = began.version, began.program, began.rules_hash, began.config_hash
    started = (Announce(SessionStarted("table", began.previous, *digests)),) if began.previous else ()
    before, after = (table.version, table.config_hash), (began.version, began.config_hash)
    if table.version == "" or before == after:
        return new, started
    return new, (*started, Announce(ConfigChanged("table", *after, *before)))


def _verified(fact: Fact, seen: ProgramVerified) -> Effects:
    """Return the verification's event, and its fault where there is one.

    The fault stays until the files are as signed and a technician has seen it.
    """
    said = ProgramChecked(
        fact.by or fact.source,
        seen.occasion,
        seen.result,
        seen.version,
        seen.program,
        seen.files,
        seen.differing,
        seen.findings,
        seen.key,
    )
    if seen.result != "mismatch":
        return Announce(said), ClearFault(Code.PROGRAM_CHANGED, "")
    return Announce(said), RaiseFault(Code.PROGRAM_CHANGED, "", seen.findings[0] if seen.findings else "")


def _attached(table: Table[S], seen: DeviceAttached) -> tuple[Table[S], Effects]:
    before = device(table, seen.device)
    now = Device(
        seen.device,
        attached=True,
        maker=seen.maker,
        model=seen.model,
        serial=seen.serial,
        firmware=seen.firmware,
        boot=seen.boot,
        simulated=seen.simulated,
        delivered=before.delivered,
    )
    effects: Effects = (RaiseFault(Code.RESTARTED, seen.device), ClearFault(Code.RESTARTED, seen.device))
    return with_device(table, now), effects if restarted(before, seen.boot) else ()


def _acknowledged(table: Table[S], fact: Fact, code: int, name: str) -> tuple[Table[S], Effects]:
    standing = fault(table, code, name)
    if standing is None:
        return table, (Refuse("table", "no_such_fault", saying("refuse.no_such_fault", code=code)),)
    who = fact.by or fact.source
    seen = replace(standing, acknowledged_by=who)
    said = Announce(FaultSeenBy(code, name, entry(code).severity, _text(code), who))
    if standing.present:
        return with_fault(table, seen), (said,)
    return without_fault(table, standing), (said, _gone(seen, who))


def _cleared(table: Table[S], effect: ClearFault) -> tuple[Table[S], tuple[Announce, ...]]:
    standing = fault(table, effect.code, effect.device)
    if standing is None:
        return table, ()
    line = entry(effect.code)
    if line.clears is Authority.AUTO or standing.acknowledged_by is not None:
        return without_fault(table, standing), (_gone(standing, standing.acknowledged_by or "table"),)
    return with_fault(table, replace(standing, present=False)), ()


def _seen(new: Fault) -> Announce:
    line = entry(new.code)
    return Announce(FaultSeen(new.code, new.device, line.severity, _text(new.code), "table", new.detail))


def _gone(old: Fault, by: str) -> Announce:
    return Announce(FaultGone(old.code, old.device, entry(old.code).severity, _text(old.code), by))


def _text(code: int) -> Saying:
    return saying(f"fault.{entry(code).key}.text")


def _tenths(figure: str) -> str:
    """Return decimal text with one place, cut off; the event has the others."""
    whole, point, places = figure.partition(".")
    return f"{whole}{point}{places[:1]}"
