"""Floor page: many tables at once, from the recorder's database and the feed."""
