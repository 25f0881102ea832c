"""The controller of one gaming table."""

import os

__version__ = "0.1.0"

# No plugin of pydantic is used; looking for one through all that is installed takes a twentieth of a start.
os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
