"""Table 2: the Fuzzy player with k = 3 and 4."""

from .fuzzy_matches import draw_curve
from .fuzzy_tables import run_table as run

__all__ = ["draw_curve", "run"]
