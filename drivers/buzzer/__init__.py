"""Buzzers."""
