"""Upgrade check."""
