"""Conversation with other programs: a text engine, and players that are other engines."""
