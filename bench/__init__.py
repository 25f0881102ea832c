"""What is measured, and how: each figure beside a floor that the same run measures on the same machine."""
