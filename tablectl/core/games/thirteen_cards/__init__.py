"""The 13-card game, regulation 51/89/M."""
