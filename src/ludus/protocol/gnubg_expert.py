"""GNU Backgammon as the expert: positions drawn by theme, some of their moves scored."""

from collections.abc import Hashable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, ClassVar

from ludus._native import gammon
from ludus.core.errors import BadSpec, LudusError, quoted
from ludus.core.spec import parse_options, parse_spec, with_options
from ludus.datasets.backgammon.drawing import Drawn, draw
from ludus.datasets.backgammon.expert import comments
from ludus.datasets.backgammon.lines import Lesson, read_lessons
from ludus.datasets.generators import Generator
from ludus.datasets.plan import Plan
from ludus.players.tool.rows import ends
from ludus.protocol.gnubg import Options as Gnubg
from ludus.protocol.gnubg import rank
from ludus.protocol.gnubg_process import NAME
from ludus.protocol.programs import find_program

WITHIN = 0.2
"""Points a game by which a move may lie behind and still be looked at with all plies; what lies
further behind is a blunder at any depth."""


@dataclass(frozen=True, slots=True)
class Options:
    """What else decides about the positions."""

    without: str = ""
    """A data base whose positions must not come up again, so that a test set is one."""


class ExpertGenerator(Generator):
    """Every number gives one position of the theme whose turn it is, or none if little matters."""

    title: ClassVar[str] = "positions by theme with an expert's scores for some of their moves"
    teacher: ClassVar[str] = "gnubg:plies=2"
    opponents: ClassVar[tuple[str, ...]] = ("tool",)
    options: ClassVar[Options] = Options()

    def check(self, plan: Plan) -> None:
        parsed = parse_spec(plan.game)
        if parsed.words or parsed.options or plan.rules:
            raise BadSpec("the expert knows backgammon's standard rules alone")
        if set(plan.opponents) - {"tool", plan.teacher}:
            raise BadSpec("positions come from games of tool; other opponents are not used")
        _teacher(plan.teacher)
        find_program(NAME, NAME)
        _known(_options(plan).without)

    def lines(self, plan: Plan, number: int) -> list[str]:
        drawn = draw(number, plan.seed)
        lesson = Lesson(drawn.position, drawn.theme, scored(drawn, _teacher(plan.teacher)))
        if not lesson.scores:
            return []
        line = str(lesson)
        return [] if self.key(line) in _known(_options(plan).without) else [line]

    def key(self, line: str) -> Hashable:
        """Position and roll."""
        return tuple(line.split()[:2])


def scored(drawn: Drawn, teacher: Gnubg) -> dict[Any, int]:
    """What the expert says about the moves of a position."""
    (ranked,) = rank([drawn.position], teacher.plies, teacher.seconds, WITHIN)
    best = max(judged.equity for judged in ranked.values())
    losses = {move: best - judged.equity for move, judged in ranked.items()}
    legal = drawn.position.legal_moves()
    liked = gammon.tool_scores(ends(drawn.position))
    tempting = [legal[number] for number in (-liked).argsort(kind="stable")]
    return comments(losses, tempting)


def _teacher(spec: str) -> Gnubg:
    parsed = parse_spec(spec)
    if parsed.name != NAME or parsed.words:
        raise BadSpec(f"{quoted(spec)} cannot be the expert; gnubg:plies=2 can")
    return with_options(Gnubg(), parsed.options, NAME)


def _options(plan: Plan) -> Options:
    _, options = parse_options(plan.options)
    return with_options(Options(), options, "the expert")


@lru_cache(maxsize=4)
def _known(file: str) -> frozenset[Hashable]:
    """The positions of a data base; none without a name."""
    if not file:
        return frozenset()
    try:
        text = Path(file).read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        raise LudusError(f"cannot read {quoted(file, 200)}: {error}") from error
    return frozenset(tuple(str(lesson).split()[:2]) for lesson in read_lessons(text))
