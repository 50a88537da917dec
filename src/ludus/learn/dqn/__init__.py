"""Deep Q-learning (the player and learner `deepq`); only training needs torch."""
