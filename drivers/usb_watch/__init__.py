"""Watch over this machine's USB for devices that nobody expects."""
