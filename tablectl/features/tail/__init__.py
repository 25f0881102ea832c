"""Tail."""
