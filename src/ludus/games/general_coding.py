"""The coding of any game without one of its own: places as actions, texts as observations."""

import random
import re
from collections.abc import Iterable, Sequence
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from ludus.core.errors import BadMove, quote
from ludus.core.game import Game, M, P
from ludus.games.coding import Actions, Coding, Observation

MAX_SAMPLES = 500
"""Positions of random games that show how the positions of a game are written."""

MAX_GAMES = 20
MAX_PLIES = 200


class TextLayout:
    """The texts of positions as numbers: a place for each character, of those that occur.

    Whole numbers get leading zeros, so that what follows keeps its place.

    >>> layout = TextLayout(["12 w", "9 b"])
    >>> layout.width, layout.letters
    (4, ' 0129bw')
    >>> layout.encode("9 b").reshape(4, 7)[1]
    array([0., 0., 0., 0., 1., 0., 0.], dtype=float32)
    """

    def __init__(self, texts: Iterable[str]) -> None:
        texts = list(texts)
        self._digits = max(
            (len(each) for text in texts for each in _NUMBER.findall(text)), default=0
        )
        padded = [self._pad(text) for text in texts]
        self.width = max(map(len, padded))
        self.letters = "".join(sorted({*"".join(padded), "0" if self._digits else ""}))
        self.size = self.width * len(self.letters)

    def _pad(self, text: str) -> str:
        return _NUMBER.sub(lambda number: number[0].zfill(self._digits), text)

    def encode(self, text: str) -> Observation:
        """Return 1 where a letter stands; all 0 in a place with an unknown letter or with none."""
        found = np.zeros((self.width, len(self.letters)), dtype=np.float32)
        for place, letter in enumerate(self._pad(text)[: self.width]):
            if (number := self.letters.find(letter)) >= 0:
                found[place, number] = 1
        return found.ravel()


_NUMBER = re.compile("[0-9]+")


class GeneralCoding(Coding[P, M]):
    """The coding of a game that has none.

    A move is one action, its index in `Game.all_moves`, if the game has that list. Otherwise it is
    the places that a person touches (`Game.steps`), an action for each, and the last action, END,
    where the places of one move begin those of another, or where there are none.

    An observation has the text of the position as TextLayout has it, then the number of the side
    that observes, then 1 for each place that has been touched.
    """

    def __init__(self, game: Game[P, M]) -> None:
        super().__init__(game)
        samples: list[P] = list(islice(_sample_positions(game), MAX_SAMPLES))
        self._layout = TextLayout(map(str, samples))
        self._moves = {move: number for number, move in enumerate(game.all_moves() or ())}
        self.names: tuple[str, ...] = (*map(str, self._moves),) or (
            *_list_places(game, samples),
            "end",
        )
        """Each action in words."""

        self._places = {} if self._moves else {name: at for at, name in enumerate(self.names[:-1])}
        self.num_actions = len(self.names)
        self.observation_size = self._layout.size + 1 + len(self._places)

    def encode_move(self, position: P, move: M) -> Actions:
        if self._moves:
            return (self._moves[move],)
        return self._encode_places(move, position.legal_moves())

    def decode_actions(self, position: P) -> dict[Actions, M]:
        moves = position.legal_moves()
        if self._moves:
            return {(self._moves[move],): move for move in moves}
        return {self._encode_places(move, moves): move for move in moves}

    def _encode_places(self, move: M, moves: Sequence[M]) -> Actions:
        steps = self.game.steps(move)
        try:
            actions = tuple(self._places[place] for place in steps)
        except KeyError as error:
            raise BadMove(
                f"the place {quote(error.args[0])} of the move {move} is not in the drawing of the "
                f"start and so has no action: {self.game.id} needs `all_moves` or `coding`"
            ) from None
        others = (self.game.steps(each) for each in moves if each != move)
        is_begin = any(each[: len(steps)] == steps for each in others)
        return (*actions, self.num_actions - 1) if is_begin or not steps else actions

    def describe_action(self, action: int) -> str:
        return self.names[action]

    def observe(self, position: P, side: int, actions: Sequence[int] = ()) -> Observation:
        touched = np.zeros(1 + len(self._places), dtype=np.float32)
        touched[0] = side
        touched[[1 + action for action in actions]] = 1
        return np.concatenate([self._layout.encode(str(position)), touched])

    def place_columns(self) -> NDArray[np.intp]:
        letters, width = len(self._layout.letters), self._layout.width
        return np.arange(self._layout.size).reshape(width, letters).T[:, np.newaxis]


def _sample_positions(game: Game[P, M]) -> Iterable[P]:
    """Yield the positions of some random games, the same ones each time."""
    source = random.Random(0)
    for _ in range(MAX_GAMES):
        position = game.start()
        yield position
        for _ in range(MAX_PLIES):
            if not (moves := position.legal_moves()):
                break
            position = position.play(source.choice(moves))
            yield position


def _list_places(game: Game[P, M], samples: Sequence[P]) -> list[str]:
    """Return the places that moves name: those of the drawing, then others that occur."""
    drawn = game.start().drawing().places
    occurring = {
        place
        for position in samples
        if position.mover >= 0
        for move in position.legal_moves()
        for place in game.steps(move)
    }
    return [*drawn, *sorted(occurring - {*drawn})]
