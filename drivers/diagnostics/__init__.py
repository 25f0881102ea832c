"""Captures, explanation of frames, and detection of devices."""
