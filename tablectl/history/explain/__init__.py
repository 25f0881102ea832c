"""One round explained from the bytes on the links to the last message."""
