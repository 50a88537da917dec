from .environments import GameEnv as GameEnv
from .environments import OpponentEnv as OpponentEnv
from .episode import Coding as Coding
from .episode import coding_for as coding_for
from .factory import env as env
from .policy_player import PolicyPlayer as PolicyPlayer
from .vector import VectorEnv as VectorEnv
from .vector import VectorStep as VectorStep
