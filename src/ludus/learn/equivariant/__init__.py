"""Networks that are equivariant to the sixteen symmetries of the Morris board by construction.

Every hidden channel has sixteen units, one for each symmetry, which share their weights (a group
convolution; Cohen and Welling 2016). A symmetry applied to the board only permutes these units: the
outputs are permuted in the same way, or are invariant if they evaluate the position.
"""
