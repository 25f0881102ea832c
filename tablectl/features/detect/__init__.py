"""Detect."""
