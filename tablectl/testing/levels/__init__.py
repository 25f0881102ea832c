"""The levels on which a scenario can run: core, pty, cable and VM."""
