"""Tests of the floor page."""
