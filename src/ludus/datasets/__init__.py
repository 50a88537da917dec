"""Datasets of positions with good moves: files, statistics, augmentation, labels, generation."""
