"""The floor page: many tables seen at once, from the recorder's database and the feed."""
