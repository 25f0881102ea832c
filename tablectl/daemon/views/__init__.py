"""Views of the table: console, players' display, state topics, metrics."""
