"""Every entrance that is fuzzed, by name."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from tests.fuzz import devices, documents, folders, inputs, journals
from tests.fuzz.target import Target

TARGETS: Final[Mapping[str, Target]] = MappingProxyType(
    {**devices.TARGETS, **documents.TARGETS, **folders.TARGETS, **inputs.TARGETS, **journals.TARGETS}
)
