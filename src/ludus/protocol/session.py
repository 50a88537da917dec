"""The state of a text engine: game, rules, player, position, and the options that `setoption`
changes.
"""

import dataclasses
import types
import typing
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from ludus.core.errors import BadSpec, LudusError, UnknownName, quote
from ludus.core.game import AnyGame
from ludus.core.notation import TurnState
from ludus.core.player import Player
from ludus.core.spec import apply_options, format_suggestion, parse_spec
from ludus.games import GAMES
from ludus.games import game as named_game
from ludus.players import player as named_player

UCI_NAMES = {"multipv": "MultiPV", "memory": "Hash"}
"""Option names that graphical front ends expect; other options use the field's name."""

EMPTY_VALUE = "<empty>"
"""The protocol's notation of an empty string; here also of an unset number."""

MAX_SPIN = 2**63 - 1


@dataclass(frozen=True, slots=True)
class UciOption:
    """An option as the `option` line declares it."""

    name: str
    kind: str
    """`check`, `spin`, `combo` or `string`."""

    default: str
    suffix: str = ""
    """The range of a spin, or the values of a combo."""

    field: str = ""
    """The field of the player's options class; empty for an option of the engine itself."""

    def __str__(self) -> str:
        suffix = f" {self.suffix}" if self.suffix else ""
        return f"option name {self.name} type {self.kind} default {self.default}{suffix}"


def make_combo(name: str, default: str, values: typing.Iterable[str], field: str = "") -> UciOption:
    """Return an option with an enumerated set of values."""
    return UciOption(name, "combo", default, " ".join(f"var {value}" for value in values), field)


def list_player_options(settings: Any) -> list[UciOption]:
    """Return the UCI options for the fields of a player's options dataclass."""
    if settings is None:
        return []
    hints = typing.get_type_hints(type(settings))
    return [
        _make_option(settings, field.name, hints[field.name])
        for field in dataclasses.fields(settings)
    ]


def replace_option(settings: Any, option: UciOption, text: str, owner: str) -> Any:
    """Return the player's options with one of them changed."""
    if text in ("", EMPTY_VALUE):
        default = next(
            field.default for field in dataclasses.fields(settings) if field.name == option.field
        )
        if default not in (None, ""):
            raise BadSpec(f"option {option.name} needs a value")
        return dataclasses.replace(settings, **{option.field: default})
    return apply_options(settings, {option.field: text}, owner)


def _make_option(settings: Any, field: str, hint: Any) -> UciOption:
    value = getattr(settings, field)
    name = UCI_NAMES.get(field, field.capitalize())
    if typing.get_origin(hint) is typing.Literal:
        return make_combo(name, value, typing.get_args(hint), field)
    if hint is bool:
        return UciOption(name, "check", str(value).lower(), field=field)
    if hint is int:
        low, high = _find_range(settings, field)
        return UciOption(name, "spin", str(value), f"min {low} max {high}", field)
    is_unset = value is None or value == ""
    text = f"{value:g}" if isinstance(value, float) else str(value)
    assert hint in (str, float) or isinstance(hint, types.UnionType)
    return UciOption(name, "string", EMPTY_VALUE if is_unset else text, field=field)


def _find_range(settings: Any, field: str) -> tuple[int, int]:
    """Find by bisection the smallest and largest number that the options class accepts."""

    def is_accepted(number: int) -> bool:
        try:
            dataclasses.replace(settings, **{field: number})
        except LudusError:
            return False
        return True

    value = getattr(settings, field)
    low, high = (_find_last_accepted(is_accepted, value, end) for end in (-MAX_SPIN, MAX_SPIN))
    return low, high


def _find_last_accepted(is_accepted: Callable[[int], bool], inside: int, bound: int) -> int:
    """Return the accepted number nearest to `bound`; accepted numbers form an interval."""
    if is_accepted(bound):
        return bound
    while abs(bound - inside) > 1:
        middle = (inside + bound) // 2
        if is_accepted(middle):
            inside = middle
        else:
            bound = middle
    return inside


class EngineSession:
    """The state that `setoption` and `position` change; a failed change leaves it unmodified."""

    def __init__(self, game: str, rules: str, player: str, seed: int) -> None:
        self.seed = seed
        self._notation_options: dict[str, str] = {}
        self._players: list[Player] = []
        self._set_game_and_player(
            game, rules, lambda game: named_player(player or game.default_player, game)
        )

    def _set_game_and_player(
        self, spec: str, rules: str, make: Callable[[AnyGame], Player]
    ) -> None:
        """Switch to another game or other rules, with a new player."""
        game = named_game(spec, rules)
        self._set_player(make(game))
        self.game, self._spec, self._rules = game, spec, rules
        self.notation = game.move_notation()
        self.turn = TurnState(game.start())

    def _set_player(self, player: Player) -> None:
        """Start a new player and close the previous one."""
        try:
            player.start_game(self.seed)
        except BaseException:
            _close_player(player)
            raise
        self.close()
        self._players = [player]
        self._has_ended = False

    @property
    def player(self) -> Player:
        return self._players[0]

    def start_game(self) -> None:
        """Start a new game with the same seed."""
        self._has_ended = False
        self.player.start_game(self.seed)

    def close(self) -> None:
        """Release the player's external resources, such as child processes."""
        while self._players:
            _close_player(self._players.pop())

    @property
    def has_separate_captures(self) -> bool:
        """Whether a capture is a separate move."""
        return self._notation_options.get("Captures") == "token"

    @property
    def is_sanmill(self) -> bool:
        """Whether responses use Sanmill's format."""
        return self._notation_options.get("Answer") == "sanmill"

    @property
    def options(self) -> list[UciOption]:
        """All options with their current values as defaults."""
        own = [
            make_combo("Game", self.game.id, GAMES),
            UciOption("Rules", "string", self._rules or EMPTY_VALUE),
            UciOption("Player", "string", self.player.spec),
            UciOption("Seed", "spin", str(self.seed), f"min 0 max {MAX_SPIN}"),
        ]
        own += [
            make_combo(name, self._notation_options.get(name, values[0]), values)
            for name, values in self.notation.options.items()
        ]
        return own + list_player_options(self.player.settings)

    def set_option(self, name: str, text: str) -> None:
        """Change an option; its name is case-insensitive."""
        options = {option.name: option for option in self.options}
        wanted = next((known for known in options if known.lower() == name.lower()), None)
        if wanted is None:
            raise UnknownName(f"there is no option {quote(name)}{format_suggestion(name, options)}")
        option = options[wanted]
        if option.field:
            owner = parse_spec(self.player.spec).name
            settings = replace_option(self.player.settings, option, text, owner)
            self._set_player(type(self.player)(self.game, settings, self.player.spec))
            return
        setters: dict[str, Callable[[str], None]] = {
            "Game": self._set_game,
            "Rules": self._set_rules,
            "Player": lambda spec: self._set_player(named_player(spec, self.game)),
            "Seed": self._set_seed,
        }
        if wanted in self.notation.options:
            self._set_notation_option(wanted, text)
        else:
            setters[wanted](text)

    def set_position(self, words: Sequence[str]) -> None:
        """Execute `position` with these words; notify the player if the game has ended."""
        kind, rest = (words[0], words[1:]) if words else ("", [])
        place = rest.index("moves") if "moves" in rest else len(rest)
        text, moves = " ".join(rest[:place]), rest[place + 1 :]
        if kind == "startpos" and not text:
            turn = TurnState(self.game.start())
        elif kind == "fen" and text:
            turn = TurnState(self.game.parse(text))
        else:
            raise LudusError("position needs startpos, or fen and a position, then moves if any")
        for number, word in enumerate(moves, 1):
            try:
                turn = self.notation.advance(turn, word)
            except LudusError as error:
                raise LudusError(f"move {number}: {error}") from error
        self.turn = turn
        outcome = turn.position.outcome()
        if outcome is not None and not self._has_ended:
            self._has_ended = True
            self.player.finish_game(outcome)

    def _set_game(self, text: str) -> None:
        self._set_game_and_player(text, "", lambda game: named_player(game.default_player, game))

    def _set_rules(self, text: str) -> None:
        kind, settings, spec = type(self.player), self.player.settings, self.player.spec
        rules = "" if text == EMPTY_VALUE else text
        self._set_game_and_player(self._spec, rules, lambda game: kind(game, settings, spec))

    def _set_seed(self, text: str) -> None:
        if not (text.isascii() and text.isdigit() and len(text) <= 19 and int(text) <= MAX_SPIN):
            raise LudusError(f"Seed must be from 0 to {MAX_SPIN}, not {quote(text)}")
        self.seed = int(text)
        self.start_game()

    def _set_notation_option(self, name: str, text: str) -> None:
        values = self.notation.options[name]
        if text not in values:
            raise LudusError(f"{name} must be {' or '.join(values)}, not {quote(text)}")
        self._notation_options[name] = text


def _close_player(player: Player) -> None:
    if hasattr(player, "close"):
        player.close()
