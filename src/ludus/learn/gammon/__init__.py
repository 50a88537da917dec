"""Backgammon networks: of Tesauro and Sejnowski 1988, and strong ones with lookahead."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
