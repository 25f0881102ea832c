"""The only openers of ports: serial, TCP and USB."""
