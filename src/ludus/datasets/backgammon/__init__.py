"""The expert's data base of backgammon positions: drawing, scoring, reading and writing them."""
