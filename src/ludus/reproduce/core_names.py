"""Names of the core that experiments use."""

from ludus.core.beta import find_student_quantile as find_student_quantile
from ludus.core.errors import quote as quote
from ludus.core.extras import require_package as require_package
from ludus.core.files import write_bytes as write_bytes
from ludus.core.match import MatchTally as MatchTally
from ludus.core.statistics import Proportion as Proportion
from ludus.core.statistics import compare_wins as compare_wins
from ludus.core.statistics import compute_difference_interval as compute_difference_interval
