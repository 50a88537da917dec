from .alpha_beta import AlphaBetaSearch as AlphaBetaSearch
from .alpha_beta import TableEntry as TableEntry
from .backgammon_features import compute_board_features as compute_board_features
from .perfect import PerfectPlayer as PerfectPlayer
from .random_play import play_random_games as play_random_games
from .registry import PLAYERS as PLAYERS
from .registry import find_player_class as find_player_class
from .registry import player as player
