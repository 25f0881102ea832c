"""The recorder of a surveillance room: keeps what tables publish, and knows since when nothing is missing."""
