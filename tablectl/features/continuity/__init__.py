"""Commands that continue a table: take-over, restore, upgrade check."""
