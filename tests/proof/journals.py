"""Journals with rounds in them, as a table would have written them, for tests of what reads them."""

import json
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tablectl.core.money import utc_text
from tablectl.core.protocols import StoredEvent
from tablectl.daemon.signing.keys import public_key, signing_key
from tablectl.journal.journal import Journal, open_journal
from tablectl.journal.reading.rows import Remembered
from tablectl.journal.records import Record, Snapshot

LOG = "0a0b0c0d"
ORIGIN = f"tablectl/macau/q1/{LOG}"
SECRET = b"the dealer's third card is the queen of spades"
"""What facts hold and no event: a card that lies face down."""

DAY_US = 86_400_000_000
START_US = 1_790_000_000_000_000
LATER_US = 4_070_908_800_000_000
"""2099: what a board without a battery for its clock may say."""


@dataclass
class Play:
    """Writes a journal, a round a day."""

    journal: Journal
    origin: str = ORIGIN
    at_us: int = START_US
    record: int = 0
    sequence: int = 0
    events: list[StoredEvent] = field(default_factory=list[StoredEvent])

    def begin(self) -> None:
        """The log's first event."""
        self.journal.append([self._record(("audit.log_began.v1", "", {"by": "", "log": self.origin[-8:]}))])

    def round(self, round_id: str, *, over: bool = True) -> None:
        """A round: nine events, or seven where it isn't over."""
        opened = ("round.opened.v1", round_id, {"game": "q_poker", "rules_version": "89/2004", "places": [1, 2]})
        bet = {"bettor": "=ann", "bet": "pair_or_better", "stake": "100.00"}
        bets = [("bet.placed.v1", round_id, {"place": place, **bet}) for place in (1, 2, 3)]
        text = {"en": "The shoe is lost", "pt": "Sem sabot", "zh-Hant": "牌靴失聯"}
        fault = ("fault.raised.v1", "", {"code": 1201, "device": "shoe", "severity": "error", "text": text})
        dealt = [("card.dealt.v1", round_id, {"place": place, "index": 1}) for place in (1, 2)]
        batch = [self._record(opened), *(self._record(each) for each in bets), self._record()]
        batch += [self._record(fault), self._record(*dealt)]
        if not over:
            self.journal.append(batch)
            return
        settlement = {"bettors": [{"bettor": "=ann", "net": "-300.00"}], "house": "300.00"}
        shown = ("round.revealed.v1", round_id, {"place": "dealer", "cards": ["Qs", "7h", "2c"], "hand": "high"})
        settled = ("round.settled.v1", round_id, {"game": "q_poker", "rules": {}, "settlement": settlement})
        batch.append(self._record(shown, settled))
        self.journal.append(batch, Snapshot(self.record, self.sequence, "table/1", b'{"state": %d}' % self.record))
        self.at_us += DAY_US

    def correct(self, round_id: str) -> None:
        """A correction of a round that is over."""
        self.journal.append([self._record(("round.corrected.v1", round_id, {"reason": "miscounted"}))])

    def _record(self, *events: tuple[str, str, dict[str, Any]]) -> Record:
        self.record += 1
        self.at_us += 1
        new = tuple(self._event(*event) for event in events)
        self.events += new
        return Record(self.record, self.at_us, SECRET + b" in %d" % self.record, new)

    def _event(self, kind: str, round_id: str, data: dict[str, Any]) -> StoredEvent:
        self.sequence += 1
        form = {
            "specversion": "1.0",
            "id": f"{self.origin[-8:]}-{self.sequence:016d}",
            "source": f"/{self.origin}",
            "type": f"mo.tablectl.{kind}",
            "time": utc_text(self.at_us),
            "recordedtime": utc_text(self.at_us),
            "sequence": f"{self.sequence:016d}",
            **({"correlationid": round_id} if round_id else {}),
            "simulated": True,
            "data": {"round_id": round_id, **data} if round_id else data,
        }
        payload = json.dumps(form, ensure_ascii=False, separators=(",", ":")).encode()
        return StoredEvent(self.sequence, f"event/{kind.partition('.')[0]}", payload)


def played(folder: Path, rounds: int = 4, *, origin: str = ORIGIN, checkpoint: bool = True) -> list[StoredEvent]:
    """Writes a journal with so many rounds, `r1` and so on, all with the broker.

    Args:
        checkpoint: whether it is signed at the end.
    """
    with closing(open_journal(folder)) as journal:
        public_key(folder)
        play = Play(journal, origin)
        play.begin()
        for number in range(1, rounds + 1):
            play.round(f"r{number}")
        journal.remember(Remembered.PUBLISHED, str(play.sequence))
        if checkpoint:
            journal.signed_checkpoint(origin, signing_key(folder))
    return play.events


def sign(folder: Path) -> str:
    """A checkpoint of the journal as it is now, kept in it too."""
    with closing(open_journal(folder)) as journal:
        return journal.signed_checkpoint(ORIGIN, signing_key(folder))


def go_on(folder: Path, *, rounds: int = 1, over: bool = True, correct: str = "") -> Play:
    """Adds rounds, `s1` and so on, to a journal; the last one may be left open."""
    with closing(open_journal(folder)) as journal:
        play = Play(journal, record=journal.last_record, sequence=journal.last_sequence, at_us=START_US + 1000 * DAY_US)
        for number in range(1, rounds + 1):
            play.round(f"s{number}", over=over or number < rounds)
        if correct:
            play.correct(correct)
    return play
