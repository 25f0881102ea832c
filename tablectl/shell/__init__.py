"""The imperative shell: files and asyncio, no rules."""
