"""Backgammon: rules, doubling cube and match play, notation, position IDs of other programs."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
