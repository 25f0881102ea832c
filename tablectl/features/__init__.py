"""What people do with tablectl: one folder or module for each command."""
