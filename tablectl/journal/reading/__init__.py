"""Reading a journal: its file, by time, in ranges, and its verification."""
