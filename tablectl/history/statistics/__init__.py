"""Statistics of a period beside what was to be expected, and fairness evidence.

The evidence may be looked at after every round, for ever.
"""
