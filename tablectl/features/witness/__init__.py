"""A witness of logs (C2SP `tlog-witness`)."""
