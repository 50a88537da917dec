"""Learning while playing: a player sees only the positions in which it is to move."""

from typing import Any

from ludus.games.nine_mens_morris.move import Move
from ludus.learn.patterns.learning import end_match, see_start, see_step
from ludus.learn.patterns.network import Network, Weights


class Watcher:
    """Puts a match together from what one player sees of it, and teaches it to a network.

    Between two positions that the player sees lie its own move and one of the other side. The last
    move of a match is seen only if it was the player's own.
    """

    def __init__(self, network: Network, weights: Weights, mutual: float) -> None:
        self._network = network
        self._weights = weights
        self._mutual = mutual
        self._last: Any = None
        """The position after the player's own move."""

    def see(self, position: Any, move: Move) -> None:
        """The player makes this move in this position."""
        if self._last is None or not _can_follow(self._last, position):
            see_start(self._network, position)
        else:
            see_step(self._network, self._last, position)
        self._last = position.play(move)
        see_step(self._network, position, self._last)

    @property
    def is_over(self) -> bool:
        """Whether the player's own move has ended the match."""
        return self._last is not None and self._last.outcome() is not None

    def end(self) -> bool:
        """The match is over; whether there was one."""
        has_played = self._last is not None
        if has_played:
            end_match(self._network, self._weights, self._mutual)
        self._last = None
        return has_played


def _can_follow(last: Any, position: Any) -> bool:
    """Whether one move of the other side can lie between the two."""
    mover = last.mover
    if position.mover == mover:
        return False
    came = position.bits[mover] & ~last.bits[mover]
    went = last.bits[mover] & ~position.bits[mover]
    taken = last.bits[1 - mover] & ~position.bits[1 - mover]
    return all(change.bit_count() <= 1 for change in (came, went, taken))
