"""What can be learned: a game of Ludus, or a file with start, move, won and drawn."""

import importlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any, TypeVar

from ludus.core.errors import BadPosition, LudusError, UnknownName, check_length, quoted
from ludus.core.game import CHANCE, AnyGame
from ludus.core.spec import parse_spec, suggestion
from ludus.games import GAMES
from ludus.games import game as named_game
from ludus.learn.migo.world import World
from ludus.learn.starts import start_boards

T = TypeVar("T")

DEFINITIONS = ("connect_three",)
"""Those that come with Ludus."""

NEEDED = ("start", "move", "won", "drawn")

MAX_STATES = 200_000
"""So many states of a definition are looked through for one that was typed."""


@dataclass(frozen=True)
class Subject:
    """A game to learn."""

    name: str
    """As it is written on the command line."""

    world: World
    starts: Sequence[Any]
    """The states one full move ahead."""

    first: Any
    """The state before the first move."""

    game: AnyGame | None = None
    """The game of Ludus, if it is one."""

    def parse(self, text: str) -> Any:
        """The state a text stands for."""
        if self.game is not None:
            return self.game.parse(text)
        wanted = " ".join(check_length(text, BadPosition).split())
        met = [self.first]
        seen = set(met)
        for state in met:  # which grows on the way
            if str(state) == wanted:
                return state
            new = [each for each in self.world.primitives.move(state) if each not in seen]
            seen.update(new)
            met += dict.fromkeys(new)
            if len(met) > MAX_STATES:
                break
        raise BadPosition(f"play of {self.name} does not lead to {quoted(text)}")


def subject(spec: str, rules: str = "") -> Subject:
    """What a spec names: a game, a definition that comes with Ludus, or a file ending in .py."""
    if spec.endswith(".py"):
        return _defined(spec, _module(Path(spec)))
    name = parse_spec(spec).name
    if name in DEFINITIONS:
        if rules or name != spec:
            raise UnknownName(f"{name} has no rules to choose from")
        return _defined(name, importlib.import_module(f"ludus.learn.migo.definitions.{name}"))
    if name not in GAMES:
        known = (*GAMES, *DEFINITIONS)
        raise UnknownName(f"there is no game {quoted(name)}{suggestion(name, known)}")
    game = named_game(spec, rules)
    if game.start().mover == CHANCE:
        raise LudusError(f"{game.id} has dice, and strategies are learned for games without")
    return Subject(spec_of(game), World(), start_boards(game), game.start(), game)


def spec_of(game: AnyGame) -> str:
    """The shortest spec of a game on a square board; else its id alone."""
    size = getattr(game.rules, "size", None)
    return game.id if size in (None, 3) else f"{game.id}:size={size}"


class _Defined:
    """The primitives of a definition; whatever goes wrong in them is told in one line."""

    def __init__(self, name: str, module: ModuleType) -> None:
        self._name, self._module = name, module

    def move(self, state: Any, /) -> list[Any]:
        return list(dict.fromkeys(self._call("move", list, state)))

    def won(self, state: Any, /) -> bool:
        return self._call("won", bool, state)

    def drawn(self, state: Any, /) -> bool:
        return self._call("drawn", bool, state)

    def start(self) -> Any:
        return self._call("start", lambda state: next(iter({state})))

    def _call(self, function: str, kind: Callable[[Any], T], *states: Any) -> T:
        try:
            found = kind(getattr(self._module, function)(*states))
            hash(tuple(found) if isinstance(found, list) else found)
        except Exception as error:
            raise LudusError(
                f"{function} in {quoted(self._name, 200)} fails: {_told(error)}"
            ) from error
        return found


def _told(error: BaseException) -> str:
    return f"{type(error).__name__}: {quoted(str(error), 200)}"


def _defined(name: str, module: ModuleType) -> Subject:
    missing = [each for each in NEEDED if not callable(getattr(module, each, None))]
    if missing:
        raise LudusError(f"{quoted(name, 200)} does not define {', '.join(missing)}")
    primitives = _Defined(name, module)
    world = World(primitives)
    first = primitives.start()
    replies = world.moves(world.number(first))
    ahead = dict.fromkeys(after for each in replies for after in world.moves(each))
    starts = [world.states[each] for each in ahead if world.moves(each)]
    if not starts:
        raise LudusError(f"a game of {quoted(name, 200)} is over after one move of each side")
    return Subject(name, world, starts, first)


def _module(path: Path) -> ModuleType:
    """A file of Python, run as it is: whoever names it trusts it."""
    where = quoted(str(path), 200)
    try:
        source = path.read_text(encoding="utf-8")
        code = compile(source, str(path), "exec")
        module = ModuleType(path.stem)
        exec(code, module.__dict__)
    except Exception as error:
        raise LudusError(f"cannot use {where}: {_told(error)}") from error
    return module
