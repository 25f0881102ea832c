"""Facts of every kind with any values at all, sensible or not: what a table must take without an error."""

from typing import Any, Final, get_args

from hypothesis import strategies as st

from tablectl.core.facts import Body

ANYTHING: Final[dict[type, st.SearchStrategy[Any]]] = {kind: st.from_type(kind) for kind in get_args(Body)}
"""For every kind of fact, all the values that its fields' types allow."""
