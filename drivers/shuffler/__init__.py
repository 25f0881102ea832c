"""Card shufflers."""
