"""The pattern network of Vrajitoru 2015 and the players `fuzzy` and `adaptive`."""

from typing import TYPE_CHECKING

from ludus._lazy import lazy_exports

if TYPE_CHECKING:
    from ludus.learn.patterns.config import parse_options
    from ludus.learn.patterns.network import PatternNetwork
    from ludus.learn.patterns.network_file import load_network_file, save_network
    from ludus.learn.patterns.train import PatternConfig, PatternTraining
    from ludus.learn.patterns.tuning import measure_win_rate

__all__ = [
    "PatternConfig",
    "PatternNetwork",
    "PatternTraining",
    "load_network_file",
    "measure_win_rate",
    "parse_options",
    "save_network",
]

if not TYPE_CHECKING:
    __getattr__, __dir__ = lazy_exports(__name__)
