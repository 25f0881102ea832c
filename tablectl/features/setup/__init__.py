"""Setting a table up: questions, detection, and the check of a configuration."""
