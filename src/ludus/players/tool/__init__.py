"""A conventional backgammon program: 17 terms, fixed weights, no learning and no look-ahead."""
