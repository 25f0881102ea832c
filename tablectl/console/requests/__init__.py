"""Requests of the console: their table, fields, bodies, and paths."""
