"""Table 3: influence of mutualWeight."""

from .fuzzy_matches import draw_curve
from .fuzzy_tables import run_table as run

__all__ = ["draw_curve", "run"]
