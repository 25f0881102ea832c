"""Merkle tree, proofs, record chain and signed checkpoints: what anyone can check."""
