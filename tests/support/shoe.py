"""The far end of a shoe's wire in a few lines, independent of the codec and of the simulators under test."""

import os
import tty
from dataclasses import dataclass
from pathlib import Path

SUITS = {"d": 1, "c": 2, "s": 3, "h": 4}
RANKS = {"A": 1, "T": 10, "J": 11, "Q": 12, "K": 13} | {str(number): number for number in range(2, 10)}


@dataclass(slots=True)
class Shoe:
    """The far end of the shoe's wire: a pty whose name stays the same, and reports in three copies."""

    link: Path
    sequence: int = 0
    master: int = -1
    slave: int = -1

    def plug(self) -> None:
        self.master, self.slave = os.openpty()
        tty.setraw(self.slave)
        self.link.symlink_to(os.ttyname(self.slave))

    def unplug(self) -> None:
        os.close(self.master)
        os.close(self.slave)

    def draw(self, card: str) -> None:
        """Reports one card."""
        self.report(b"D" + bytes((0x80 | 0x10, 0x80 | SUITS[card[1]] << 4 | RANKS[card[0]])))

    def report(self, content: bytes) -> None:
        """Reports anything."""
        self.sequence = (self.sequence + 1) % 10
        body = b"%d" % self.sequence + content + b"\x03"
        check = 0
        for byte in body:
            check ^= byte
        os.write(self.master, (b"\x05" + body + b"%02X" % check) * 3)
