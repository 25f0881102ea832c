"""Journal in SQLite: records, tree, snapshots, writer thread, schema's reader."""
