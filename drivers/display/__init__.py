"""Displays of draws."""
