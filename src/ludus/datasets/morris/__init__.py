"""Datasets of good moves of Nine Men's Morris in the line format of Galassi 2018, as arrays."""
