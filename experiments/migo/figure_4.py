"""Figure 4: the rules that are learned.

Names of invented predicates differ from run to run, and there are many ways to say the same. So
rules are unfolded, down to conditions on the board a move leads to, and two rules are the same if
they hold for the same moves on every board that the learner can meet.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

from ludus.games import game as named_game
from ludus.reproduce import Context, Finding, Measurement, PublishedRow, Remark, Table

from .runs import add_preset, collect_runs, make_program

Meaning = frozenset[Any]
"""The conditions of a rule: a fluent, or `not` with the meaning of the rule that must fail."""


def run(context: Context) -> Iterator[Finding]:
    programs: dict[str, list[list[str]]] = {}
    for row in context.published.rows:
        name = name_program(row)
        if name not in programs:
            runs = int(context.setting("runs"))
            found = collect_runs(context, row.extra, runs, name)
            programs[name] = [each.learned for each in found]
        hits = sum(has_rule(row, program) for program in programs[name])
        yield Measurement.proportion(row.name, hits, len(programs[name]))
    for name, learned in programs.items():
        program, count = Counter(map(tuple, learned)).most_common(1)[0]
        yield Table(
            f"A program of {name}",
            ("rule",),
            [[clause] for clause in program],
            f"The most frequent one, word for word, of {count} in {len(learned)} runs.",
        )
    complete = {name: _count_complete(context, name, learned) for name, learned in programs.items()}
    counts = "; ".join(
        f"{name} in {count} of {len(programs[name])}" for name, count in complete.items()
    )
    yield Remark(f"All rules of Figure 4 were found by the end of a run: {counts}.")


def has_rule(row: PublishedRow, program: Sequence[str]) -> bool:
    """Whether a predicate of the program holds for the same moves as the published one."""
    predicate = row["predicate"]
    learned = unfold_clauses(program).get(predicate)
    if learned is None:
        return False
    published = unfold_clauses(row["rules"])[predicate]
    game = name_game(row)
    return list_rule_moves(game, frozenset(learned)) == list_rule_moves(game, frozenset(published))


def name_game(row: PublishedRow) -> str:
    """The spec of a row's game, with its preset of rules."""
    return add_preset(row["game"], row.extra.get("preset", ""))


def name_program(row: PublishedRow) -> str:
    """What rows that share their runs have in common."""
    return f"{name_game(row)} {row['learner']}"


@cache
def list_rule_moves(game: str, rules: frozenset[Meaning]) -> frozenset[Any]:
    """The moves for which one of the rules holds, on all boards the learner can meet."""
    return frozenset(
        pair for pair in list_learner_moves(game) if any(is_rule_met(r, *pair) for r in rules)
    )


@cache
def list_learner_moves(game: str) -> list[tuple[Any, Any]]:
    """Every move of the learner: the board before it and the board after it."""
    boards = named_game(game).training_starts()
    learner, seen = boards[0].mover, set(boards)
    pairs = []
    for board in boards:  # which grows on the way
        for after in map(board.play, board.legal_moves()):
            if board.mover == learner:
                pairs.append((board, after))
            if after not in seen:
                seen.add(after)
                boards.append(after)
    return pairs


@cache
def is_rule_met(rule: Meaning, before: Any, after: Any) -> bool:
    """Whether a move meets all conditions of a rule."""
    return all(_is_met(condition, before, after) for condition in rule)


def _is_met(condition: Any, before: Any, after: Any) -> bool:
    if condition == "move":
        return bool(after.legal_moves())
    if isinstance(condition, str):
        outcome = after.outcome()
        wanted = before.mover if condition == "won" else None
        return outcome is not None and outcome.winner == wanted
    _, rules = condition
    replies = map(after.play, after.legal_moves())
    return not any(is_rule_met(rule, after, reply) for reply in replies for rule in rules)


def unfold_clauses(program: Sequence[str]) -> dict[str, list[Meaning]]:
    """Predicate to the meaning of each of its clauses, unfolded down to moves and fluents."""
    found: dict[str, list[Meaning]] = {}
    for clause in make_program(program).clauses:
        head, first, second = clause.head, clause.first, clause.second
        is_negated = clause.metarule != "postcond"
        condition: Any = ("not", frozenset(found[second])) if is_negated else second
        conditions = {condition, "move"} if clause.metarule == "forcing" else {condition}
        before = [frozenset[Any]()] if first == "move" else found[first]
        found.setdefault(head, []).extend(each | conditions for each in before)
    return found


def _count_complete(context: Context, name: str, learned: Sequence[list[str]]) -> int:
    rows = [row for row in context.published.rows if name_program(row) == name]
    return sum(all(has_rule(row, program) for row in rows) for program in learned)
