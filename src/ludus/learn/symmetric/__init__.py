"""Networks that respect the sixteen symmetries of the Morris board by construction.

Every hidden unit comes sixteen times, once for each way to look at the board, and the sixteen
share their weights (a group convolution; Cohen and Welling 2016). Turn the board, and all that
happens inside is that the sixteen change places: what the network says turns with the board, or
stays the same if it is a judgement of the position.
"""
