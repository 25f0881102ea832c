"""Recorder of a surveillance room: stores what tables publish, and tracks gaps.

It knows since when nothing is missing.
"""
