"""The `scholar`: networks for nine men's morris trained on exact values."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
