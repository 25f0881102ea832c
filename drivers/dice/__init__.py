"""Dice readers and shakers."""
