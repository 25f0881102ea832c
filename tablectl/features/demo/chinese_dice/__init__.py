"""Chinese dice as the demonstration plays it."""
