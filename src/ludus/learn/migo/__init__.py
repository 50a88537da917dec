"""MIGO (Muggleton and Hocquette 2019): strategies learned as readable logic programs.

S. H. Muggleton and C. Hocquette, "Machine Discovery of Comprehensible Strategies for Simple Games
Using Meta-interpretive Learning", New Generation Computing 37 (2019).
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
