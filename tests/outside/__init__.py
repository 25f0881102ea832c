"""Attacks on a table, written from its documentation alone: none of the project's helpers, its own Merkle tree."""
