"""Levels from easy to strong: the Fuzzy player with a rising power, then a search that rises on.

The power k decides how much a good move is preferred. With k = 0 all moves are alike; with the
tuned power the best ones are hardly ever missed. What plays better than that is not in the network
and comes from the levels of `negascout`.
"""

LADDER: tuple[str, ...] = (
    "fuzzy:k=0",
    "fuzzy:preset=tuned,k=0.5",
    "fuzzy:preset=tuned,k=0.75",
    "fuzzy:preset=tuned,k=1",
    "fuzzy:preset=tuned,k=1.5",
    "fuzzy:preset=tuned,k=2",
    "fuzzy:preset=tuned",
    "negascout:level=3",
    "negascout:level=4",
    "negascout:level=5",
    "negascout:level=6",
    "negascout:level=7",
    "negascout:level=8",
    "negascout:level=9",
    "negascout:level=10",
)
"""Players by strength, the weakest first."""

HIGHEST = len(LADDER) - 1
