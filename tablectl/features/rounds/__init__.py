"""Commands on rounds: proof, explanation, history board, odds, settlement."""
