"""The functional core: rules as pure functions over standard-library values."""
