"""Scenarios: form, vocabulary, parser, and runner."""
