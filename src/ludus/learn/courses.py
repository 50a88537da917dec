"""Courses: a learner's whole run of lessons, many of them side by side in processes."""

from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from typing import Any

from ludus.core.errors import BadSpec, quoted
from ludus.games import game as named_game
from ludus.learn import learner as named_learner
from ludus.learn.lessons import Learner, Opponent, take_lessons
from ludus.learn.starts import Draw, start_boards


@dataclass(frozen=True, slots=True)
class Course:
    """What a learner learns, from nothing or from what an earlier course has left."""

    learner: str
    """Its spec."""

    game: str
    """The spec of the game."""

    games: int
    seed: int
    draw: Draw = "uniform"
    """How start boards are drawn."""

    after: "Course | None" = None
    """A course in another game whose program is taken along."""


@dataclass(frozen=True, slots=True)
class Marks:
    """How a course went."""

    regret: list[int]
    """Of each game."""

    seconds: list[float]
    """Processor time of each game."""

    learned: list[str]
    """The rules that were learned, where the learner has rules."""


def take_course(course: Course) -> Marks:
    """Give a learner all its lessons."""
    return _taken(course)[1]


def take_courses(courses: Sequence[Course], jobs: int) -> Iterator[Marks]:
    """The marks of many courses, in their order; so many are taken at a time."""
    if jobs == 1 or len(courses) == 1:
        yield from map(take_course, courses)
        return
    # A fresh interpreter for each process: torch does not survive a fork.
    with ProcessPoolExecutor(min(jobs, len(courses)), get_context("spawn")) as pool:
        yield from pool.map(take_course, courses)


def _taken(course: Course) -> tuple[Learner, Marks]:
    game = named_game(course.game)
    learner: Any = named_learner(course.learner, game)
    if course.after is not None:
        earlier: Any = _taken(course.after)[0]
        if not hasattr(learner, "pupil"):
            raise BadSpec(f"{quoted(course.learner)} cannot use what was learned elsewhere")
        learner.pupil.transfer(earlier.program)
    lessons = take_lessons(
        learner, start_boards(game), Opponent(game), course.games, course.seed, course.draw
    )
    regret, seconds = [], []
    for lesson in lessons:
        regret.append(lesson.played.regret)
        seconds.append(lesson.seconds)
    rules = (
        [str(clause) for clause in learner.program.clauses] if hasattr(learner, "program") else []
    )
    return learner, Marks(regret, seconds, rules)
