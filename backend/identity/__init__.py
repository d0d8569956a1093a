"""Who calls: tokens, keys, and the check of both identities."""
