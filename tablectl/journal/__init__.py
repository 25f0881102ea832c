"""The journal in SQLite: records, tree, snapshots, writer thread and the reader of the schema."""
