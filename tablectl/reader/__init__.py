"""The other end of the wire: follows what a table publishes. Knows the contract, not the daemon."""
