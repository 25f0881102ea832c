"""The controller of one gaming table."""

__version__ = "0.1.0"
