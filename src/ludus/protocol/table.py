"""What the text engine has in front of it: a game, a player, a position, and how it talks."""

from collections.abc import Callable, Sequence

from ludus.core.errors import LudusError, UnknownName, quoted
from ludus.core.game import AnyGame
from ludus.core.player import Player
from ludus.core.spec import parse_spec, suggestion
from ludus.games import GAMES
from ludus.games import game as named_game
from ludus.players import player as named_player
from ludus.protocol.options import EMPTY, LARGEST, Option, combo, player_options, with_option
from ludus.protocol.speech import Turn, speech

PLAYER_OF = {"nine_mens_morris": "negascout", "backgammon": "playouts"}
"""Elsewhere it is `perfect`, which knows the small games by heart."""

MANNERS = {"Captures": ("suffix", "token"), "Answer": ("uci", "sanmill")}
"""How moves of the Morris family are said: a man that is taken within the move or as a move of its
own, and the answer as in UCI or as Sanmill gives it. The first is the usual one."""


class BadSetting(LudusError):
    """A `setoption` or `position` that cannot be followed."""


def usual_player(game: AnyGame) -> str:
    """Who plays a game if nobody is asked for."""
    return PLAYER_OF.get(game.id, "perfect")


class Table:
    """Everything that `setoption` and `position` change. What fails leaves it as it was."""

    def __init__(self, game: str, rules: str, player: str, seed: int) -> None:
        self.seed = seed
        self._manners = {name: values[0] for name, values in MANNERS.items()}
        self._players: list[Player] = []
        self._open(game, rules, lambda game: named_player(player or usual_player(game), game))

    def _open(self, spec: str, rules: str, make: Callable[[AnyGame], Player]) -> None:
        """Another game begins."""
        game = named_game(spec, rules)
        self._seat(make(game))
        self.game, self._spec, self._rules = game, spec, rules
        self.speech = speech(game)
        self.turn = Turn(game.start())

    def _seat(self, player: Player) -> None:
        """Another player sits down; the last one has to go."""
        try:
            player.begin(self.seed)
        except BaseException:
            _close(player)
            raise
        self.close()
        self._players = [player]
        self._has_ended = False

    @property
    def player(self) -> Player:
        return self._players[0]

    def begin(self) -> None:
        """A new game, with the same seed as before."""
        self._has_ended = False
        self.player.begin(self.seed)

    def close(self) -> None:
        """Let the player end what it has begun outside this process."""
        while self._players:
            _close(self._players.pop())

    @property
    def is_apart(self) -> bool:
        """Whether the man that is taken is a move of its own."""
        return self._manners["Captures"] == "token"

    @property
    def is_sanmill(self) -> bool:
        """Whether the answer is given as Sanmill does."""
        return self._manners["Answer"] == "sanmill"

    @property
    def options(self) -> list[Option]:
        """What can be set, as it is now."""
        own = [
            combo("Game", self.game.id, GAMES),
            Option("Rules", "string", self._rules or EMPTY),
            Option("Player", "string", self.player.spec),
            Option("Seed", "spin", str(self.seed), f"min 0 max {LARGEST}"),
        ]
        if self.game.id == "nine_mens_morris":
            own += [combo(name, self._manners[name], MANNERS[name]) for name in MANNERS]
        return own + player_options(self.player.settings)

    def set_option(self, name: str, text: str) -> None:
        """Change an option, whatever the case of its name."""
        options = {option.name: option for option in self.options}
        wanted = next((known for known in options if known.lower() == name.lower()), None)
        if wanted is None:
            raise UnknownName(f"there is no option {quoted(name)}{suggestion(name, options)}")
        option = options[wanted]
        if option.field:
            owner = parse_spec(self.player.spec).name
            settings = with_option(self.player.settings, option, text, owner)
            self._seat(type(self.player)(self.game, settings, self.player.spec))
            return
        setters: dict[str, Callable[[str], None]] = {
            "Game": self._set_game,
            "Rules": self._set_rules,
            "Player": lambda spec: self._seat(named_player(spec, self.game)),
            "Seed": self._set_seed,
        }
        if wanted in MANNERS:
            self._set_manner(wanted, text)
        else:
            setters[wanted](text)

    def set_position(self, words: Sequence[str]) -> None:
        """Follow the words behind `position`."""
        kind, rest = (words[0], words[1:]) if words else ("", [])
        place = rest.index("moves") if "moves" in rest else len(rest)
        text, moves = " ".join(rest[:place]), rest[place + 1 :]
        if kind == "startpos" and not text:
            turn = Turn(self.game.start())
        elif kind == "fen" and text:
            turn = Turn(self.game.parse(text))
        else:
            raise BadSetting("position needs startpos, or fen and a position, then moves if any")
        for number, word in enumerate(moves, 1):
            try:
                turn = self.speech.follow(turn, word)
            except LudusError as error:
                raise BadSetting(f"move {number}: {error}") from error
        self.turn = turn
        outcome = turn.position.outcome()
        if outcome is not None and not self._has_ended:
            self._has_ended = True
            self.player.end(outcome)

    def _set_game(self, text: str) -> None:
        self._open(text, "", lambda game: named_player(usual_player(game), game))

    def _set_rules(self, text: str) -> None:
        kind, settings, spec = type(self.player), self.player.settings, self.player.spec
        rules = "" if text == EMPTY else text
        self._open(self._spec, rules, lambda game: kind(game, settings, spec))

    def _set_seed(self, text: str) -> None:
        if not (text.isascii() and text.isdigit() and len(text) <= 19 and int(text) <= LARGEST):
            raise BadSetting(f"Seed must be from 0 to {LARGEST}, not {quoted(text)}")
        self.seed = int(text)
        self.begin()

    def _set_manner(self, name: str, text: str) -> None:
        if text not in MANNERS[name]:
            raise BadSetting(f"{name} must be {' or '.join(MANNERS[name])}, not {quoted(text)}")
        self._manners[name] = text


def _close(player: Player) -> None:
    if hasattr(player, "close"):
        player.close()
