"""Mistakes planted in the product, each of which a test has to catch."""
