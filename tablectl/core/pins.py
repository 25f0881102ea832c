"""What a configuration says of a person's PIN before he has one."""

from typing import Final

NO_PIN: Final = "$argon2id$v=19$m=19456,t=2,p=1$qrIE4JrUQXLHMKqq5pZOuQ$zPEyNiyGFKsZOsLiIztJX0Ca0PJZ/+yLULg5XNuIZSE"
"""The hash of a person who has no PIN yet: none fits it."""
