"""Commands of tablectl: one folder or module for each."""
