"""Exact equities of backgammon: bearing off, and hypergammon."""
