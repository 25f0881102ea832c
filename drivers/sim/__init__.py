"""The far ends of the wire: simulated devices that speak bytes and know no rule of any game."""
