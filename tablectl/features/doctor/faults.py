"""The faults that stand at a running table, as its journal has them."""

from tablectl.config import Config, state_dir
from tablectl.features.doctor.devices import fault_finding
from tablectl.features.doctor.report import Finding
from tablectl.history.faults import standing_faults
from tablectl.journal.reading.reader import open_reader
from tablectl.journal.reading.rows import UnreadableError


def look_at_faults(config: Config) -> list[Finding]:
    """Return a finding for each fault that stands.

    There is none where the journal can't be read, which has a finding of its own.
    """
    try:
        reader = open_reader(state_dir(config))
    except UnreadableError:
        return []
    try:
        standing = standing_faults(reader, reader.last_sequence + 1)
    except UnreadableError:
        return []
    finally:
        reader.close()
    return [fault_finding(config, each["device"], each["code"], each.get("detail", "")) for each in standing]
