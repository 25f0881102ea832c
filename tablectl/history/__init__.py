"""Readers of recorded history: explanations, rounds, statistics, board, proofs."""
