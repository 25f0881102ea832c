"""Requests to a running table over its console API."""
