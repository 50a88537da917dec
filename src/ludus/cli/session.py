"""Games in a terminal: history, turns, typed commands, result."""

import random
import time
from collections.abc import Callable, Collection, Iterable
from pathlib import Path
from typing import Self

from ludus.analysis import Analyst, Certainty, Evaluation
from ludus.cli.screen import Screen, TypedMove
from ludus.core.errors import BadMove, LudusError
from ludus.core.files import atomic_file, check_output, read_text
from ludus.core.game import CHANCE, AnyGame, Move, Position
from ludus.core.marks import Marks
from ludus.core.match import PlayedMove
from ludus.core.record import Line, Node, Record
from ludus.games import registered_game
from ludus.games.move_entry import get_move_entry
from ludus.oracles.interface import UTILITIES
from ludus.players import player as named_player


class GameHistory:
    """The positions and moves of a game so far."""

    def __init__(self, game: AnyGame, start: Position | None = None) -> None:
        self.game = game
        self.positions: list[Position] = [game.start() if start is None else start]
        self.moves: list[PlayedMove] = []

    @property
    def position(self) -> Position:
        """The current position."""
        return self.positions[-1]

    def play(self, move: Move, comment: str = "") -> None:
        """Play a move."""
        self.positions.append(self.position.play(move))
        self.moves.append(PlayedMove(self.positions[-2].mover, move, 0.0, comment))

    def undo_to(self, ply: int) -> None:
        """Remove the moves from this one on."""
        del self.positions[ply + 1 :], self.moves[ply:]

    def to_record(self, players: tuple[str, str], seed: int) -> Record:
        """Return the game as a record, without a result if it is unfinished."""
        start, outcome = self.positions[0], self.position.outcome()
        line = Line(tuple(Node(str(made.move), made.comment) for made in self.moves))
        return Record.from_line(self.game, players, str(start), start.mover, line, outcome, seed)

    @classmethod
    def from_record(cls, record: Record, game: AnyGame) -> Self:
        """Replay a recorded game to continue it; raise BadRecord if a move is illegal."""
        positions = record.replay(game)
        history = cls(game, positions[0])
        for node, position in zip(record.line.moves, positions, strict=False):
            history.play(game.parse_move(node.move, position), node.comment)
        return history


Command = Callable[["TerminalSession", str, TypedMove | None], bool]
"""A command typed instead of a move.

It gets the session, the whole line, and the move being entered (None if the game is over), and
returns whether it changed the game, so that the turn has to begin again.
"""

HELP = """
Type a move as `moves` lists them, or name its places one by one.

  moves        list the legal moves
  hint         show the best moves, and how certain that is
  back, undo   return to your last decision
  new          start a new game
  flip side    swap sides with your opponent
  save FILE    write the game to a new file; save --force FILE overwrites one
  load FILE    continue a game from a file
  position     print the position as text, for --position
  quit         leave
"""

MAX_HINTS = 5
"""Number of best moves shown by a hint."""


class Quit(Exception):
    """Raised to end the session."""


def show_help(session: "TerminalSession", text: str, entry: TypedMove | None) -> bool:
    session.screen.print_line(HELP)
    return False


def show_moves(session: "TerminalSession", text: str, entry: TypedMove | None) -> bool:
    session.screen.print_columns(str(move) for move in _require_entry(entry).moves)
    return False


def show_hint(session: "TerminalSession", text: str, entry: TypedMove | None) -> bool:
    """Show the best moves by exact tables or the best evaluator, on the board and as a list."""
    position = _require_entry(entry).position
    with session.screen.show_busy("comparing the moves"):
        (analysis,) = session.find_analyst().evaluate([position], [None])
    best = analysis.best
    session.show(entry, good=session.game.steps(best.move))
    words, source = CERTAINTY_WORDS[best.evaluation.certainty], best.evaluation.source
    line = f"{best.move}: {_describe(best.evaluation)} ({words}: {source})"
    session.screen.print_line(line, "green")
    if len(analysis.moves) > 1:
        shown = analysis.moves[:MAX_HINTS]
        listed = ", ".join(f"{each.move} {_describe(each.evaluation)}" for each in shown)
        session.screen.print_line(f"Best moves: {listed}")
    return False


CERTAINTY_WORDS: dict[Certainty, str] = {
    "exact": "exact",
    "likely": "very likely",
    "estimate": "estimate",
}


def _describe(evaluation: Evaluation) -> str:
    """Describe a value: a result with its distance, or points.

    >>> _describe(Evaluation("exact", "the solved game", 1.0, "win", 3))
    'win in 3 plies'
    >>> _describe(Evaluation("estimate", "playouts", -0.25))
    '-0.25 points'
    """
    if evaluation.result not in UTILITIES:
        return f"{round(evaluation.points, 2) + 0:+.2f} points"
    if evaluation.depth is None or evaluation.result == "draw":
        return evaluation.result
    return (
        f"{evaluation.result} in {evaluation.depth} {'ply' if evaluation.depth == 1 else 'plies'}"
    )


def take_back(session: "TerminalSession", text: str, entry: TypedMove | None) -> bool:
    """Discard the places entered so far or, if there are none, return to the last decision."""
    if entry is not None and entry.partial.touched:
        entry.clear()
        session.show(entry)
        return False
    history = session.history
    for ply in range(len(history.moves) - 1, -1, -1):
        if session.move_entry.is_decision(history.positions[ply], session.human_sides):
            history.undo_to(ply)
            session.messages[:] = ["Taken back."]
            return True
    raise LudusError("there is nothing to take back")


def start_new_game(session: "TerminalSession", text: str, entry: TypedMove | None) -> bool:
    session.score = session.add_up_points() or session.score
    session.start_game(GameHistory(session.game, session.history.positions[0]))
    return True


def swap_sides(session: "TerminalSession", text: str, entry: TypedMove | None) -> bool:
    if len(session.human_sides) != 1:
        raise LudusError("sides can be swapped only if one person plays")
    session.human_sides = frozenset({0, 1}) - session.human_sides
    session.score.reverse()
    session.messages.clear()
    return True


def save_game(session: "TerminalSession", text: str, entry: TypedMove | None) -> bool:
    word, *rest = text.split(maxsplit=2)
    is_forced = rest[:1] == ["--force"]
    path = _parse_path(" ".join([word, *rest[is_forced:]]))
    check_output(path, force=is_forced)
    with atomic_file(path) as file:
        print(session.history.to_record(session.player_names, session.seed), file=file)
    session.screen.print_line(f"Saved as {path}.")
    return False


def load_game(session: "TerminalSession", text: str, entry: TypedMove | None) -> bool:
    record = Record.parse(read_text(_parse_path(text)))
    headers = record.headers
    name, rules = headers.get("Game", session.game.id), headers.get("Rules", "")
    is_same = name == session.game.id and rules in (
        "",
        session.game.format_rules(session.game.rules),
    )
    game = session.game if is_same else registered_game(name, rules)
    session.start_game(GameHistory.from_record(record, game))
    return True


def show_position(session: "TerminalSession", text: str, entry: TypedMove | None) -> bool:
    session.screen.print_line(str(session.history.position))
    return False


def quit_session(session: "TerminalSession", text: str, entry: TypedMove | None) -> bool:
    raise Quit


COMMANDS: dict[str, Command] = {
    "help": show_help,
    "?": show_help,
    "moves": show_moves,
    "hint": show_hint,
    "back": take_back,
    "undo": take_back,
    "new": start_new_game,
    "flip": swap_sides,
    "save": save_game,
    "load": load_game,
    "position": show_position,
    "quit": quit_session,
    "exit": quit_session,
    "q": quit_session,
}


def _require_entry(entry: TypedMove | None) -> TypedMove:
    if entry is None:
        raise LudusError("the game is over")
    return entry


def _parse_path(text: str) -> Path:
    word, *rest = text.split(maxsplit=1)
    if not rest:
        raise LudusError(f"{word} needs the name of a file")
    try:
        return Path(rest[0]).expanduser()
    except RuntimeError as error:
        raise LudusError(str(error)) from error


WATCH_PAUSE_SECONDS = 0.6
"""Pause between moves if no person plays."""

NEW_GAME_PROMPT = "Another game? (yes, no, back, save FILE)"
NEW_GAME_ANSWERS = {"y": "new", "yes": "new", "n": "quit", "no": "quit"}

MAX_PLACES_WIDTH = 60
"""Maximum length of the list of places in a prompt."""

PERSON_NAME = "person"
"""Name of a person in a record."""


class TerminalSession:
    """A session of games between people and players in a terminal."""

    def __init__(
        self,
        history: GameHistory,
        opponent: str,
        human_sides: Collection[int],
        seed: int,
        screen: Screen,
    ) -> None:
        self.opponent = opponent
        self.human_sides = frozenset(human_sides)
        self.seed = seed
        self.random = random.Random(seed)
        self.screen = screen
        self.score = [0, 0]
        """Points of both sides in the earlier money games of this session."""

        self._analyst: Analyst | None = None
        self.start_game(history)
        if self.human_sides:
            self.messages.append("Type a move or its first place; help lists the commands.")

    @property
    def game(self) -> AnyGame:
        return self.history.game

    @property
    def side_names(self) -> tuple[str, str]:
        """Names of the sides, "you" for that of a single person."""
        return self.game.name_sides(self.human_sides)

    @property
    def player_names(self) -> tuple[str, str]:
        """Player of each side: a spec or PERSON_NAME."""
        first, second = (
            (PERSON_NAME if side in self.human_sides else self.opponent) for side in (0, 1)
        )
        return first, second

    def run(self) -> None:
        """Play until the user quits."""
        try:
            while True:
                self._play_turn()
        except Quit:
            self.screen.print_line("Goodbye.")

    def start_game(self, history: GameHistory) -> None:
        """Start or continue this game with new players."""
        players = [named_player(self.opponent, history.game) for _ in history.game.sides]
        for side, player in enumerate(players):
            if side not in self.human_sides:
                player.check_start(history.positions[0])
            player.start_game(self.random.getrandbits(62))
        self.history, self.players = history, players
        self.move_entry = get_move_entry(history.game)
        self.messages: list[str] = []

    def find_analyst(self) -> Analyst:
        """Return the analyst of the game; it is made for the first hint."""
        if self._analyst is None or self._analyst.game is not self.game:
            self._analyst = Analyst(self.game)
        return self._analyst

    def show(self, entry: TypedMove | None = None, good: Iterable[str] = ()) -> None:
        """Show the board with marks for the last move, the possible places and the advised ones."""
        last = self.move_entry.last_places(self.history.moves)
        position, points = self.history.position, dict.fromkeys(last, "last")
        if entry is not None:
            position, points = entry.partial.position, entry.partial.marks(last)
        marks = Marks(points=points | dict.fromkeys(good, "good"))
        self.screen.show_position(self._format_title(), position, marks, self.messages)

    def _format_title(self) -> str:
        sides = [
            f"you are {side}"
            if number in self.human_sides
            else f"{self.players[number].name} is {side}"
            for number, side in enumerate(self.game.sides)
        ]
        players = "two people" if len(self.human_sides) == 2 else ", ".join(sides)
        return f"{self.game.title} · {players}"

    def add_message(self, side: int, action: str) -> None:
        """Add an action of a side to the messages shown with the next board."""
        self.messages.append(f"{self.side_names[side].capitalize()} {action}.")

    def _play_turn(self) -> None:
        position = self.history.position
        outcome = position.outcome()
        if outcome is not None:
            for side in {0, 1} - set(self.human_sides):
                self.players[side].finish_game(outcome)
            result = self.game.describe_outcome(outcome, self.human_sides)
            self.show()
            self.screen.print_line(f"{result}{self._format_score()}", "bold")
            self._read_commands(None)
        elif position.mover == CHANCE:
            self._roll_dice()
        elif position.mover in self.human_sides:
            self._play_human_turn()
        else:
            self._play_computer_turn(position.mover)

    def add_up_points(self) -> list[int] | None:
        """Return the points of both sides with those of this game; None unless it is for money."""
        position = self.history.position
        if self.game.stakes(position) is None or not self.game.has_sessions:
            return None
        outcome = position.outcome()
        points = [*self.score]
        if outcome is not None and outcome.winner is not None:
            points[outcome.winner] += outcome.points
        return points

    def _format_score(self) -> str:
        """Return how a money session stands; empty in other games."""
        points = self.add_up_points()
        if points is None:
            return ""
        first, second = self.side_names
        return f" The session stands {first} {points[0]}, {second} {points[1]}."

    def _roll_dice(self) -> None:
        rolls, weights = zip(*self.game.chances(self.history.position), strict=True)
        roll = self.random.choices(rolls, weights)[0]
        self.history.play(roll)
        position = self.history.position
        self.add_message(position.mover, self.move_entry.describe_move(roll, position))

    def _play_computer_turn(self, side: int) -> None:
        """Let the player of a side move."""
        with self.screen.show_busy(f"{self.side_names[side]} is thinking"):
            choice = self.players[side].choose(self.history.position)
        self.history.play(choice.move, choice.comment)
        comment = f": {choice.comment}" if choice.comment else ""
        self.add_message(side, f"played {choice.move}{comment}")
        if not self.human_sides:
            self.show()
            self.messages.clear()
            if self.screen.is_interactive:
                time.sleep(WATCH_PAUSE_SECONDS)

    def _play_human_turn(self) -> None:
        """Read commands and parts of a move from a person until the game has changed."""
        position, side = self.history.position, self.history.position.mover
        if self.move_entry.is_pass(position):
            self.history.play(position.legal_moves()[0])
            self.add_message(side, "could not move")
            return
        entry = TypedMove(self.move_entry, position)
        self.show(entry)
        self._read_commands(entry)

    def _read_commands(self, entry: TypedMove | None) -> None:
        """Read commands, and parts of a move or an answer, until the game has changed."""
        is_done = False
        while not is_done:
            text = self.screen.read_line(
                NEW_GAME_PROMPT
                if entry is None
                else _format_prompt(self.game.sides[entry.position.mover], entry)
            )
            if text is None:
                raise Quit
            if entry is None:
                text = NEW_GAME_ANSWERS.get(text.lower(), text)
            command = COMMANDS.get(text.split(maxsplit=1)[0].lower() if text else "")
            try:
                if command is not None:
                    is_done = command(self, text, entry)
                elif entry is None:
                    raise BadMove("the game is over: answer yes or no, or type help")
                else:
                    is_done = self._enter_move(text, entry)
            except LudusError as error:
                self.screen.print_line(str(error), "red")

    def _enter_move(self, text: str, entry: TypedMove) -> bool:
        """Add typed text to the move; return whether the move was played."""
        if not text:
            # If only one place is possible, Enter is enough.
            if not entry.partial.touched or len(entry.next_places) != 1:
                return False
            text = entry.next_places[0]
        move = entry.enter(text)
        if move is None:
            self.show(entry)
            return False
        side = self.history.position.mover
        self.history.play(move)
        self.messages.clear()
        self.add_message(side, f"played {move}")
        return True


def _format_prompt(side: str, entry: TypedMove) -> str:
    if not entry.partial.touched:
        return f"{side}, {entry.prompt}"
    places = ", ".join(entry.next_places)
    shown = (
        places
        if len(places) <= MAX_PLACES_WIDTH
        else f"{places[:MAX_PLACES_WIDTH].rpartition(',')[0]}, …"
    )
    return f"{'-'.join(entry.chosen_places)} {entry.prompt} ({shown})"
