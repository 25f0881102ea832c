"""What people use to run, try and mend a table."""
