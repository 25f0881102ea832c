"""One device looked at without a game: who it is, what comes over its wire, and each fact as it comes."""
