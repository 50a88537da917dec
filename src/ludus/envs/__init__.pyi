from .aec import GameEnv as GameEnv
from .episode import Coding as Coding
from .episode import coding_for as coding_for
from .factory import env as env
from .policy_player import PolicyPlayer as PolicyPlayer
from .single_agent import OpponentEnv as OpponentEnv
from .vector import VectorEnv as VectorEnv
from .vector import VectorStep as VectorStep
