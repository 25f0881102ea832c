"""Take over."""
