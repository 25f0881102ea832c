"""Fairness monitoring: evidence from published events that may be looked at after every round, for ever."""
