"""The authors' own program beside ours: same boards, same games, programs compared by clause.

Ours plays the games; the authors' MIGO and Metagol, run by SWI-Prolog, label the moves of each game
and learn again after it (`metagol.pl`). Their program has no licence and is not part of this
repository: LUDUS_MIGO_PROGRAM names the folder of a copy of github.com/migo19/MIGO.
"""

import os
import shutil
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from ludus import LudusError
from ludus.games import game as named_game
from ludus.learn import PerfectOpponent
from ludus.learn import learner as named_learner
from ludus.reproduce import Conclusion, Context, Finding, Measurement, Table

from .runs import add_preset, list_authors_boards

VARIABLE = "LUDUS_MIGO_PROGRAM"
DRIVER = Path(__file__).with_suffix(".pl")
PARTS = {
    "moves": "moves that the strategy before a game chooses or leaves open",
    "examples": "examples after a game",
    "clauses": "clauses of the programs",
}
LETTERS = {
    "noughts_and_crosses": {"X": "o", "O": "x", ".": "e"},
    "hexapawn": {"W": "w", "B": "b", ".": "e"},
}
"""Our letters of men to the authors', whose learner has noughts and begins."""

Program = dict[str, list[str]]
"""Predicate to its clauses in order, each with the words of its body."""


def run(context: Context) -> Iterator[Finding]:
    find_program()
    differing: list[list[Any]] = []
    totals = dict.fromkeys(PARTS, (0, 0))
    for row in context.published.settings["cases"]:
        name, runs = row["name"], int(context.setting(row["runs"]))
        counts = dict.fromkeys(PARTS, (0, 0))
        for number in range(runs):
            context.progress(number, runs, name)

            def compute(row: Any = row, number: int = number) -> dict[str, Any]:
                return compare_run(row, context.seed + number)

            found = context.cached(f"{row} run {number}", compute)
            for part in PARTS:
                same, of = found[part]
                counts[part] = counts[part][0] + same, counts[part][1] + of
            differing += [[name, number, *each] for each in found["differing"]]
        for part, text in PARTS.items():
            same, of = counts[part]
            yield Measurement.proportion(f"{name}: {text}", same, of)
            totals[part] = totals[part][0] + same, totals[part][1] + of
    for part, text in PARTS.items():
        same, of = totals[part]
        yield Conclusion(f"the same {text}", same == of, f"{same} of {of}")
    headings = ("game", "run", "after game", "only in theirs", "only in ours")
    yield Table("The first difference of each run that has one", headings, differing)


def compare_run(row: Mapping[str, Any], number: int) -> dict[str, Any]:
    """Play a run, let the authors' program learn from its games, and count what is the same."""
    ours = play_run(row, number)
    theirs = learn_by_metagol(row, [each["game"] for each in ours])
    counts = {part: [0, 0] for part in PARTS}
    differing: list[list[Any]] = []
    for game, (own, other) in enumerate(zip(ours, theirs, strict=True), 1):
        _count(counts["moves"], own["moves"], other["moves"])
        counts["examples"][0] += own["examples"] == other["examples"]
        counts["examples"][1] += 1
        lines = [list_clauses(each["program"]) for each in (own, other)]
        _count(counts["clauses"], *lines)
        if lines[0] != lines[1] and not differing:
            only = [
                [each for each in first if each not in second]
                for first, second in (lines[::-1], lines)
            ]
            differing.append([game, *("; ".join(each) for each in only)])
    return {**counts, "differing": differing}


def _count(counts: list[int], ours: Sequence[Any], theirs: Sequence[Any]) -> None:
    counts[0] += sum(own == other for own, other in zip(ours, theirs, strict=False))
    counts[1] += max(len(ours), len(theirs))


def list_clauses(program: Program) -> list[str]:
    """The clauses by predicate; the authors' program lists the general ones last."""
    return [f"{head} :- {body}" for head in sorted(program) for body in program[head]]


def play_run(row: Mapping[str, Any], number: int) -> list[dict[str, Any]]:
    """What our learner chose, the game, its examples and its program, game by game."""
    game = named_game(add_preset(row["game"], row.get("preset", "")))
    learner: Any = named_learner(row["learner"], game)
    learner.reset_seed(number)
    opponent = PerfectOpponent(game)
    boards = list_authors_boards(row["game"], number) if "authors" in row else ()
    starts = [game.parse(text) for text in boards]
    letters = LETTERS[game.id]

    def translate(position: Any) -> str:
        return "".join(letters[cell] for cell in position.cells)

    found = []
    for index in range(row["games_a_run"]):
        strategy, graph = learner.strategy_learner.strategy, learner.strategy_learner.reasoner.graph
        start = (
            starts[index % len(starts)] if starts else learner.random.choice(game.training_starts())
        )
        played = learner.train_episode(start, opponent)
        moves = []
        for position in played.positions[:-1:2]:
            decision = strategy.decide(graph.state_id(position))
            chosen = graph.states[decision.state_ids[0]]
            moves.append("none" if decision.rule is None else translate(chosen))
        marks = list(dict.fromkeys(letters.values()))
        outcome = "d" if played.score == 0 else marks[played.score < 0]
        found.append(
            {
                "moves": moves,
                "game": [[translate(each) for each in played.positions], outcome],
                "examples": _list_examples(learner, letters),
                "program": _read_rules(learner.list_rules()),
            }
        )
    return found


def _list_examples(learner: Any, letters: Mapping[str, str]) -> dict[str, list[str]]:
    state = learner.state().facts["strategy"]
    boards = [
        "".join(letters.get(each, "") for each in text.split()[0]) for text in state["states"]
    ]
    return {
        f"{kind}_{level}": [f"{boards[before]}>{boards[after]}" for before, after in moves]
        for kind, level, moves in state["examples"][1]
        if moves
    }


def _read_rules(rules: Sequence[str]) -> Program:
    """Read clauses such as `a(A,B) :- b(A,B), not(c(B,_)).`"""
    found: Program = {}
    for rule in rules:
        head, body = rule.replace("not(", "not ").split(" :- ")
        words = [each.split("(")[0] for each in body.split("), ")]
        found.setdefault(head.split("(")[0], []).append(" ".join(words))
    return found


def find_program() -> tuple[str, Path]:
    """SWI-Prolog, and the folder of the authors' program."""
    folder, prolog = Path(os.environ.get(VARIABLE, "")).resolve(), shutil.which("swipl")
    if not (folder / "MIGO" / "metagol.pl").is_file():
        raise LudusError(f"{VARIABLE} must name a copy of github.com/migo19/MIGO")
    if prolog is None:
        raise LudusError("the authors' program needs SWI-Prolog (Debian's swi-prolog-nox)")
    return prolog, folder


def learn_by_metagol(
    row: Mapping[str, Any], games: Sequence[tuple[Sequence[str], str]]
) -> list[dict[str, Any]]:
    """What the authors' program makes of these games, game by game."""
    prolog, folder = find_program()
    learner, opponent = list(dict.fromkeys(LETTERS[row["game"].partition(":")[0]].values()))[:2]
    learning = "separated" if "separated" in row["learner"] else "mixed"
    setup = f"{learner},{opponent},{row['depth']},{learning},{row['patience']}"
    goal = f"setup('{folder}','{row['rules']}',{setup}),run"
    terms = "".join(
        f"game([{','.join('[' + ','.join(board) + ']' for board in boards)}],{outcome}).\n"
        for boards, outcome in games
    )
    done = subprocess.run(
        [prolog, "-q", "-g", goal, "-t", "halt", str(DRIVER)],
        input=terms, capture_output=True, text=True, check=False,
    )  # fmt: skip
    found = [_read_answer(each) for each in done.stdout.split("end\n")[:-1]]
    if len(found) != len(games):
        raise LudusError(f"the authors' program stopped after {len(found)} games: {done.stderr}")
    return found


def _read_answer(text: str) -> dict[str, Any]:
    found: dict[str, Any] = {"moves": [], "examples": {}, "program": {}}
    for line in text.splitlines():
        kind, _, rest = line.partition(" ")
        name, _, words = rest.partition(" ")
        if kind == "move":
            found["moves"].append(rest)
        elif kind == "example":
            found["examples"][name] = words.split(" ")
        elif kind == "clause":
            found["program"].setdefault(name, []).append(words)
    return found
