"""Football Poker as the demonstration plays it."""
