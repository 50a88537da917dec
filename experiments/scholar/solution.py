"""The solved game, which all measurements need."""

from ludus.games import game as named_game
from ludus.oracles import MorrisOracle
from ludus.oracles import oracle as find_oracle
from ludus.reproduce import Context

from .players import GAME, RULES

MISSING = "Nothing was judged: the solved game is not at hand (--oracle or LUDUS_ORACLE)."


def open_oracle(context: Context) -> MorrisOracle:
    """Return the oracle: a database, or the built-in endings."""
    oracle = find_oracle(named_game(GAME, RULES), context.oracle, needs_depth=True)
    assert isinstance(oracle, MorrisOracle)
    return oracle


def is_complete(oracle: MorrisOracle) -> bool:
    """Whether the start of the game is solved."""
    return oracle.has_value(named_game(GAME, RULES).start())
