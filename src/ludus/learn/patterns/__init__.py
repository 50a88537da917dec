"""The pattern network of Vrajitoru 2015 and the players `fuzzy` and `adaptive`."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
