"""Shared parts of commands: options, languages, errors and output."""
