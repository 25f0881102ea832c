"""From encoder counts to spins: unwrapping, home, pegs, brake and faults."""
