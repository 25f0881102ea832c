"""Q Poker, regulation 89/2004."""
