"""Values that a journal remembers beside its records."""

from enum import StrEnum


class Remembered(StrEnum):
    """Keys of the journal's table `meta`; nothing is written under another one."""

    PUBLISHED = "published"
    """The last event that the broker has."""

    CHECKPOINT = "checkpoint"
    """The last signed note."""

    PRUNED = "pruned"
    """The last event without its payload."""

    FAIRNESS = "fairness"
    """The account of the evidence, as far as it was weighed."""

    CERTIFICATES = "certificates"
    """The last threshold told of each certificate, by its fingerprint, as JSON."""
