"""What anyone can check: the Merkle tree of a log's events, its proofs, the chain of records, signed checkpoints."""
