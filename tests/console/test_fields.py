"""What the name of a bet may look like: whatever people see, and nothing that they can't."""

import pytest
from pydantic import TypeAdapter, ValidationError

from tablectl.console.requests.fields import BetName

NAME: TypeAdapter[str] = TypeAdapter(BetName)


@pytest.mark.parametrize("name", ["Ho", "Tomás", "何偉明", "A-1", "O'Neill, João"])
def test_a_name_in_any_script_is_taken(name: str) -> None:
    assert NAME.validate_python(name) == name


@pytest.mark.parametrize("letter", ["\n", "\x85", "\u200b", "\u202e", "\u2066", "\ufeff"])
def test_letters_that_can_not_be_seen_are_refused(letter: str) -> None:
    with pytest.raises(ValidationError):
        NAME.validate_python(f"Ho{letter}")
