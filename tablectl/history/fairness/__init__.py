"""Fairness monitoring by evidence from published events.

The evidence may be looked at after every round, for ever.
"""
