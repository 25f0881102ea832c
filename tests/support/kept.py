"""A Q Poker table whose journal and capture lie in a folder, written fact by fact without a daemon."""

import json
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from drivers.shoe.angel_eye import ENQ, ETX, RANKS, SUITS, check_characters
from tablectl.config import load
from tablectl.config.game_setup import game_of
from tablectl.config.models import Config
from tablectl.core.cards import Card
from tablectl.core.effects import Announce
from tablectl.core.facts import Body, ClockState, LogBegan, SessionBegan
from tablectl.core.facts.game_requests import HandOpened, PackConfirmed
from tablectl.core.facts.reports import CardDrawn, DeviceAttached
from tablectl.core.facts.table_requests import BetOffered, BettingClosed, DecisionDeclared, RoundOpened
from tablectl.core.fold import begin
from tablectl.core.protocols import StoredEvent
from tablectl.daemon.signing.keys import public_key, signing_key
from tablectl.journal.encoding import Origin, write_event, write_fact
from tablectl.journal.journal import Journal, open_journal
from tablectl.journal.reading.rows import Remembered
from tablectl.journal.records import Record
from tablectl.rule_tables import shipped
from tests.support.sitting import Sitting, fact

LOG = "5eed0001"
ORIGIN = Origin("demo", "q-demo", LOG, "s1")
CARDS = ("As", "Qd", "Kd", "7h", "4c", "2c", "9s", "9d", "8h", "3h", "5s", "Jc")
ERROR_US = 850


def config(folder: Path) -> Config:
    """The demonstration's table with its state in this folder; nobody is there to confirm payments."""
    return load(shipped("tables/q-poker.demo.toml"), {"paths.state": str(folder), "q_poker.confirm_payment": "false"})


def shoe_frame(card: str, number: int) -> bytes:
    """What the baccarat shoe says of a card that it drew."""
    suit = next(code for code, name in SUITS.items() if name == card[1])
    rank = next(code for code, name in RANKS.items() if name == card[0])
    body = bytes((ord("0") + number % 10, ord("D"), 0x81, 0x80 | suit << 4 | rank, ETX))
    return bytes((ENQ,)) + body + check_characters(body)


def names_of_cards(card: str, number: int) -> list[str]:
    """What would give a card away: its name in JSON, on a terminal, on a page, in a frame, in the frame's bytes."""
    rank, sign = card[0].replace("T", "10"), {"s": "♠", "h": "♥", "c": "♣", "d": "♦"}[card[1]]
    drawn = f"<span>{rank}</span><span>{sign}</span>"
    return [f'"{card}"', f"{rank}{sign}", drawn, f"card {card}", shoe_frame(card, number).hex(" ")]


@dataclass
class Kept:
    """A table and its folder."""

    folder: Path
    journal: Journal
    sitting: Sitting[Any]
    captured: list[str] = field(default_factory=list)
    drawn: int = 0

    @property
    def round_id(self) -> str:
        """The round in being."""
        assert self.sitting.round_id is not None
        return self.sitting.round_id

    def tell(self, body: Body, **about: Any) -> None:
        """One more fact, on disk with what follows from it."""
        one = fact(body, len(self.sitting.facts), **about)
        one = replace(one, at=replace(one.at, clock=ClockState.SYNCED, error_us=ERROR_US))
        before = self.sitting.round_id
        effects = self.sitting.take(one)
        during = self.sitting.round_id or before
        events: list[StoredEvent] = []
        for event in (effect.event for effect in effects if isinstance(effect, Announce)):
            sequence = self.journal.last_sequence + len(events) + 1
            cause = events[0].sequence if events else None
            topic, payload = write_event(
                event, one, ORIGIN, sequence, one.at.utc_us + 7, cause=cause, simulated=False, during=during
            )
            events.append(StoredEvent(sequence, topic, payload))
        record = Record(self.journal.last_record + 1, one.at.utc_us + 7, write_fact(one), tuple(events))
        self.journal.append([record])

    def draw(self, *cards: str) -> None:
        """Cards leave the shoe; it says each of them three times."""
        for card in cards:
            at_us = fact(RoundOpened(), len(self.sitting.facts)).at.utc_us
            for copy in range(3):
                line = {"utc_us": at_us - 2000 + copy, "mono_ns": 1, "device": "shoe", "way": "in"}
                self.captured.append(
                    json.dumps({**line, "hex": shoe_frame(card, self.drawn).hex()}, separators=(",", ":"))
                )
            self.drawn += 1
            self.tell(CardDrawn("shoe", Card(card)))

    def bets(self, *places: int) -> None:
        """A round is opened, and somebody bets at these places."""
        self.tell(PackConfirmed())
        self.tell(RoundOpened())
        for place in places:
            self.tell(BetOffered(place, f"bettor{place}", "versus_dealer", 10_000))
        self.tell(BettingClosed())

    def play(self, cards: Sequence[str] = CARDS) -> str:
        """A whole round with bets at places 1 and 2; its id."""
        self.bets(1, 2)
        round_id = self.round_id
        self.draw(*cards[:9])
        for place in (1, 2):
            self.tell(HandOpened(place))
        for place in (1, 2):
            self.tell(DecisionDeclared(place, f"bettor{place}", "play"))
        self.tell(HandOpened("dealer"))
        return round_id

    def keep(self, lines: Sequence[str] = ()) -> None:
        """Writes the capture, and a checkpoint as the daemon does now and then."""
        folder = self.folder / "capture"
        folder.mkdir(exist_ok=True)
        about = {
            "shoe": {"kind": "shoe", "protocol": "angel_eye"},
            "shuffler": {"kind": "shuffler", "protocol": "link"},
            "linked": {"kind": "shoe", "protocol": "link"},
            "wheel": {"kind": "wheel", "protocol": "qsb"},
        }
        head = json.dumps({"capture": 1, "devices": about})
        (folder / "links-000001.jsonl").write_text("\n".join((head, *self.captured, *lines, "")))
        self.journal.remember(Remembered.PUBLISHED, str(self.journal.last_sequence))
        self.journal.signed_checkpoint(ORIGIN.log, signing_key(self.folder))


def begun(folder: Path, previous: str = "") -> Kept:
    """A table whose log and session have begun and whose devices are there. Close its journal.

    Args:
        previous: how the session before ended; empty as in a log of an earlier build.
    """
    journal = open_journal(folder)
    public_key(folder)
    game = game_of(config(folder)).make(config(folder))
    kept = Kept(folder, journal, Sitting(game, begin(game)))
    kept.tell(LogBegan(LOG, "demo", "q-demo", session="s1"))
    kept.tell(SessionBegan("s1", "1", "hash", game.name, game.rules_version, previous=previous))
    for name in ("shoe", "shuffler"):
        kept.tell(DeviceAttached(name, boot="1"))
    return kept


def played(folder: Path, rounds: int = 1) -> list[str]:
    """A folder with so many settled rounds, a checkpoint and a capture; the rounds' ids."""
    kept = begun(folder)
    with closing(kept.journal):
        ids = [kept.play() for _ in range(rounds)]
        kept.keep()
    return ids
