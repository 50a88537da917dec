"""Conversation with other programs."""
