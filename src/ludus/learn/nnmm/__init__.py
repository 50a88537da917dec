"""Neural Nine Men's Morris (Galassi 2017): networks that choose a move part by part."""
