"""Devices at work: drivers, their supervision, and their presence."""
