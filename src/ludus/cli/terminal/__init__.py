"""The game in a terminal: a board, a question, and nothing that knows a particular game."""
