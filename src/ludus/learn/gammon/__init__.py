"""The backgammon network of Tesauro and Sejnowski: coding, training and the player it becomes."""
