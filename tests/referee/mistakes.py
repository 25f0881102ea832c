"""Mistakes in what is recorded, and the amendments that put them right."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from random import Random
from typing import Any, Final

from tablectl.core.actions.authority import Need
from tablectl.core.effects import Refuse
from tablectl.core.facts.amendments import Change
from tablectl.core.money import utc_text
from tablectl.core.table import round_named
from tests.referee.dealers import DEALERS, SEATS
from tests.referee.evening import START_US, Act, Evening
from tests.referee.persons import BOTH, MANNERS, enough, stated
from tests.referee.tally import Kind, Tally, refused_mistakes
from tests.referee.wrong_acts import OTHER, altered, by_hand, invented

ROUNDS: Final = 12
INVENTED_SHARE: Final = 0.2
AGAIN_SHARE: Final = 0.25
"""How many amendments are put right themselves: what they inserted happened at another time."""
BY_HAND_SHARE: Final = 0.15
"""Of how many rounds the money is corrected by hand as well."""
TRIES: Final = 4
"""How often a person mistypes the same entry while the table refuses it."""
MOST: Final = 6
"""Mistakes of one evening."""
BANK: Final = frozenset({"take_bank", "decline_bank"})
"""What is said of the bank before the opening: facts of the round."""
UNTIL_OPEN: Final = 3
"""After so many acts a round is open whose bank was declined."""
NOT_AMENDABLE: Final = frozenset({"open_round", "spin_started", "take_seat", *BANK, "confirm_pack"})
NOT_MISSED: Final = frozenset({"draw", "shown_draw"})
"""What the table asks for until it comes."""
INVENTED: Final = (
    *("bet", "void_round", "card", "dice", "take_back_bet", "expose_card", "close_betting"),
    *("misplace_card", "count_cards", "declare_misdeal"),
)


@dataclass(frozen=True, slots=True)
class Line:
    """One act of an evening without mistakes, the table before and after it, a third card's place, and the bank."""

    act: Act
    round_before: str | None
    phase: str
    round_after: str | None
    phase_after: str
    lies: Any = ""
    bank: Any = None


@dataclass(frozen=True, slots=True)
class Wrong:
    """A mistake that was recorded, or not recorded, and not put right yet.

    Args:
        record: of the wrong fact; of the one before, where one is missing.
        due: when it is put right: as many acts later.
        lies: where a third card lies, which is no hand's before the first two are known.
    """

    kind: str
    round_id: str
    record: int
    act: Act
    written: Act | None
    due: int
    lies: Any = ""


def faultless(random: Random, game: str, evening: Evening, rounds: int = ROUNDS) -> list[Line]:
    """An evening as it happens, everything recorded as it is."""
    make_truth, next_act = DEALERS[game]
    truth, script, played = make_truth(random), list[Line](), 0
    while played < rounds:
        bank = evening.sight.get("banker")
        before, phase, act = evening.round_id, evening.phase, next_act(random, evening, truth)
        refused = evening.happens(act)
        assert refused is None, (act, refused)
        third = evening.last_dealt() if game == "football_poker" and act.verb == "card" else (None, 0)
        script.append(Line(act, before, phase, evening.round_id, evening.phase, third[0] if third[1] > 2 else "", bank))
        if before is not None and evening.round_id is None:
            played, truth = played + 1, make_truth(random)
            if random.random() < BY_HAND_SHARE:
                script.append(_corrected(random, evening, before))
    return script


def _corrected(random: Random, evening: Evening, round_id: str) -> Line:
    """Two persons put right by hand what somebody was paid in a round that is over."""
    phase, bank, act = evening.phase, evening.sight.get("banker"), by_hand(random, round_id)[0]
    refused = evening.happens(act)
    assert refused is None, (act, refused)
    return Line(act, None, phase, evening.round_id, evening.phase, bank=bank)


def possible_mistakes(script: Sequence[Line]) -> set[Kind]:
    """The mistakes that can be made of these acts: how, the verb and the phase."""
    kinds = set[Kind]()
    for line in script:
        verb = line.act.verb
        if verb in BANK:
            kinds.add(("mistyped", verb, line.phase))
        if line.round_before is None or verb in NOT_AMENDABLE:
            continue
        if verb not in NOT_MISSED:
            kinds.add(("missed", verb, line.phase))
        if line.act.fields.keys() & OTHER.keys():
            kinds.add(("mistyped", verb, line.phase))
    return kinds


@dataclass(slots=True)
class Clumsy:
    """The same evening once more, with mistakes: half of them of kinds that were rare so far.

    Args:
        tally: what evenings of this game had so far; this one's figures are added.
    """

    random: Random
    game: str
    evening: Evening
    script: Sequence[Line]
    tally: Tally
    trail: list[Any] = field(default_factory=list[Any])
    _wrong: list[Wrong] = field(default_factory=list[Wrong])
    _thirds: dict[int, tuple[str, Any]] = field(default_factory=dict[int, tuple[str, Any]])
    _again: list[Line] = field(default_factory=list[Line])
    _lines: dict[int, Line] = field(default_factory=dict[int, Line])
    _last: dict[str, int] = field(default_factory=dict[str, int])
    _own: dict[str, int] = field(default_factory=dict[str, int])
    _inserted: set[int] = field(default_factory=set[int])
    _by_hand: list[Act] = field(default_factory=list[Act])

    def play(self) -> None:
        """The whole evening; what is still wrong at its end is put right then."""
        strikes = self._strikes()
        for nth, line in enumerate(self.script):
            if self._needs_order(line):
                self._put_right()
                self._do_again()
            during = self.evening.round_id
            self._do(nth, line, strikes.get(nth))
            self._correct_by_hand(during)
            if any(wrong.due <= nth for wrong in self._wrong):
                self._put_right()
            self._do_again()
            if not self._wrong and not self._again:
                self._check(line)
        self._put_right()
        self._do_again()
        self._check(self.script[-1])

    def take_back(self) -> None:
        """Takes back what was corrected by hand and shouldn't have been."""
        for act in self._by_hand:
            assert self.evening.happens(act) is None, act

    @property
    def _next_round(self) -> str:
        """The round that will be opened next."""
        return round_named(self.evening.table, self.evening.table.rounds + 1)

    def _strikes(self) -> dict[int, str]:
        """What goes wrong at 1 to 6 acts, by their numbers: every other time the rarest that can."""
        chances: dict[Kind, list[int]] = {}
        for nth, line in enumerate(self.script):
            for kind in possible_mistakes([line]):
                chances.setdefault(kind, []).append(nth)
        kinds = self.random.sample(sorted(chances), len(chances))
        refused = refused_mistakes(self.game)
        rarest = sorted(chances.keys() - refused.keys(), key=lambda kind: (self.tally.made[kind], kinds.index(kind)))
        strikes: dict[int, str] = {}
        for kind in self.random.sample((*rarest[:3], *kinds[:3]), self.random.randint(1, MOST)):
            is_invented = self.random.random() < INVENTED_SHARE and kind[1] not in BANK
            several = min(1 if self.tally.made[kind] else 3, MOST - len(strikes), len(chances[kind]))
            for nth in self.random.sample(chances[kind], several):
                strikes[nth] = "invented" if is_invented else kind[0]
        return strikes

    def _do_again(self) -> None:
        """Records once more what the table asked for again, or took only after something else."""
        for line in tuple(self._again):
            if self._record(line.act, line) is None:
                self._again.remove(line)

    def _needs_order(self, line: Line) -> bool:
        """Whether the table waits for another round than the one that really is next, or another bank."""
        if not self._wrong:
            return False
        if line.round_before is not None:
            # Dice thrown at a table that takes the round for over are of no round: whoever throws them sees that.
            return line.act.verb == "dice" and self.evening.round_id != line.round_before
        if any(wrong.round_id == self._next_round for wrong in self._wrong):
            return False  # the bank, which is put right once its round is open
        # The capital that a banker who won leaves lies on the table: the dealer sees it before the next round.
        return self.evening.round_id is not None or self.evening.sight.get("banker") != line.bank

    def _check(self, line: Line) -> None:
        now = (self.evening.round_id, self.evening.phase)
        if now == (line.round_after, "looking") and line.phase_after in {"thirds", "opening"}:
            return  # a hand of which a reading was dropped has to be named first
        assert now == (line.round_after, line.phase_after), (now, line, self.trail)

    def _do(self, nth: int, line: Line, how: str | None) -> None:
        if line.act.verb in BANK and any(wrong.round_id == self._next_round for wrong in self._wrong):
            self._note("missed", nth, line, self._wrong[-1].record, None)
            return
        if how == "invented":
            self._invent(nth, line)
        elif how == "missed":
            self._note(how, nth, line, self._now_in(line.round_before), None)
            return
        elif how == "mistyped" and not (self._wrong and line.act.verb in {"pay_place", *BANK}):
            # Another place typed may be due by what is wrong, and a payment stays, whatever is put right.
            self.tally.tried[how, line.act.verb, line.phase] += 1
            if line.act.verb == "decline_bank":
                self._take_for_the_bank(nth, line)
                return
            for _ in range(TRIES):
                written = altered(self.random, self.game, line.act)
                if written is not None and not self._record(written, line):
                    self._note(how, nth, line, self.evening.table.records, written)
                    return
        self._truly(nth, line)

    def _take_for_the_bank(self, nth: int, line: Line) -> None:
        """Enters the bank at the place that declines it."""
        place = line.act.fields["place"]
        taken = Act("take_bank", {"place": place, "bettor": SEATS[place], "capital": "500"})
        assert self._record(taken, line) is None, self.trail
        record = self.evening.table.records
        self._note("invented", nth, replace(line, act=taken), record, taken)
        self._note("missed", nth, line, record, None)
        self.tally.made["mistyped", line.act.verb, line.phase] += 1

    def _invent(self, nth: int, line: Line) -> None:
        during, phase, some = self.evening.round_id, self.evening.phase, self.random.sample(INVENTED, 3)
        verb = min(some, key=lambda each: self.tally.made["invented", each, phase])
        act = invented(verb, self.random, self.game, self.evening)
        if self._record(act, line) is None:
            self._thirds.pop(self.evening.table.records, None)  # nothing lies anywhere
            self._note("invented", nth, replace(line, act=act), self.evening.table.records, act)
            self._correct_by_hand(during)

    def _truly(self, nth: int, line: Line) -> None:
        refused = self._record(line.act, line)
        if refused is not None and self._wrong:
            self._put_right()
            refused = self._record(line.act, line)
        if refused is not None and refused.code == "fault_stands":
            self.evening.see_to_faults()
            refused = self._record(line.act, line)
        if refused is not None and refused.code == "third_cards_first":
            self._again.append(line)
            return
        assert refused is None, (line, refused, self.trail)
        if line.lies and self.evening.sight["surplus"]:
            self._note("misplaced", nth, line, self.evening.table.records, line.act)

    def _now_in(self, round_id: str | None) -> int:
        """The newest record; of a round that the table takes for over already, the last that was really its own."""
        records = self.evening.table.records
        return records if self.evening.round_id == round_id else self._own.get(round_id or "", records)

    def _record(self, act: Act, line: Line) -> Refuse | None:
        during = self.evening.round_id or ""
        refused = self.evening.happens(act, line.round_before)
        record = self.evening.table.records
        self.trail.append((record, act, refused and refused.code))
        if refused is None:
            self._lines[record] = line
            self._last[during or self.evening.round_id or ""] = self._own[line.round_before or during] = record
            if line.lies and line.round_before and act.verb == "card":
                self._thirds[record] = line.round_before, line.lies
        return refused

    def _correct_by_hand(self, round_id: str | None) -> None:
        """Corrects wrongly what somebody was paid in some rounds that are over now."""
        if not round_id or self.evening.round_id or self.random.random() > BY_HAND_SHARE:
            return
        bank = self.evening.sight.get("banker")
        given, back = by_hand(self.random, round_id, not_for=bank and bank["bettor"])
        self.tally.made["by hand", given.verb, self.evening.phase] += 1
        refused = self.evening.happens(given)
        assert refused is None, (given, refused)
        self._by_hand.append(back)

    def _note(self, kind: str, nth: int, line: Line, record: int, written: Act | None) -> None:
        round_id = line.round_before or self._next_round
        delay = max(self._delay(nth), UNTIL_OPEN if line.act.verb in BANK else 0)
        self.tally.made[kind, line.act.verb, line.phase] += 1
        self.trail.append((kind, record, line.act, written))
        self._wrong.append(Wrong(kind, round_id, record, line.act, written, nth + delay, line.lies))

    def _delay(self, nth: int) -> int:
        """After how many acts it is put right: every other time in the phase in which that was rarest."""
        delays = self.random.sample((0, 0, 1, 2, 5, 10, 15, 25, 40), 9)
        if self.random.random() < 0.5:
            return delays[0]
        phases = {delay: self.script[min(nth + delay, len(self.script) - 1)].phase_after for delay in delays}
        return min(delays, key=lambda delay: sum(self.tally.when[phases[delay], "/".join(roles)] for roles in MANNERS))

    def _put_right(self) -> None:
        for round_id in dict.fromkeys(wrong.round_id for wrong in self._wrong):
            mine = [wrong for wrong in self._wrong if wrong.round_id == round_id]
            self._amend(round_id, self._in_reach(round_id, mine))
        self._wrong = []

    def _amend(self, round_id: str, wrong: list[Wrong]) -> None:
        """Puts it right: a card that lies face down can't be named, only its reading dropped."""
        hidden = set[int]()
        while True:
            changes = [change(each, hide=nth in hidden) for nth, each in enumerate(wrong)]
            changes += self._third_cards(round_id, wrong)
            answer = self._ask(round_id, changes, [each.act.verb for each in wrong]) if changes else None
            if answer is None:
                self._again += [self._lines[each] for each in self.evening.asked_again()] if changes else []
                if changes and self.random.random() < AGAIN_SHARE:
                    self._amend_the_amendment(round_id, changes)
                return
            nth = int(answer.where.partition("[")[2].partition("]")[0])
            if answer.code == "third_cards_first":  # a hand that isn't known has to be looked at before others
                self._again.append(Line(wrong.pop(nth).act, round_id, "", None, ""))
                hidden = {each - (each > nth) for each in hidden}
                continue
            assert answer.code == "card_lies_face_down", (answer, self.trail)
            hidden.add(nth)

    def _amend_the_amendment(self, round_id: str, changes: Sequence[Change]) -> None:
        """Says the same once more, with the times at which what was inserted happened."""
        at = [START_US + (each.record - 1) * 1_000_000 + self.random.randrange(1_000_000) for each in changes]
        timed = [replace(each, time=utc_text(us)) for each, us in zip(changes, at, strict=True)]
        again = {"changes": [_as_asked(each) for each in timed]}
        answer = self.evening.amend(round_id, [Change(self.evening.table.records, json.dumps(again))], BOTH)
        self.trail.append(("amend again", round_id, again, answer))
        assert answer is None, self.trail
        self.tally.made["amended again", "amend", self.evening.phase] += 1
        assert not self.evening.asked_again(), self.trail

    def _in_reach(self, round_id: str, wrong: list[Wrong]) -> list[Wrong]:
        """What is wrong, and what the table took for no round's: once another was opened, it has to be inserted."""
        opened = max(self._last.keys() | {self.evening.round_id or ""})
        if opened <= round_id:
            return wrong
        last = self._last[round_id]
        invented = {each.record for each in wrong if each.kind == "invented"}
        lost = {
            record: Wrong("missed", round_id, record, line.act, None, 0, line.lies)
            for record, line in self._lines.items()
            if line.round_before == round_id and record > last and record not in invented | self._inserted
        }
        self._inserted |= lost.keys()
        wrong = [each for each in wrong if each.record <= last or each.kind == "missed"]
        ordered = sorted([*lost.values(), *wrong], key=lambda each: each.record)
        return [replace(each, record=min(each.record, last)) for each in ordered]

    def _ask(self, round_id: str, changes: Sequence[Change], verbs: Sequence[str]) -> Refuse | None:
        """Asks in each manner until one is enough: those of whom the contract says that they may, and nobody else."""
        verbs = [*verbs, *("card" for _ in changes[len(verbs) :])]
        about = stated([(verb, _said(each)) for verb, each in zip(verbs, changes, strict=True)])
        phase, sight, over = self.evening.phase, self.evening.sight, self.evening.round_id != round_id
        may = {roles: enough(self.game, phase, sight, over=over, stated=about, roles=roles) for roles in MANNERS}
        self.tally.could |= {(phase, "/".join(roles)) for roles, enough_ in may.items() if enough_}
        manners = self.random.sample(MANNERS, len(MANNERS))
        if self.random.random() < 0.5:
            manners.sort(key=lambda roles: (not may[roles], self.tally.when[phase, "/".join(roles)]))
        for roles in manners:
            answer = self.evening.amend(round_id, changes, roles)
            self.trail.append(("amend", round_id, changes, roles, answer))
            if isinstance(answer, Need):
                assert not may[roles], (answer, self.trail)
                continue
            if answer is None:
                assert may[roles], self.trail
                self.tally.when[phase, "/".join(roles)] += 1
            return answer
        raise AssertionError(self.trail)

    def _third_cards(self, round_id: str, wrong: Sequence[Wrong]) -> list[Change]:
        """Where third cards lie, if a hand's first two aren't known any more, or nothing was due while they came."""
        changed = {each.record for each in wrong if each.kind != "missed"}
        if not any(each.act.verb == "card" or each.kind == "invented" for each in wrong):
            return []
        return [
            Change(record, json.dumps({"lies": place}))
            for record, (its, place) in self._thirds.items()
            if its == round_id and record not in changed
        ]


def change(wrong: Wrong, *, hide: bool) -> Change:
    """What an amendment says of one mistake."""
    fields: Mapping[str, Any] = {"card": None} if hide else wrong.act.fields
    fields = {**fields, "lies": wrong.lies} if wrong.lies else fields
    if wrong.kind == "missed":
        verb = "declare_spin" if wrong.act.verb == "spin" else wrong.act.verb
        return Change(wrong.record, json.dumps(dict(fields)), inserted=True, verb=verb)
    if wrong.kind == "invented":
        return Change(wrong.record)
    assert wrong.written is not None
    differs = {name: value for name, value in fields.items() if value != wrong.written.fields.get(name)}
    return Change(wrong.record, json.dumps(differs or dict(fields)))


def _as_asked(made: Change) -> Mapping[str, Any]:
    """A change in the form of the request."""
    fields = json.loads(made.fields) if made.fields else None
    if made.inserted:
        return {"after": made.record, "verb": made.verb, "fields": fields, "time": made.time}
    return {"record": made.record, "to": fields}


def _said(made: Change) -> Any:
    """What a fact says by a change; None where it didn't happen. A card that nobody read says nothing."""
    fields = json.loads(made.fields) if made.fields else None
    return {} if made.inserted and fields and fields.get("card", "") is None else fields
