"""Neural Nine Men's Morris: networks that choose a move part by part, and their player."""
