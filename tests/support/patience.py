"""How long tests wait for what must come. `TEST_PATIENCE=3` triples it, for machines that are slow or busy."""

import os
from typing import Final

SCALE: Final = float(os.environ.get("TEST_PATIENCE", "1"))
PATIENCE_S: Final = 60 * SCALE
"""The one limit for whatever must come: generous, because it costs nothing where it comes."""
LONG_PATIENCE_S: Final = 110 * SCALE
"""The same for a command that does the whole of a set-up, a demonstration or a page of examples."""
TEST_LIMIT_S: Final = 120 * SCALE
"""How long one test may take, where it has no mark of its own; longer than it may wait."""
