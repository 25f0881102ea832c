"""Monitor of a table at work in a terminal.

It shows what the table waits for, its devices and its faults, and takes the few requests that people make there.
"""
