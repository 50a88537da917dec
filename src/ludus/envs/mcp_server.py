"""A server of the Model Context Protocol, through which a language model plays and is judged.

Values and explanations are of the position as the model sees it, with the names it knows.
"""

import secrets
import threading
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import wraps
from importlib.metadata import version
from typing import Annotated, Any, Literal

from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ResourceNotFoundError, ToolError
from mcp_types import CallToolResult, TextContent, ToolAnnotations
from pydantic import Field

from ludus.analysis.reasons import explain_mistake, list_effects
from ludus.core.errors import BadMove, BadSpec, LudusError, quote
from ludus.core.game import AnyGame, Position
from ludus.core.player import check_decision
from ludus.core.spec import check_choice, parse_spec
from ludus.envs.text import TextEnv, analyse_position
from ludus.games import GAMES
from ludus.games import game as named_game
from ludus.games.presentation import Presentation, Variant
from ludus.players import PLAYERS

OPPONENTS = (
    *("random", "playouts", "newbie", "basic", "focused", "negascout", "perfect"),
    *("tool", "gammon", "scholar"),
)
"""Players that a client may name: none runs a program or opens a file that the client names."""

MAX_GAMES = 100
"""Games that are held; the oldest is given up for the next."""

MAX_SHOWN = 40
"""Moves in a table of values, the best ones; the structured result has all."""

MAX_SEED = 2**62

INSTRUCTIONS = """Play classic board games against players of known strength. Read the rules with \
read_rules, begin with start_game, and answer with play_move until the game is over; show_result \
then says what each of your moves gave away compared with perfect play."""

GameArgument = Annotated[
    str, Field(description="A game, optionally with a preset: hexapawn, nine_mens_morris:lasker.")
]
GameId = Annotated[str, Field(description="The id that start_game returned.")]
MoveArgument = Annotated[str, Field(description="One of the legal moves, as it is listed.")]

READS = ToolAnnotations(read_only_hint=True, open_world_hint=False)


@dataclass
class HeldGame:
    """A game of a client, and what became of its moves."""

    env: TextEnv
    opponent: str
    moves: list[dict[str, Any]] = field(default_factory=list)
    """Each move of the client, with its `loss` and `certainty`."""

    num_illegal: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)


class GameTable:
    """The games of all clients, and the tools by which they are played."""

    def __init__(self, has_hints: bool = True) -> None:
        self.has_hints = has_hints
        self._games: OrderedDict[str, HeldGame] = OrderedDict()
        self._lock = threading.Lock()

    def list_games(self) -> CallToolResult:
        """List the games with their presets, and the opponents of each."""
        found = [
            {
                "game": name,
                "title": kind.title,
                "presets": list(kind.presets),
                "opponents": [each for each in OPPONENTS if PLAYERS[each].can_play(kind)],
            }
            for name, kind in ((name, GAMES[name]) for name in GAMES)
        ]
        lines = [
            f"{each['game']}: {each['title']}; presets {', '.join(each['presets'])}; "
            f"opponents {', '.join(each['opponents'])}"
            for each in found
        ]
        return _make_result("\n".join(lines), {"games": found})

    def read_rules(self, game: GameArgument) -> CallToolResult:
        """Explain the rules of a game in sentences."""
        return _make_result(format_rules(load_game(game)))

    def start_game(
        self,
        game: GameArgument = "hexapawn",
        opponent: Annotated[
            str,
            Field(description="A player that list_games names, or with a level: negascout:level=3"),
        ] = "random",
        side: Literal["first", "second"] = "first",
        variant: Annotated[
            Variant,
            Field(description="plain, turned (board under a symmetry) or renamed (new names, too)"),
        ] = "plain",
        position: Annotated[
            str, Field(description="Where to begin instead of the start, as Ludus writes it.")
        ] = "",
        seed: Annotated[
            int | None, Field(ge=0, lt=MAX_SEED, description="The same seed gives the same game.")
        ] = None,
    ) -> CallToolResult:
        """Start a game against a player; returns its id, the rules, the board and legal moves."""
        chosen = load_game(game)
        _check_opponent(opponent)
        options: dict[str, Any] = {"side": 0 if side == "first" else 1}
        if position:
            options["position"] = chosen.parse(position)
        env = TextEnv(chosen, opponent, variant=variant, estimates=True)
        text, info = env.reset(seed=seed, options=options)
        held, game_id = HeldGame(env, opponent), secrets.token_hex(4)
        with self._lock:
            self._games[game_id] = held
            while len(self._games) > MAX_GAMES:
                self._games.popitem(last=False)
        return self._describe(game_id, held, f"Game {game_id}. {text}", info)

    def play_move(self, game_id: GameId, move: MoveArgument) -> CallToolResult:
        """Play a move; returns the opponent's answer and the new position, or how it ended."""
        held = self._find(game_id)
        with held.lock:
            env = held.env
            if env.is_over:
                raise ToolError("the game is over; start_game starts another one")
            try:
                env.presentation.parse_move(move, env.position)
            except BadMove as error:
                held.num_illegal += 1
                legal = env.presentation.describe_moves(env.position)
                raise ToolError(f"{error}. {legal}") from error
            text, _, _, _, info = env.step(f"<move>{move}</move>")
            held.moves.append({"move": move, "loss": info["loss"], "certainty": info["certainty"]})
            return self._describe(game_id, held, text, info)

    def list_legal_moves(self, game_id: GameId) -> CallToolResult:
        """List the legal moves of the position in which you are to move."""
        env = self._find(game_id).env
        if env.is_over:
            raise ToolError("the game is over")
        text = env.presentation.describe_moves(env.position)
        return _make_result(text, {"legal_moves": env.presentation.list_moves(env.position)})

    def evaluate_moves(
        self,
        game_id: Annotated[str, Field(description="A game of yours.")] = "",
        game: Annotated[str, Field(description="Or a game by its name, with a position.")] = "",
        position: Annotated[str, Field(description="A position as Ludus writes it.")] = "",
    ) -> CallToolResult:
        """Return the value of each legal move: exact where the game is solved, else estimated."""
        shown, place = self._find_position(game_id, game, position)
        check_decision(place)
        analysis = analyse_position(shown.game, place)
        found = analysis.to_json()
        for each in found["moves"]:
            each["move"] = shown.rename(each["move"])
            each["line"] = [shown.rename(move) for move in each["line"]]
        found["line"] = [shown.rename(move) for move in found["line"]]
        return _make_result(shown.rename(analysis.format(max_moves=MAX_SHOWN)), {**found})

    def explain_move(
        self,
        move: MoveArgument,
        game_id: Annotated[str, Field(description="A game of yours.")] = "",
        game: Annotated[str, Field(description="Or a game by its name, with a position.")] = "",
        position: Annotated[str, Field(description="A position as Ludus writes it.")] = "",
    ) -> CallToolResult:
        """Explain a legal move: what it does, its value, and why it is a mistake if it is one."""
        shown, place = self._find_position(game_id, game, position)
        check_decision(place)
        known = shown.parse_move(move, place)
        analysis = analyse_position(shown.game, place, known)
        played, effects = analysis.find(known), list_effects(shown.game, place, known)
        sentences = [f"{known}: {played.evaluation}."]
        if effects:
            sentences.append(f"It {' and '.join(each.text for each in effects)}.")
        cost = analysis.cost(known)
        if cost:
            sentences.append(explain_mistake(shown.game, place, analysis, played))
        else:
            sentences.append("No other move is better.")
        text = shown.rename(" ".join(sentences))
        return _make_result(text, {"move": shown.format_move(known), "cost": cost})

    def show_result(self, game_id: GameId) -> CallToolResult:
        """Return what each of your moves gave away, compared with perfect play, and the result.

        While a game goes on this is told only by servers that give hints.
        """
        held = self._find(game_id)
        if not self.has_hints and not held.env.is_over:
            raise ToolError("the result is shown when the game is over")
        rated = [each for each in held.moves if each["loss"] is not None]
        total = sum(each["loss"] for each in rated)
        mean = total / len(rated) if rated else None
        outcome = held.env.episode.outcome
        found = {
            "moves": held.moves,
            "total_loss": total,
            "mean_loss": mean,
            "exact": sum(each["certainty"] == "exact" for each in rated),
            "illegal": held.num_illegal,
            "outcome": None if outcome is None else outcome.score(held.env.side),
            "opponent": held.opponent,
        }
        lines = [
            f"{number}. {each['move']}: "
            + ("not known" if each["loss"] is None else f"{each['loss']:.3g} points given away")
            + ("" if each["certainty"] in ("exact", "") else f" ({each['certainty']})")
            for number, each in enumerate(held.moves, 1)
        ]
        if mean is not None:
            lines.append(f"Mean: {mean:.3g} points a move; illegal attempts: {held.num_illegal}.")
        if outcome is not None:
            lines.append(held.env.presentation.describe_outcome(outcome))
        return _make_result("\n".join(lines) or "no move has been played", found)

    def _describe(
        self, game_id: str, held: HeldGame, text: str, info: dict[str, Any]
    ) -> CallToolResult:
        env = held.env
        # The last line says how an answer of plain text ends; a tool has an argument for it.
        shown = "\n".join(line for line in text.splitlines() if "<move>" not in line)
        return _make_result(
            shown,
            {
                "game_id": game_id,
                "side": env.presentation.sides[info["side"]],
                "legal_moves": info["legal_moves"],
                "is_over": env.is_over,
                "outcome": info.get("outcome"),
            },
        )

    def _find(self, game_id: str) -> HeldGame:
        with self._lock:
            held = self._games.get(game_id)
        if held is None:
            raise ToolError(f"there is no game {quote(game_id)}; start_game returns the id of one")
        return held

    def _find_position(
        self, game_id: str, game: str, position: str
    ) -> tuple[Presentation, Position]:
        """Return the position of a game, or one that is given as text, and how it is shown."""
        if bool(game_id) == bool(game):
            raise ToolError("give either game_id, or game and position")
        if game_id:
            env = self._find(game_id).env
            return env.presentation, env.position
        chosen = load_game(game)
        return Presentation(chosen), chosen.parse(position) if position else chosen.start()


def _make_result(text: str, structured: dict[str, Any] | None = None) -> CallToolResult:
    return CallToolResult(
        content=[TextContent(type="text", text=text)], structured_content=structured
    )


def load_game(spec: str) -> AnyGame:
    """Return the game of a client's spec, which must not name a module."""
    check_choice("there is no game", parse_spec(spec).name, [*GAMES])
    return named_game(spec)


def _check_opponent(spec: str) -> None:
    """Raise BadSpec unless a client may name this player; only its level is an option."""
    parsed = parse_spec(spec)
    check_choice("there is no opponent", parsed.name, OPPONENTS)
    if parsed.flags or set(parsed.options) - {"level"}:
        raise BadSpec(f"{quote(spec)}: an opponent's only option is its level, negascout:level=3")


def format_rules(game: AnyGame) -> str:
    """Return the title and the rules of a game."""
    return f"{game.title}\n\n{Presentation(game).rules()}"


def _report_errors(tool: Callable[..., CallToolResult]) -> Callable[..., CallToolResult]:
    """Return a tool whose LudusErrors are messages to the model."""

    @wraps(tool)
    def call(*arguments: Any, **options: Any) -> CallToolResult:
        try:
            return tool(*arguments, **options)
        except LudusError as error:
            raise ToolError(str(error)) from error

    return call


def make_server(has_hints: bool = True) -> MCPServer[Any]:
    """Return the server; without hints no value is told before a game is over."""
    server: MCPServer[Any] = MCPServer(
        "ludus",
        title="Ludus",
        version=version("ludus-games"),
        instructions=INSTRUCTIONS,
        log_level="WARNING",
    )
    table = GameTable(has_hints)
    for read in (table.list_games, table.read_rules, table.list_legal_moves, table.show_result):
        server.add_tool(_report_errors(read), annotations=READS)
    for hint in (table.evaluate_moves, table.explain_move) if has_hints else ():
        server.add_tool(_report_errors(hint), annotations=READS)
    for act in (table.start_game, table.play_move):
        server.add_tool(_report_errors(act))
    for name in GAMES:
        for preset in GAMES[name].presets:
            _add_rules(server, f"{name}:{preset}")

    @server.resource("ludus://rules/{spec}", title="Rules of a game", mime_type="text/plain")
    def read_rules(spec: str) -> str:
        """Return the rules of a game with any preset and options."""
        try:
            return format_rules(load_game(spec))
        except LudusError as error:
            raise ResourceNotFoundError(str(error)) from error

    return server


def _add_rules(server: MCPServer[Any], spec: str) -> None:
    """Offer the rules of a preset as a resource."""
    title = f"Rules of {spec}"

    @server.resource(f"ludus://rules/{spec}", name=spec, title=title, mime_type="text/plain")
    def read_rules() -> str:
        return format_rules(named_game(spec))
