"""What can be learned: a game of Ludus, or a file with start, move, won and drawn."""

import dataclasses
import importlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from ludus.core.errors import BadPosition, LudusError, UnknownName, check_length, quoted
from ludus.core.game import CHANCE, AnyGame
from ludus.core.spec import parse_spec, suggestion
from ludus.games import GAMES
from ludus.games import game as named_game
from ludus.learn.migo.defined import Definition, run_file
from ludus.learn.migo.world import World
from ludus.learn.starts import start_boards

DEFINITIONS = ("connect_three",)
"""Those that come with Ludus."""

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
        return _defined(spec, run_file(Path(spec)))
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
    """The spec of a game: its id, and what differs from its usual rules."""
    usual = next(iter(game.presets.values()))
    options = [
        f"{field.name}={getattr(game.rules, field.name)}"
        for field in dataclasses.fields(usual)
        if getattr(game.rules, field.name) != getattr(usual, field.name)
    ]
    return f"{game.id}:{','.join(options)}" if options else game.id


def _defined(name: str, module: ModuleType) -> Subject:
    primitives = Definition(name, module)
    world = World(primitives)
    first = primitives.start()
    replies = world.moves(world.number(first))
    ahead = dict.fromkeys(after for each in replies for after in world.moves(each))
    starts = [world.states[each] for each in ahead if world.moves(each)]
    if not starts:
        raise LudusError(f"a game of {quoted(name, 200)} is over after one move of each side")
    return Subject(name, world, starts, first)
