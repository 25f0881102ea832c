"""Persons who may sign on at a console, and the rights of each role."""

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import Final

from tablectl.console.auth.pins import check_pin_hash
from tablectl.core.faults import CATALOGUE, Authority, Code
from tablectl.lazy_dataclass import dataclass


class Role(StrEnum):
    """Roles of persons at this table."""

    DEALER = "dealer"
    SUPERVISOR = "supervisor"
    TECHNICIAN = "technician"
    SURVEILLANCE = "surveillance"


ANYBODY: Final = frozenset(Role)
FLOOR: Final = frozenset({Role.DEALER, Role.SUPERVISOR})
"""Those who run the game."""

WATCHERS: Final = frozenset({Role.SUPERVISOR, Role.TECHNICIAN, Role.SURVEILLANCE})
"""Those who may see all that was recorded and is public."""

SUPERVISORS: Final = frozenset({Role.SUPERVISOR})

MAY_CLEAR: Final[Mapping[Authority, frozenset[Role]]] = MappingProxyType(
    {
        Authority.AUTO: ANYBODY,
        Authority.DEALER: FLOOR,
        Authority.SUPERVISOR: SUPERVISORS,
        Authority.TECHNICIAN: frozenset({Role.TECHNICIAN}),
    }
)
"""Whose word clears a fault. A supervisor stands above the dealer; a device is the technician's alone."""


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody whom the configuration knows.

    Args:
        name: as it is typed at sign-on, and as every record names them.
        pin_hash: argon2id in its standard text form, as `tablectl pin` prints it; empty where no PIN signs them on.
        certificate: the common name in their certificate; empty where none signs them on.
        simulated: whether a demonstration or a test plays this person.

    Raises:
        ValueError: `pin_hash` isn't such a hash, or asks for more memory or time than a console has.
    """

    name: str
    role: Role
    pin_hash: str
    simulated: bool = False
    certificate: str = ""

    def __post_init__(self) -> None:
        if not self.pin_hash and self.certificate:
            return
        try:
            check_pin_hash(self.pin_hash)
        except ValueError as error:
            raise ValueError(f"{self.name}: {error}") from None


def may_clear(code: int) -> frozenset[Role]:
    """The roles whose acknowledgement the fault takes.

    All roles for a number that the table itself will refuse.
    """
    return MAY_CLEAR[CATALOGUE[Code(code)].clears] if code in CATALOGUE else ANYBODY


def names_of(roles: frozenset[Role]) -> str:
    """The roles as text, in the order in which they are declared."""
    return " or ".join(role for role in Role if role in roles)
