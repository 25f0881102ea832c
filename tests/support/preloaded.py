"""What a process imports and makes before it forks daemons or commands, so that none of them does it again."""

import gc
import sys
from dataclasses import is_dataclass
from importlib import import_module
from typing import Final

from tablectl.config import load
from tablectl.config.game_setup import played
from tablectl.history.statistics.expected import hands
from tablectl.journal.basis_form import adapter
from tablectl.lazy_dataclass import FIRST_CALLS, compiled
from tablectl.rule_tables import GAMES, shipped
from tablectl.words.reason import HEARD, retold

LATE: Final = (
    "cryptography.hazmat.primitives.asymmetric.ed25519",
    "cryptography.hazmat.primitives.serialization",
    "encodings.idna",
    "tablectl.daemon.run",
    "tablectl.daemon.run_several",
    "tablectl.features.run",
    "uvicorn.lifespan.off",
    "uvicorn.protocols.websockets.websockets_sansio_impl",
)
"""What a daemon imports only at its start."""

for _name in LATE:
    import_module(_name)
for _game in GAMES:
    adapter(played(_game).table)
    load(shipped(f"tables/{_game.replace('_', '-')}.demo.toml"))
retold("what no device says", "pt", *HEARD)
hands()
for _module in [module for name, module in sys.modules.items() if name.startswith(("tablectl.", "drivers."))]:
    for _kind in [value for value in vars(_module).values() if isinstance(value, type) and is_dataclass(value)]:
        if vars(_kind).get("__init__") is FIRST_CALLS["__init__"]:
            setattr(_kind, "__init__", compiled(_kind, "__init__"))  # noqa: B010
# A fork that collects garbage would visit all of this, and copy each page of memory that it visits.
gc.collect()
gc.freeze()
