"""Nine Men's Morris: rules as a value, positions in readable Python and in native code."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
