"""Football Poker, regulation 41/2003."""
