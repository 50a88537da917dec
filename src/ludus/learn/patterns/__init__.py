"""The pattern-based Bayesian network of Vrajitoru (2015) and the players it becomes."""
