"""Draw systems."""
