"""Stores of the recorder: PostgreSQL and SQLite, and their columns."""
