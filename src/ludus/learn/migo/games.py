"""Games as MIGO knows them: a state graph built from the primitives move, won and drawn.

Nothing else of a game is known to the learner: no values, no symmetries, no board. A game comes
from `ludus.games`, from this package (`connect_three`), or from a Python file that defines `start`,
`move`, `won` and `drawn`.
"""

import importlib
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from pathlib import Path
from types import ModuleType
from typing import Any, Protocol, TypeVar

from ludus.core.errors import BadPosition, LudusError, UnknownName, check_length, quote
from ludus.core.files import read_text
from ludus.core.game import CHANCE, AnyGame, Move, Position
from ludus.core.spec import check_choice, format_options, parse_spec
from ludus.games import GAMES
from ludus.games import game as named_game
from ludus.games.nine_mens_morris.bitboards import ALL_POINTS, mill_masks
from ludus.games.nine_mens_morris.board import POINTS, SYMMETRIES

State = Any
"""A hashable value: a position of `ludus.games`, or what the functions of a definition return."""


class Primitives(Protocol):
    """The three predicates that define a game; a state holds the board and the side to move."""

    def move(self, state: State, /) -> Iterable[Hashable]:
        """Return the states after one move, in a fixed order; none when the game is over."""

    def won(self, state: State, /) -> bool:
        """Return whether the player who has just moved has won."""

    def drawn(self, state: State, /) -> bool:
        """Return whether the game is over without a winner."""

    def format_move(self, state: State, after: State, /) -> str:
        """Return the name of the move between two states; the second state if it has none."""


class GamePrimitives:
    """The primitives of any game of `ludus.games` without dice."""

    def move(self, state: Position, /) -> list[Position]:
        return [state.play(move) for move in state.legal_moves()]

    def won(self, state: Position, /) -> bool:
        outcome = state.outcome()
        return outcome is not None and outcome.winner == 1 - state.mover

    def drawn(self, state: Position, /) -> bool:
        outcome = state.outcome()
        return outcome is not None and outcome.winner is None

    def format_move(self, state: Position, after: Position, /) -> str:
        return str(find_move(state, after))


def find_move(position: Position, after: Position) -> Move:
    """Return the move that leads from one position to another."""
    legal: list[Move] = position.legal_moves()
    return next(move for move in legal if position.play(move) == after)


class StateGraph:
    """The states of a game, numbered in order of discovery, with memoized primitives."""

    def __init__(self, primitives: Primitives | None = None, *, is_memoized: bool = True) -> None:
        """Without memoization every query generates moves again, as a Prolog program does."""
        self.primitives: Primitives = primitives or GamePrimitives()
        self.is_memoized = is_memoized
        self.states: list[State] = []
        self._ids: dict[State, int] = {}
        self._moves: list[tuple[int, ...] | None] = []
        self._won: dict[int, bool] = {}
        self._drawn: dict[int, bool] = {}

    def state_id(self, state: State) -> int:
        """Return the id of a state, a new one for a new state."""
        found = self._ids.get(state)
        if found is None:
            found = self._ids[state] = len(self.states)
            self.states.append(state)
            self._moves.append(None)
        return found

    def moves(self, state_id: int) -> tuple[int, ...]:
        """Return the states after one move."""
        found = self._moves[state_id]
        if found is None:
            after = self.primitives.move(self.states[state_id])
            found = tuple(map(self.state_id, after))
            if self.is_memoized:
                self._moves[state_id] = found
        return found

    def format_move(self, state_id: int, after: int) -> str:
        """Return the name of the move between two states; the second state if it has none."""
        return self.primitives.format_move(self.states[state_id], self.states[after])

    def won(self, state_id: int) -> bool:
        """Return whether the player who has just moved has won."""
        found = self._won.get(state_id)
        if found is None:
            found = self.primitives.won(self.states[state_id])
            if self.is_memoized:
                self._won[state_id] = found
        return found

    def drawn(self, state_id: int) -> bool:
        """Return whether the game is over without a winner."""
        found = self._drawn.get(state_id)
        if found is None:
            found = self.primitives.drawn(self.states[state_id])
            if self.is_memoized:
                self._drawn[state_id] = found
        return found


T = TypeVar("T")

REQUIRED_FUNCTIONS = ("start", "move", "won", "drawn")


class ModulePrimitives:
    """The primitives of a module; any exception in them becomes a one-line LudusError."""

    def __init__(self, name: str, module: ModuleType) -> None:
        missing = [each for each in REQUIRED_FUNCTIONS if not callable(getattr(module, each, None))]
        if missing:
            raise LudusError(f"{quote(name, 200)} does not define {', '.join(missing)}")
        self._name, self._module = name, module

    def start(self) -> State:
        """Return the state before the first move."""
        return self._call("start", _check_hashable)

    def move(self, state: State, /) -> list[State]:
        return self._call("move", lambda states: list(map(_check_hashable, states)), state)

    def won(self, state: State, /) -> bool:
        return self._call("won", bool, state)

    def drawn(self, state: State, /) -> bool:
        return self._call("drawn", bool, state)

    def format_move(self, state: State, after: State, /) -> str:
        return str(after)

    def _call(self, function: str, kind: Callable[[Any], T], *states: State) -> T:
        try:
            return kind(getattr(self._module, function)(*states))
        except Exception as error:
            where = f"{function} in {quote(self._name, 200)}"
            raise LudusError(f"{where} fails: {_describe_error(error)}") from error


def load_module(path: Path) -> ModuleType:
    """Execute a Python file and return it as a module; the file must be trusted."""
    text = read_text(path)
    try:
        code = compile(text, str(path), "exec")
        module = ModuleType(path.stem)
        exec(code, module.__dict__)
    except Exception as error:
        raise LudusError(f"cannot use {quote(str(path), 200)}: {_describe_error(error)}") from error
    return module


def _check_hashable(state: State) -> State:
    hash(state)
    return state


def _describe_error(error: Exception) -> str:
    return f"{type(error).__name__}: {quote(str(error), 200)}"


SHIPPED_DEFINITIONS = ("connect_three",)
"""Game definitions shipped with Ludus."""

MAX_SEARCHED_STATES = 200_000
"""Maximum number of states of a definition that are searched for a given text."""


@dataclass(frozen=True)
class TargetGame:
    """A game to learn."""

    name: str
    """The name on the command line."""

    graph: StateGraph
    start_states: Sequence[State]
    """The states one full move ahead."""

    start_state: State
    """The state before the first move."""

    game: AnyGame | None = None
    """The game of `ludus.games`, if it is one."""

    def parse(self, text: str) -> State:
        """Return the state with this text."""
        if self.game is not None:
            return self.game.parse(text)
        return self.parse_many([" ".join(check_length(text, BadPosition).split())])[0]

    def parse_many(self, texts: Sequence[str]) -> list[State]:
        """Return the states with these texts."""
        if self.game is not None:
            return [self.game.parse(text) for text in texts]
        left, found = set(texts), dict[str, State]()
        for state in self._iterate_states():
            if str(state) in left:
                left.discard(str(state))
                found[str(state)] = state
            if not left:
                return [found[text] for text in texts]
        raise BadPosition(f"play of {self.name} does not lead to {quote(min(left))}")

    def _iterate_states(self) -> Iterator[State]:
        """Yield the states that play leads to, up to a limit."""
        reached = [self.start_state]
        known = set(reached)
        for state in reached:  # grows during the loop
            yield state
            new = [each for each in self.graph.primitives.move(state) if each not in known]
            known.update(new)
            reached += dict.fromkeys(new)
            if len(reached) > MAX_SEARCHED_STATES:
                return


def find_target_game(spec: str, rules: str = "") -> TargetGame:
    """Return the game of a spec: a game, a shipped definition, or a file ending in .py."""
    if spec.endswith(".py"):
        return _build_target_game(spec, load_module(Path(spec)))
    name = parse_spec(spec).name
    if name in SHIPPED_DEFINITIONS:
        if rules or name != spec:
            raise UnknownName(f"{name} has no rules to choose from")
        return _build_target_game(name, importlib.import_module(f"ludus.learn.migo.{name}"))
    check_choice("there is no game", name, (*GAMES, *SHIPPED_DEFINITIONS))
    game = named_game(spec, rules)
    if game.start().mover == CHANCE:
        raise LudusError(f"{game.id} has dice, and strategies are learned for games without")
    return TargetGame(
        format_game_spec(game), StateGraph(), game.training_starts(), game.start(), game
    )


def format_game_spec(game: AnyGame) -> str:
    """Return the spec of a game: its id, and the differences from its default rules."""
    usual = next(iter(game.presets.values()))
    options = format_options(game.rules, usual)
    return f"{game.id}:{','.join(options)}" if options else game.id


def _build_target_game(name: str, module: ModuleType) -> TargetGame:
    primitives = ModulePrimitives(name, module)
    graph = StateGraph(primitives)
    first = primitives.start()
    replies = graph.moves(graph.state_id(first))
    ahead = dict.fromkeys(after for each in replies for after in graph.moves(each))
    starts = [graph.states[each] for each in ahead if graph.moves(each)]
    if not starts:
        raise LudusError(f"a game of {quote(name, 200)} is over after one move of each side")
    return TargetGame(name, graph, starts, first)


EndingState = tuple[int, int]
"""Boards of the side to move and of the other side, one bit per point."""

WON_STATE: EndingState = (0, 0)
"""A mill was closed and a man taken: whichever it was, the side to move has lost."""


class ThreeMenPrimitives:
    """The primitives, under the standard rules."""

    def move(self, state: EndingState, /) -> Iterator[EndingState]:
        if state == WON_STATE:
            return
        own, other = state
        for man in _split_men(own):
            rest = own ^ man
            for point in _split_men(ALL_POINTS & ~(own | other)):
                after = rest | point
                yield WON_STATE if after in _MILL_MASKS else canonicalize(other, after)

    def won(self, state: EndingState, /) -> bool:
        return state == WON_STATE

    def drawn(self, state: EndingState, /) -> bool:
        return False

    def format_move(self, state: EndingState, after: EndingState, /) -> str:
        return str(after)


_MILL_MASKS = frozenset(mill_masks(False).tolist())


@cache
def _split_men(board: int) -> tuple[int, ...]:
    """Return the single men of a board."""
    return tuple(1 << point for point in range(len(POINTS)) if board >> point & 1)


@cache
def _compute_images(board: int) -> tuple[int, ...]:
    """Return the image of the board under every symmetry."""
    points = [point for point in range(len(POINTS)) if board >> point & 1]
    return tuple(sum(1 << symmetry[point] for point in points) for symmetry in SYMMETRIES)


def canonicalize(own: int, other: int) -> EndingState:
    """Return the state of a position: the smallest of its symmetric images."""
    return min(zip(_compute_images(own), _compute_images(other), strict=True))


def count_states() -> dict[EndingState, int]:
    """Return every unfinished state with the number of its positions."""
    found: dict[EndingState, int] = {}
    boards = [sum(1 << point for point in points) for points in combinations(range(24), 3)]
    for own in boards:
        if own != min(_compute_images(own)):
            continue  # the own men of a canonical state are themselves the smallest
        for other in boards:
            if not own & other:
                state = canonicalize(own, other)
                found[state] = len(
                    set(zip(_compute_images(own), _compute_images(other), strict=True))
                )
    return found
