"""Table 5: influence of the weight of a mill, w_L."""

from .fuzzy_matches import draw_curve
from .fuzzy_tables import run_table as run

__all__ = ["draw_curve", "run"]
