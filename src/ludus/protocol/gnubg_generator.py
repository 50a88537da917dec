"""Generate backgammon examples whose moves are scored by GNU Backgammon."""

from collections.abc import Hashable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import ClassVar, Literal

from ludus._native import gammon
from ludus.core.errors import BadSpec, quote
from ludus.core.files import read_text
from ludus.core.spec import apply_options, parse_options, parse_spec
from ludus.datasets.backgammon.scored_positions import (
    ScoredPosition,
    choose_scored_moves,
    classify_theme,
    parse_scored_positions,
    sample_played_position,
    sample_position,
)
from ludus.datasets.generator import DatasetGenerator, GenerationPlan
from ludus.games.backgammon import Position, make_view
from ludus.games.backgammon.batch import generate_afterstates
from ludus.protocol.gnubg import GNUBG_PROGRAM, GnubgOptions, rank_moves
from ludus.protocol.processes import find_program

FULL_DEPTH_MARGIN = 0.2
"""Maximum 0-ply loss, in points per game, of moves that are evaluated to the full depth; a larger
one is a blunder at any depth."""


@dataclass(frozen=True, slots=True)
class GnubgGeneratorOptions:
    """Options of the generator beyond those of the plan."""

    without: str = ""
    """A dataset file whose positions are excluded, so that a test set is disjoint from it."""

    selection: Literal["themes", "play"] = "themes"
    """Positions in fixed proportions of themes, or as they occur in games."""


class GnubgGenerator(DatasetGenerator):
    """Generates a position per number, cycling through the themes; none if moves hardly differ."""

    title: ClassVar[str] = "positions by theme with an expert's scores for some of their moves"
    teacher: ClassVar[str] = "gnubg:plies=2"
    opponents: ClassVar[tuple[str, ...]] = ("tool",)
    options: ClassVar[GnubgGeneratorOptions] = GnubgGeneratorOptions()

    def check(self, plan: GenerationPlan) -> None:
        parsed = parse_spec(plan.game)
        if parsed.flags or parsed.options or plan.rules:
            raise BadSpec("the expert knows backgammon's standard rules alone")
        if set(plan.opponents) - {"tool", plan.teacher}:
            raise BadSpec("positions come from games of tool; other opponents are not used")
        _parse_teacher(plan.teacher)
        find_program(GNUBG_PROGRAM, GNUBG_PROGRAM)
        _read_excluded_positions(_parse_plan_options(plan).without)

    def lines(self, plan: GenerationPlan, number: int) -> list[str]:
        options = _parse_plan_options(plan)
        sample = sample_position if options.selection == "themes" else sample_played_position
        sampled = sample(number, plan.seed)
        scored = score_position(sampled.position, _parse_teacher(plan.teacher), sampled.theme)
        if scored is None or self.key(str(scored)) in _read_excluded_positions(options.without):
            return []
        return [str(scored)]

    def key(self, line: str) -> Hashable:
        """Return position and roll, which identify an example."""
        return tuple(line.split()[:2])


def score_position(
    position: Position,
    teacher: GnubgOptions = GnubgOptions(plies=2),  # noqa: B008 - frozen
    theme: str = "",
) -> ScoredPosition | None:
    """Return the position with the expert's scores of some moves; None if they hardly differ.

    Side 0 must be the mover.
    """
    (ranked,) = rank_moves([position], teacher.plies, teacher.seconds, FULL_DEPTH_MARGIN)
    best = max(each.equity for each in ranked.values())
    losses = {move: best - each.equity for move, each in ranked.items()}
    legal = position.legal_moves()
    liked = gammon.tool_scores(generate_afterstates(position))
    tempting = [legal[number] for number in (-liked).argsort(kind="stable")]
    scores = choose_scored_moves(losses, tempting)
    theme = theme or classify_theme(make_view(position.board, position.turn))
    return ScoredPosition(position, theme, scores) if scores else None


def _parse_teacher(spec: str) -> GnubgOptions:
    parsed = parse_spec(spec)
    if parsed.name != GNUBG_PROGRAM or parsed.flags:
        raise BadSpec(f"{quote(spec)} cannot be the expert; gnubg:plies=2 can")
    return apply_options(GnubgOptions(), parsed.options, GNUBG_PROGRAM)


def _parse_plan_options(plan: GenerationPlan) -> GnubgGeneratorOptions:
    _, options = parse_options(plan.options)
    return apply_options(GnubgGeneratorOptions(), options, "the expert")


@lru_cache(maxsize=4)
def _read_excluded_positions(file: str) -> frozenset[Hashable]:
    """Return the keys of the positions in a dataset file; empty without a file name."""
    if not file:
        return frozenset()
    positions = parse_scored_positions(read_text(Path(file)))
    return frozenset(tuple(str(position).split()[:2]) for position in positions)
