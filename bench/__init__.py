"""What is measured, and how; each module has one function that measures."""
