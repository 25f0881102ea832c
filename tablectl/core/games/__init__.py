"""The games, one package each; no game knows another."""
