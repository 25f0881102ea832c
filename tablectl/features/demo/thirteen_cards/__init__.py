"""13 Cards as the demonstration plays it."""
