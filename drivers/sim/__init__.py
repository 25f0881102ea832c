"""Simulated devices: the far ends of the wire, which know no rule of any game."""
