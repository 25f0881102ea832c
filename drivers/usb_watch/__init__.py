"""Who is on this machine's USB, and whom of them nobody expects."""
