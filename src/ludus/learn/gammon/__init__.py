"""The backgammon network of Tesauro and Sejnowski 1989: encoding, training, player."""
