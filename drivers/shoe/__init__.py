"""Shoes that read the card they give out."""
