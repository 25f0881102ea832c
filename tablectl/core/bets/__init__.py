"""Bets: stakes, ratios, odds, settlement, payments, and results."""
