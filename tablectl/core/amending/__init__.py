"""Amendments and corrections of recorded rounds."""
