"""Keys, key rotation and signed checkpoints."""
