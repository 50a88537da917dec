"""UBGI, the Universal Backgammon Interface: the engine's second protocol, for backgammon alone.

The commands are those of version 0.2 (bgci's specification). A line that is a position, an XGID or
a Position ID with a Match ID, is answered at once, as in the draft 0.01 by Schønning-Johansen.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, cast

from ludus.core.errors import BadPosition, BadSpec, LudusError, UnknownName, quote, to_one_line
from ludus.core.game import CHANCE
from ludus.core.player import Limit
from ludus.games.backgammon.board import Move, format_place
from ludus.games.backgammon.game import Backgammon
from ludus.games.backgammon.position import Position
from ludus.games.backgammon.position_ids import detect_rules, is_gnubg_id, is_xgid
from ludus.games.backgammon.stakes import DOUBLE, CubeAction
from ludus.protocol.session import EMPTY_VALUE, EngineSession, UciOption

VERSION = "0.2"
PLY_NAMES = ("ply", "plies")
MINOR = ("Seed", "Threads", "Hash")
"""Options that do not change how strong a player is, or not by much."""

VARIANTS = {"backgammon": "standard", "hypergammon": "hyper"}
VARIANT_KEY = "game.variant"

ERROR_CODES: tuple[tuple[type[LudusError], str], ...] = (
    (BadPosition, "bad_value"),
    (UnknownName, "unsupported"),
    (BadSpec, "bad_value"),
)


class UbgiError(LudusError):
    """An error with one of the protocol's four codes."""

    def __init__(self, code: str, detail: str) -> None:
        super().__init__(detail)
        self.code = code


class UbgiInterpreter:
    """Executes the commands of UBGI, one per line; an invalid line changes nothing."""

    def __init__(self, session: EngineSession, write_line: Callable[[str], None]) -> None:
        self._session = session
        self._write_line = write_line
        self._text = ""  # the position as it was sent
        self._dice: tuple[int, int] | None = None
        self.commands: dict[str, Callable[[Sequence[str]], None]] = {
            "ubgi": lambda words: self.identify(),
            "isready": lambda words: self._write_line("readyok"),
            "newgame": lambda words: self._session.start_game(),
            "position": self._set_position,
            "dice": self._set_dice,
            "go": self._go,
            "set": self._set,
            "get": self._get,
            "keys": self._list_keys,
            "stop": lambda words: None,  # a decision is made before the next line is read
        }

    def handle_line(self, line: str) -> bool:
        """Execute a line; return false for `quit`."""
        name, *words = line.split() or [""]
        if name == "quit":
            return False
        try:
            if name in self.commands:
                self.commands[name](words)
            elif is_xgid(name) or (is_gnubg_id(name) and ":" in name):
                self._text, self._dice = name, None
                self._write_line(self._format_action(self._decide(self._make_position())))
            elif name:
                raise UbgiError("bad_command", f"there is no command {quote(name)}")
        except Exception as error:  # the client needs an answer; the engine keeps running
            self._write_line(format_error(error))
        return True

    def identify(self) -> None:
        """Write the name, the version and the protocol."""
        from ludus import __version__

        if not isinstance(self._session.game, Backgammon):
            raise LudusError("ubgi is for backgammon: ludus engine backgammon")
        for line in (
            f"id name Ludus {__version__}",
            "id author the authors of Ludus",
            f"id version {__version__}",
            f"proto {VERSION}",
            "ubgiok",
        ):
            self._write_line(line)

    def _set_position(self, words: Sequence[str]) -> None:
        kind, text = (words[0], words[1]) if len(words) == 2 else ("", "")
        if (kind, True) not in (("gnubgid", is_gnubg_id(text)), ("xgid", is_xgid(text))):
            raise UbgiError("bad_command", "expected: position gnubgid ID, or position xgid XGID")
        self._parse(text)
        self._text, self._dice = text, None

    def _set_dice(self, words: Sequence[str]) -> None:
        if not re.fullmatch(r"[1-6] [1-6]", " ".join(words), re.ASCII):
            raise UbgiError("bad_value", "expected: dice D D, each from 1 to 6")
        first, second = sorted(map(int, words), reverse=True)
        self._dice = first, second

    def _parse(self, text: str) -> Position:
        """Parse a position, under the rules that it implies."""
        game = self._session.game
        rules = replace(detect_rules(text), layout=game.rules.layout)
        if rules != game.rules:
            self._session.set_option("Rules", type(game).format_rules(rules) or EMPTY_VALUE)
        return cast("Position", self._session.game.parse(text))

    def _make_position(self, with_dice: bool = True) -> Position:
        """Return the position with its dice, or before the decision about the cube."""
        if not self._text:
            raise UbgiError("bad_state", "missing position")
        position = self._parse(self._text)
        dice = self._dice or position.dice
        if with_dice and dice is not None:
            stakes = position.stakes
            if stakes is not None:
                stakes = replace(stakes, phase="play")
            return replace(position, dice=dice, stakes=stakes, opening="")
        if position.stakes is None or position.dice is None:
            return replace(position, opening="")
        stakes = position.stakes.begin_turn(position.turn)
        return replace(position, dice=None, stakes=stakes)

    def _decide(self, position: Position) -> Any:
        if position.outcome() is not None or position.mover == CHANCE:
            raise UbgiError("bad_state", "there is nothing to decide; are dice missing?")
        return self._session.player.choose(position, Limit()).move

    def _go(self, words: Sequence[str]) -> None:
        kind = " ".join(words) or "chequer"
        if kind == "chequer":
            position = self._make_position()
            if position.dice is None:
                raise UbgiError("bad_state", "missing dice")
            self._write_line(f"bestmove {self._format_action(self._decide(position)) or 'pass'}")
        elif kind == "cube":
            self._write_line(f"bestcube {self._decide_cube()}")
        elif kind == "turn":
            cube = self._decide_cube()
            position = self._make_position()
            if position.dice is None:
                raise UbgiError("bad_state", "missing dice")
            move = self._format_action(self._decide(position)) or "pass"
            self._write_line(f"bestturn cube={cube} move={move}")
        else:
            raise UbgiError("bad_command", "expected: go, go chequer, go cube or go turn")

    def _decide_cube(self) -> str:
        position = self._make_position(with_dice=False)
        if position.phase == "play":  # the side on turn may not double
            return "nodouble"
        action = self._decide(position)
        if position.phase == "doubled":
            return str(action)
        return "double" if action == DOUBLE else "nodouble"

    def _format_action(self, move: Move | CubeAction) -> str:
        """Write each step of a move; an action of the cube is its name, and a pass is empty."""
        if isinstance(move, CubeAction):
            return str(move)
        return " ".join(
            f"{format_place(step.start)}/{format_place(step.end)}" for step in move.steps
        )

    def _set(self, words: Sequence[str]) -> None:
        if len(words) < 2:
            raise UbgiError("bad_command", "expected: set KEY VALUE")
        key, value = words[0], " ".join(words[1:])
        if key == VARIANT_KEY:
            if value not in VARIANTS:
                raise UbgiError("bad_value", f"{key} must be {' or '.join(VARIANTS)}")
            self._session.set_option("Rules", VARIANTS[value])
            return
        option = self._find_option(key)
        if option.field in PLY_NAMES:  # a ply more: the own move counts
            value = str(int(value) - 1) if value.isdecimal() else value
        self._session.set_option(option.name, value)

    def _get(self, words: Sequence[str]) -> None:
        if len(words) != 1:
            raise UbgiError("bad_command", "expected: get KEY")
        value = self._variant if words[0] == VARIANT_KEY else None
        self._write_line(f"value {words[0]} {value or _read(self._find_option(words[0]))}")

    def _list_keys(self, words: Sequence[str]) -> None:
        self._write_line(f"key {VARIANT_KEY} enum {'|'.join(VARIANTS)} {self._variant}")
        for option in self._options:
            minor = " !" if option.name in MINOR else ""
            self._write_line(
                to_one_line(f"key {_key(option)} {_describe(option)} {_read(option)}{minor}")
            )

    @property
    def _variant(self) -> str:
        layouts = {layout: name for name, layout in VARIANTS.items()}
        return layouts[self._session.game.rules.layout]

    @property
    def _options(self) -> list[UciOption]:
        return [each for each in self._session.options if each.name not in ("Game", "Rules")]

    def _find_option(self, key: str) -> UciOption:
        for option in self._options:
            if _key(option) == key:
                return option
        raise UbgiError("unsupported", key)


def _key(option: UciOption) -> str:
    return "engine.ply" if option.field in PLY_NAMES else f"engine.{option.name.lower()}"


def _read(option: UciOption) -> str:
    return str(int(option.default) + 1) if option.field in PLY_NAMES else option.default


def _describe(option: UciOption) -> str:
    """Return the type of a key, with its range or values."""
    if option.kind == "spin":
        _, low, _, high = option.suffix.split()
        more = int(option.field in PLY_NAMES)
        return f"int {int(low) + more}..{int(high) + more}"
    if option.kind == "combo":
        return f"enum {'|'.join(option.suffix.removeprefix('var ').split(' var '))}"
    return "bool" if option.kind == "check" else "string *"


def format_error(error: Exception) -> str:
    """Format an error as a line of the protocol, with one of its four codes."""
    codes = (code for kind, code in ERROR_CODES if isinstance(error, kind))
    code = error.code if isinstance(error, UbgiError) else next(codes, "bad_state")
    return to_one_line(f"error {code} {error}")[:400]
