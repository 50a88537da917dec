"""Learners that keep a number for every move of every position they have seen.

MENACE and HER count beads in matchboxes, Q-learning estimates what a move is worth. Whatever one
of them has learned is a table that can be looked at, saved and played with.
"""
