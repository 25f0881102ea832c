"""One device examined without a game: its identity, its traffic and its facts.

Each fact is shown as it comes.
"""
