"""Q Poker as the demonstration plays it."""
