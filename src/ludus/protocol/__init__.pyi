from .gnubg import GnubgProcess as GnubgProcess
from .gnubg import RankingRequest as RankingRequest
from .gnubg import rank_moves as rank_moves
from .gnubg_generator import score_position as score_position
