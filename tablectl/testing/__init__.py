"""What proves a table: scenarios, the rungs that they are played on, reports, and a plug-in for pytest.

For the engineers of a test rig, in this project and outside of it. Nothing is imported before it is used.
"""
