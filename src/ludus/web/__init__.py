"""Web interface: the server holds the games and rules; the browser only shows the board."""
