"""Commands on a journal: export, prune, restore, take over, check an upgrade."""
