"""Test tools for tables: scenarios, test levels, reports, a plug-in for pytest.

It is for the engineers of a test rig, in this project and outside of it. Nothing is imported before it is used.
"""
