"""Conversation with other programs: our text engine, and players that are other people's engines."""
