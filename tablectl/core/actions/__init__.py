"""Legal actions: candidates, forms, permissions, and the table's layout."""
