"""Neural Nine Men's Morris (Galassi 2018): networks that choose a move part by part."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
