"""Players: pure functions that name the next move of a good dealer."""
