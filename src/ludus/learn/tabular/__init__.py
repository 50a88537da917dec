"""Learners with a number for each move of each position: MENACE, HER, tabular Q-learning."""
