"""Dice: what one throw shows, the same for a device, a fact and a rule."""

from typing import Final

Throw = tuple[int, ...]
"""The faces up, 1 to 6 each, one for each die, in any order."""

FACE_MIN: Final = 1
FACE_MAX: Final = 6

FACES: Final = range(FACE_MIN, FACE_MAX + 1)
