"""Proofs: of leaves, of rounds, of whole journals."""
