"""Wheel of Fortune as the demonstration plays it."""
