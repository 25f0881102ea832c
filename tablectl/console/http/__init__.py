"""HTTP server: connections, TLS, origins, and limits."""
