"""Drawings of boards: a canvas for SVG, marks, text boards, colours, and diagrams."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
