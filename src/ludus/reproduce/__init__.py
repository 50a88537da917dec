"""The harness that reproduces published tables and figures: the API that experiments use.

An experiment is a Python file with a function `run(context)` that yields its findings, and a TOML
file of the same name with the published numbers. docs/experiments.md explains an example.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
