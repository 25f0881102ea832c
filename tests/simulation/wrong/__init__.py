"""What daemons can do wrongly: each function says what stands in whose place."""

from typing import Any

Patch = tuple[Any, str, Any]
"""Whose name it is, the name, and what is wrongly there."""
