"""Table 4: influence of the weight of a man, w_T."""

from .fuzzy_matches import draw_curve
from .fuzzy_tables import run_table as run

__all__ = ["draw_curve", "run"]
