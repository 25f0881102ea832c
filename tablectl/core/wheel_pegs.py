"""Positions of a wheel's pegs: the calibrated table from an angle to a section."""

import hashlib
from bisect import bisect_right

from tablectl.core.json_form import Fields, FormError, Json, encode, integer_in, list_in, object_of, text_in
from tablectl.lazy_dataclass import dataclass

TURN_MDEG = 360_000

_FIELDS = Fields.of("version", "guard_mdeg", "lag_mdeg", "pegs_mdeg")
_FEWEST_PEGS = 2


@dataclass(frozen=True, slots=True)
class PegTable:
    """Pegs of one wheel, measured from its index mark.

    They are in the sensor's direction of rising counts. Section 1 lies between the first peg and the second; the last
    one between the last peg and the first.

    Args:
        version: the name that the people who measured gave it.
        pegs_mdeg: thousandths of a degree, rising, at least 0 and below a turn.
        guard_mdeg: so near to a peg's middle on either side no section is named: half of peg and clapper together,
            and the sensor's error.
        lag_mdeg: by how much the clapper's bending moves a boundary along with the wheel. It moves with the
            direction of approach, and a kick-back changes that, so both sides of a peg get it.
    """

    version: str
    pegs_mdeg: tuple[int, ...]
    guard_mdeg: int
    lag_mdeg: int = 0

    @property
    def sha256(self) -> str:
        """Hash of the table's content, independent of the format of its file."""
        content = [self.version, self.guard_mdeg, self.lag_mdeg, list(self.pegs_mdeg)]
        return hashlib.sha256(encode(content).encode()).hexdigest()

    @property
    def name(self) -> str:
        """Version and hash, as a result carries them."""
        return f"{self.version} sha256:{self.sha256}"

    @property
    def zone_mdeg(self) -> int:
        """How near to a peg no section is named."""
        return self.guard_mdeg + self.lag_mdeg

    def section_at(self, angle_mdeg: int) -> int:
        """The section, from 1, that has this angle inside, pegs apart."""
        return bisect_right(self.pegs_mdeg, angle_mdeg % TURN_MDEG) or len(self.pegs_mdeg)

    def margin_at(self, angle_mdeg: int) -> int:
        """How far the nearest peg's middle is, in thousandths of a degree."""
        section = self.section_at(angle_mdeg)
        before, after = self.pegs_mdeg[section - 1], self.pegs_mdeg[section % len(self.pegs_mdeg)]
        return min((angle_mdeg - before) % TURN_MDEG, (after - angle_mdeg) % TURN_MDEG)


def even_pegs(sections: int, *, version: str, guard_mdeg: int, lag_mdeg: int = 0) -> PegTable:
    """A table of evenly spaced pegs, the first one at the index mark."""
    pegs = tuple(round(number * TURN_MDEG / sections) for number in range(sections))
    return PegTable(version, pegs, guard_mdeg, lag_mdeg)


def read_pegs(form: Json) -> PegTable:
    """The table in a calibration file.

    Raises:
        FormError: it has other fields or values than a table of pegs has.
    """
    fields = object_of(form, _FIELDS)
    angles = list_in(fields, "pegs_mdeg")
    numbered = {str(number): angle for number, angle in enumerate(angles)}
    pegs = tuple([_angle(numbered, number) for number in range(len(angles))])
    guard = integer_in(fields, "guard_mdeg", 0, TURN_MDEG)
    lag = integer_in(fields, "lag_mdeg", 0, TURN_MDEG)
    table = PegTable(text_in(fields, "version"), pegs, guard, lag)
    _refuse_nonsense(table)
    return table


def _angle(numbered: dict[str, Json], number: int) -> int:
    try:
        return integer_in(numbered, str(number), 0, TURN_MDEG - 1)
    except FormError as error:
        raise FormError(f"pegs_mdeg[{number}]", error.message) from None


def _refuse_nonsense(table: PegTable) -> None:
    """Check that the pegs are in order and leave room for a section.

    Raises:
        FormError: they aren't, or don't.
    """
    pegs = table.pegs_mdeg
    if len(pegs) < _FEWEST_PEGS:
        raise FormError("pegs_mdeg", f"at least {_FEWEST_PEGS} pegs are expected, not {len(pegs)}")
    for number, (peg, following) in enumerate(zip(pegs, (*pegs[1:], pegs[0] + TURN_MDEG), strict=True)):
        if following - peg <= 2 * table.zone_mdeg:
            after = (number + 1) % len(pegs)
            msg = f"{pegs[after]} leaves no section after {peg}: pegs rise by more than twice guard_mdeg and lag_mdeg"
            raise FormError(f"pegs_mdeg[{after}]", msg)
