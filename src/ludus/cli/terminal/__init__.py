"""Playing in a terminal, independent of the game."""
