"""The player `migo`: plays by a learned program and shows the rule behind each move."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Literal

from ludus.core.game import AnyGame, Move, PlaceRow, Position
from ludus.core.marks import Note, Picture
from ludus.core.player import Choice, Limit, Player
from ludus.learn.migo.explain import Explainer, explain_predicate
from ludus.learn.migo.games import format_game_spec
from ludus.learn.migo.inference import Strategy, make_reasoner
from ludus.learn.migo.program import load_program, load_shipped_program

MAX_PICTURE_LINES = 4
"""Maximum number of lines of play in the text of a picture."""

GOOD_COLOUR, BAD_COLOUR = 2, 3


def make_rule_pictures(strategy: Strategy, game: AnyGame, position: Position) -> list[Picture]:
    """Return pictures of the applied rule and of the moves that lose by a known rule, if any."""
    explainer = Explainer(strategy)
    explained = explainer.explain(position)
    rule = explained.rule
    if rule is None:
        return _make_refusal_pictures(explainer, game, position, explained.lines)
    is_win = rule.startswith("win")
    move = game.parse_move(explained.move, position)
    rows = _find_rows(explainer, game, position, move, is_win)
    text = "It keeps the other side from completing the row that is drawn." if rows else ""
    if is_win:
        text = _format_lines_of_play("The win goes on:", explained.lines)
    at_work = Picture(
        f"Its rule for {'winning' if is_win else 'not losing'}",
        text=text,
        notes=(Note(game.steps(move), "1", colour=GOOD_COLOUR),),
        lines=rows,
    )
    refusals = [] if is_win else _make_refusal_pictures(explainer, game, position, explained.lines)
    return [at_work, *refusals]


def _make_refusal_pictures(
    explainer: Explainer, game: AnyGame, position: Position, lines_of_play: tuple[str, ...]
) -> list[Picture]:
    """Return a picture of the moves after which a rule wins for the other side, if any."""
    refuted = explainer.refuted_moves(position)
    if not refuted:
        return []
    notes = tuple(Note(game.steps(each), "✗", colour=BAD_COLOUR) for each in refuted)
    return [
        Picture(
            "Moves it refused",
            text=_format_lines_of_play("Lost moves:", lines_of_play),
            notes=notes,
        )
    ]


def _format_lines_of_play(beginning: str, lines_of_play: tuple[str, ...]) -> str:
    if not lines_of_play:
        return ""
    shown = "; ".join(line.strip() for line in lines_of_play[:MAX_PICTURE_LINES])
    return f"{beginning} {shown}{'; …' if len(lines_of_play) > MAX_PICTURE_LINES else '.'}"


def _find_rows(
    explainer: Explainer, game: AnyGame, position: Position, move: Move, is_win: bool
) -> tuple[PlaceRow, ...]:
    """Return the rows that end the win, for all replies, or those that the move blocks."""
    if not is_win:
        return game.blocked_rows(position, move)
    ends = explainer.iterate_won_states(position.play(move))
    found = (row for end in ends for row in game.completed_rows(end, position.mover))
    return tuple(dict.fromkeys(found))


@dataclass(frozen=True, slots=True)
class MigoPlayerOptions:
    """The program that the player uses."""

    mode: Literal["faithful", "improved"] = "improved"
    """Shipped program: learned as published, or with every improvement."""

    program: str = ""
    """File written by `ludus train migo`, instead of a shipped program."""


class MigoPlayer(Player):
    """Plays the first move that its rules give: a win if one is known, else a draw."""

    title: ClassVar[str] = "plays by rules it has learned and can explain (MIGO)"
    options: ClassVar[MigoPlayerOptions] = MigoPlayerOptions()
    games: ClassVar[frozenset[str] | None] = frozenset({"noughts_and_crosses", "hexapawn"})

    def __init__(self, game: AnyGame, settings: Any = None, spec: str = "") -> None:
        super().__init__(game, settings, spec)
        settings = self.settings
        if settings.program:
            saved = load_program(Path(settings.program))
        else:
            saved = load_shipped_program(format_game_spec(game), settings.mode)
        self.strategy = Strategy(make_reasoner(game, saved.program), saved.program)

    def choose(self, position: Position, limit: Limit = Limit()) -> Choice:  # noqa: B008 - frozen
        graph = self.strategy.reasoner.graph
        state_id = graph.state_id(position)
        decision = self.strategy.decide(state_id)
        legal = position.legal_moves()
        if decision.rule is None:
            return Choice(self.random.choice(legal), "no rule gives a move here")
        move = legal[graph.moves(state_id).index(decision.state_ids[0])]
        return Choice(move, explain_predicate(self.strategy.program, decision.rule))

    def pictures(self, position: Position) -> list[Picture]:
        """Return pictures of the rule that gave the move, and of its reasons."""
        return make_rule_pictures(self.strategy, self.game, position)
