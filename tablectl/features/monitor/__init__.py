"""A table at work in a terminal: what it waits for, its devices, its faults, and the few things one asks for there."""
