"""The dealer's console: an HTTP and WebSocket API on the table's own controller."""
