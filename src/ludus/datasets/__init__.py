"""Positions with good moves: reading, writing, describing, expanding, labelling, generating."""
