"""What is recorded, for people: explanations, rounds, statistics, the board and proofs."""
