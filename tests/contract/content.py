"""What the contract asks of `data`, type by type."""

from collections.abc import Mapping

from tests.contract import form as f
from tests.contract.form import Check

_BET: Mapping[str, Check] = {"place": f.count, "bettor": f.text, "bet": f.text, "stake": f.any_text}
_FAULT: Mapping[str, Check] = {
    "code": f.count,
    "device": f.any_text,
    "severity": f.one_of("notice", "warning", "error"),
    "text": f.languages,
    "by": f.text,
}
_AUDIT: Mapping[str, Check] = {"by": f.text}
_WEIGHED: Mapping[str, Check] = {
    "stream": f.text,
    "subject": f.text,
    "log10_e": f.text,
    "observed": f.count,
    "threshold": f.text,
}

EVENTS: Mapping[str, Mapping[str, Mapping[str, Check]]] = {
    "event/round": {
        "round.opened": {"game": f.one_of("q_poker"), "rules_version": f.text, "places": f.list_of(f.place)},
        "round.betting_closed": {"by": f.one_of("dealer", "first_card"), "total_stakes": f.amount},
        "round.revealed": {"place": f.hand_place, "cards": f.list_of(f.card), "hand": f.text},
        "round.decided": {"place": f.place, "bettor": f.text, "decision": f.one_of("play", "withdraw")},
        "round.irregular": {
            "article": f.article,
            "code": f.text,
            "text": f.languages,
            "consequence": f.one_of("continues", "hand_void", "round_void", "respin", "mended", "ask_again", "plays"),
        },
        "round.settled": {
            "game": f.one_of("q_poker"),
            "rules": lambda value: value == {},
            "round": f.with_fields(dealer=f.list_of(f.card), places=f.list_of(f.with_fields(place=f.place))),
            "settlement": f.with_fields(status=f.one_of("settled"), dealer=f.with_fields(qualifies=f.flag)),
            "rules_version": f.text,
            "opened": f.instant,
            "settled": f.instant,
            "irregularities": f.list_of(f.article),
        },
        "round.void": {
            "reason": f.text,
            "article": f.article,
            "by": f.text,
            "returned": f.list_of(f.with_fields(bettor=f.text, place=f.place, bet=f.text, stake=f.stake)),
        },
        "round.part_settled": {
            "game": f.one_of("q_poker"),
            "part": f.one_of("pair_or_better"),
            "bets": f.list_of(f.with_fields(bettor=f.text, place=f.place, stake=f.stake, net=f.amount)),
        },
        "round.paid": {
            "of": f.text,
            "place": f.or_null(f.place),
            "by": f.text,
            "taken_back": f.list_of(f.with_fields(bettor=f.text, amount=f.amount)),
        },
        "round.amended": {
            "amends": f.list_of(f.text),
            "by": f.text,
            "second": f.or_null(f.text),
            "reason": f.text,
            "changes": f.list_of(f.with_fields(verb=f.text, record=f.or_null(f.count), after=f.or_null(f.count))),
            "phase": f.text,
            "asks_again": f.list_of(f.with_fields()),
            "to_pay": f.or_null(f.list_of(f.with_fields(bettor=f.text, amount=f.amount))),
            "to_take_back": f.or_null(f.list_of(f.with_fields(bettor=f.text, amount=f.amount))),
        },
        "round.corrected": {
            "corrects": f.text,
            "reason": f.text,
            "by": f.text,
            "settlement": f.with_fields(
                status=f.one_of("corrected"),
                bettors=f.list_of(f.with_fields(bettor=f.text, net=f.amount)),
                house=f.amount,
            ),
            "by_hand": f.flag,
        },
    },
    "event/bet": {
        "bet.placed": {**_BET, "place": f.place, "stake": f.stake},
        "bet.withdrawn": {**_BET, "place": f.place, "stake": f.stake},
        "bet.refused": {**_BET, "article": f.article, "text": f.languages},
    },
    "event/card": {
        "card.dealt": {"place": f.hand_place, "index": f.count},
        "card.exposed": {"place": f.hand_place, "cards": f.list_of(f.card)},
        "card.cut_reached": {"place": f.or_null(f.hand_place)},
        "card.out_of_round": {"place": f.or_null(f.hand_place)},
    },
    "event/fault": {"fault.raised": _FAULT, "fault.cleared": _FAULT, "fault.acknowledged": _FAULT},
    "event/fairness": {
        "fairness.evidence": {**_WEIGHED, "text": f.languages},
        "fairness.alarm": {**_WEIGHED, "text": f.languages},
    },
    "event/audit": {
        "audit.signed_on": {**_AUDIT, "role": f.text, "means": f.one_of("pin", "certificate")},
        "audit.sign_on_failed": {**_AUDIT, "person": f.any_text, "tries": f.count, "locked": f.flag},
        "audit.override": {**_AUDIT, "what": f.text, "reason": f.text},
        "audit.config_changed": {
            **_AUDIT,
            "version": f.text,
            "config_hash": f.text,
            "previous_version": f.text,
            "previous_config_hash": f.text,
        },
        "audit.session_began": {
            **_AUDIT,
            "previous": f.one_of("stopped", "killed", "power_lost", "watchdog", "failed", "unknown"),
            "version": f.text,
            "program": f.any_text,
            "rules_hash": f.text,
            "config_hash": f.text,
        },
        "audit.session_ended": {**_AUDIT, "session": f.text, "reason": f.text},
        "audit.recalled": {**_AUDIT, "rounds": f.list_of(f.text)},
        "audit.bookmark": {**_AUDIT, "note": f.text, "marks": f.or_null(f.text)},
        "audit.material_changed": {**_AUDIT, "kind": f.one_of("pack", "dice", "shoe"), "name": f.any_text},
        "audit.log_began": {**_AUDIT, "log": f.text, "predecessor": f.or_null(f.text)},
    },
}
"""The events that a Q Poker table can send, by topic."""

ROUND_OWN = frozenset({"event/round", "card.dealt", "card.exposed", "bet.placed", "bet.withdrawn"})
"""Topics and types that never are without a round."""

_LIVE = f.with_fields(bytes=f.count, frames=f.count, rejected=f.count, facts=f.count, silent_s=lambda _: True)
_IDENTITY = f.with_fields(maker=f.any_text, model=f.any_text, serial=f.any_text)


def _round(value: object) -> bool:
    """The public part of a round, which names it unless there is none."""
    return isinstance(value, dict) and ("round_id" not in value or f.text(value["round_id"]))


STATES: Mapping[str, tuple[str, Mapping[str, Check]]] = {
    "status": (
        "status",
        {
            "state": f.one_of("init", "ready", "degraded", "passive", "stopped", "lost"),
            "session": f.text,
            "log": f.text,
            "since": f.instant,
            "version": f.text,
        },
    ),
    "meta/info": (
        "meta.info",
        {
            "version": f.text,
            "game": f.text,
            "rules_version": f.text,
            "devices": f.list_of(f.text),
            "config_hash": f.text,
            "schema_version": f.count,
            "log": f.text,
            "public_key": f.text,
            "fingerprint": f.text,
        },
    ),
    "health": (
        "health",
        {
            "loop_lag_s": lambda value: isinstance(value, int | float),
            "queue": f.count,
            "journal": f.with_fields(record=f.count, sequence=f.count),
            "outbox": f.with_fields(acknowledged=f.count, backlog=f.count),
            "clock": f.with_fields(state=f.one_of("synced", "holdover", "unsynced"), error_us=f.or_null(f.count)),
            "devices": f.with_fields(shoe=_LIVE, shuffler=_LIVE),
        },
    ),
    "device": (
        "device.status",
        {
            "state": f.text,
            "identity": _IDENTITY,
            "firmware": f.any_text,
            "last_frame_age_s": lambda value: value is None or (isinstance(value, int | float) and value >= 0),
            "faults": f.list_of(f.with_fields(code=f.count, severity=f.text, text=f.languages)),
            "simulated": f.flag,
        },
    ),
    "board": (
        "board",
        {
            "game": f.one_of("q_poker"),
            "last": f.list_of(f.with_fields(round_id=f.text, settled=f.instant, result=f.text)),
            "rounds": f.count,
            "counts": f.mapping_of(f.with_fields(count=f.count)),
        },
    ),
    "fairness": (
        "fairness",
        {"sequence": f.count, "streams": f.list_of(f.with_fields(**_WEIGHED, alarmed=f.flag))},
    ),
    "round/state": (
        "round.state",
        {"phase": f.text, "waiting": f.languages, "round": _round},
    ),
    "round/phase": ("round.phase", {"phase": f.text, "waiting": f.languages, "since": f.instant}),
}
"""The state topics: the type's middle part, and what `data` has."""

RAW = frozenset({"checkpoint", "meta/asyncapi"})
"""The topics whose payload is a text of another specification."""
