"""Demo of a whole table without hardware.

It has a private broker, simulated devices, the real daemon, and people at its console.
"""
