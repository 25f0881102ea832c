"""Account of a table's evidence: what is published, and what outlives a restart.

What was found is reported to the table and comes back as an event of the log. Until it has, it is due; a daemon that
was killed in between finds it again when it reads on from where the account was kept.
"""

import json
from array import array
from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, astuple, field
from itertools import chain
from typing import Any, Final

from tablectl.core.amending.counted_round import kind_of
from tablectl.core.facts import FairnessWeighed
from tablectl.history.explain.model import Form
from tablectl.history.statistics.fairness_monitor import Budget, Finding, Monitor, Point, Stream, decimal
from tablectl.history.statistics.nulls import evidence_of
from tablectl.history.statistics.past_rounds import PastRounds
from tablectl.history.statistics.stream_names import spoken
from tablectl.history.statistics.streams import READ, Place, Reader
from tablectl.lazy_dataclass import dataclass

FAIRNESS: Final = "fairness"
"""The key under which the journal remembers the account, and the state topic."""

FORM: Final = 1
"""The version of the kept form; an account of another one is made anew from the log."""

REPORTED: Final[Mapping[str, bool]] = {"fairness.evidence.v1": False, "fairness.alarm.v1": True}
"""The kinds of event that report findings, and whether they are alarms."""

TAKEN: Final = READ | REPORTED.keys()
"""The kinds of event that the account takes; the others change nothing."""


@dataclass(slots=True)
class Account:
    """The evidence of a table's log, up to an event.

    Attributes:
        sequence: of the last event that was taken.
        due: what was found and isn't in the log yet, by stream, subject, and whether it is an alarm.
    """

    monitor: Monitor
    sequence: int = 0
    due: dict[tuple[str, str, bool], FairnessWeighed] = field(default_factory=dict[Any, FairnessWeighed])

    def take(self, event: Form) -> list[FairnessWeighed]:
        """Take in the log's next event, and return what is to be reported.

        Events that were taken before change nothing; kinds that aren't in `TAKEN` may be left out.
        """
        sequence = int(event.get("sequence", 0))
        if sequence <= self.sequence:
            return []
        self.sequence = sequence
        kind = kind_of(event)
        if kind in REPORTED:
            self._reported(event["data"], alarm=REPORTED[kind])
            return []
        if not (findings := self.monitor.take(event)):
            return []
        found = [_weighed(each) for each in findings]
        self.due.update({(each.stream, each.subject, each.alarm): each for each in found})
        return found

    def take_card(self, sequence: int, round_id: str) -> bool:
        """Take in a card that tells nothing.

        Returns:
            False where it may tell how its round's hands are dealt; then it isn't taken.
        """
        if round_id != self.monitor.reader.dealt or sequence <= self.sequence:
            return False
        self.sequence = sequence
        return True

    def _reported(self, data: Form, *, alarm: bool) -> None:
        key = str(data.get("stream", "")), str(data.get("subject", "")), alarm
        if key in self.due and float(data["log10_e"]) >= float(self.due[key].log10_e):
            del self.due[key]

    def form(self) -> dict[str, Any]:
        """The content of the state `fairness`: the stream with most evidence first."""
        return {"sequence": self.sequence, "streams": [each.form() for each in self._streams()]}

    def courses(self) -> dict[str, Any]:
        """The content of `form` for a page.

        It has each stream's course, and words in every language.
        """
        streams = [
            {**(form := each.form()), **spoken(form), "course": [point._asdict() for point in each.points()]}
            for each in self._streams()
        ]
        return {"sequence": self.sequence, "streams": streams}

    def _streams(self) -> list[Stream]:
        return sorted(self.monitor.streams.values(), key=lambda each: -each.ranked()[0])

    def kept(self) -> str:
        """The account as it is kept over a restart, in JSON."""
        monitor = self.monitor
        return json.dumps(
            {
                "v": FORM,
                "sequence": self.sequence,
                "needed": astuple(monitor.reader.needed()),
                "simulated": monitor.reader.simulated,
                "begun": [[*key, times] for key, times in monitor.begun.items()],
                "past": asdict(monitor.reader.past),
                "streams": [_kept_stream(each) for each in monitor.streams.values()],
                "due": [astuple(each) for each in self.due.values()],
            }
        )


def read_account(text: str, budget: Budget) -> Account:
    """Return a kept account.

    It has yet to `catch_up` with the rounds that amendments may reach.

    Raises:
        ValueError: there is none, or it is another build's.
    """
    try:
        form: dict[str, Any] = json.loads(text)
        if form["v"] != FORM:
            raise ValueError("an account of another form")
        past = form.get("past", {})  # none in an account of an earlier build
        rounds = PastRounds([tuple(each) for each in past.get("block", ())], past.get("pack", []))
        reader = Reader(Place(*form["needed"]), form["simulated"], rounds)
        begun = Counter({(family, year): times for family, year, times in form["begun"]})
        streams = [_read_stream(each, budget) for each in form["streams"]]
        monitor = Monitor(budget, {(each.family, each.subject): each for each in streams}, reader, begun)
        due = [FairnessWeighed(*each) for each in form["due"]]
        return Account(monitor, form["sequence"], {(each.stream, each.subject, each.alarm): each for each in due})
    except (LookupError, TypeError, AttributeError) as error:
        raise ValueError(f"no account: {error}") from error


def catch_up(account: Account, event: Form) -> list[FairnessWeighed]:
    """Take in an event of the log from the account's `needed` place on.

    What was counted before isn't counted again; it is only what later amendments strike.
    """
    if int(event.get("sequence", 0)) > account.sequence:
        return account.take(event)
    if kind_of(event) in READ:
        account.monitor.reader.changes(event)
    return []


def _weighed(finding: Finding) -> FairnessWeighed:
    stream, evidence = finding.stream, finding.stream.evidence
    reached, threshold = decimal(evidence.log10()), decimal(stream.threshold)
    return FairnessWeighed(stream.family, stream.subject, reached, evidence.total, threshold, finding.alarm)


def _kept_stream(stream: Stream) -> dict[str, Any]:
    return {
        "stream": stream.family,
        "subject": stream.subject,
        "nth": stream.nth,
        **stream.evidence.kept(),
        "told": stream.told,
        "alarmed": stream.alarmed,
        "course": stream.past(),
        "stride": stream.stride,
    }


def _read_stream(form: Mapping[str, Any], budget: Budget) -> Stream:
    family, subject = form["stream"], form["subject"]
    evidence = evidence_of(family, subject, form)
    course = array("d", chain.from_iterable(Point(*each) for each in form["course"]))
    threshold = budget.threshold(form["nth"])
    told, alarmed = form["told"], form["alarmed"]
    return Stream(family, subject, form["nth"], threshold, evidence, told, alarmed, course, form["stride"])
