"""The Chinese dice game, regulation 108/89/M."""
