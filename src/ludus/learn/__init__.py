"""Learners, each beside the player it becomes."""
