"""Neural Nine Men's Morris (Galassi 2018): networks that choose a move part by part, and a
player."""
