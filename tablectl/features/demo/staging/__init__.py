"""Staging of a demonstration: plans, script, people, and deal."""
