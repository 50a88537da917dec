"""Deep Q-learning: a network estimates what every move is worth. Training needs torch."""
