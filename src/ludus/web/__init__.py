"""The page: a server that holds the games, and the board in the browser that knows no rules."""
