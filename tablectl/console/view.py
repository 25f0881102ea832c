"""View of the table for signed-on persons: its state, and the last round's result."""

from collections.abc import Callable, Mapping
from typing import Any

from tablectl.core.protocols import Window
from tablectl.lazy_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class TableView:
    """The state that the screens of a table show.

    Args:
        result: of the last round that ended, with what each bettor gets; None before the first.
    """

    window: Window
    result: Callable[[], Mapping[str, Any] | None]

    def state(self) -> Mapping[str, Any]:
        """The table now."""
        return {**self.window.state(), "result": self.result()}
