from .registry import GAMES as GAMES
from .registry import detect_game as detect_game
from .registry import game as game
from .registry import registered_game as registered_game
from .registry import resolve_game as resolve_game
