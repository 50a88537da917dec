"""Programs in plain English, in the words that Muggleton and Hocquette use for theirs."""

from collections.abc import Iterable, Iterator, Sequence

from ludus.learn.migo.program import MOVE, Clause, Program, level

ENDS = {"win": "won", "draw": "drawn"}


def explain_program(program: Program) -> list[str]:
    """A sentence for each level of winning and drawing."""
    return [explain_predicate(program, name) for name in program.strategy]


def explain_predicate(program: Program, name: str) -> str:
    """What `win_k` or `draw_k` says, all that it calls unfolded."""
    kind = name.partition("_")[0]
    ways = [_conditions(program, chain) for chain in _chains(program, name)]
    head = f"State A is {ENDS[kind]} at depth {level(name)}"
    return f"{head} if {', or if '.join(map(_move_with, ways))}."


def _move_with(conditions: Sequence[str]) -> str:
    that = " and such that ".join(conditions)
    who = "" if conditions == ("B is won",) else " of the current player"
    return f"there exists a move{who} from A to B such that {that}"


def _chains(program: Program, name: str) -> Iterator[tuple[Clause, ...]]:
    """The ways to prove a predicate, each as the clauses from `move` up to it."""
    if name == MOVE:
        yield ()
        return
    for clause in program[name]:
        for lower in _chains(program, clause.first):
            yield (*lower, clause)


def _conditions(program: Program, chain: Iterable[Clause]) -> tuple[str, ...]:
    """What a chain asks of board B, each thing once."""
    safe_from: list[int] = []
    others: list[str] = []
    for clause in chain:
        if clause.metarule != "postcond" and clause.second in program.levels("win"):
            safe_from.append(level(clause.second))
        else:
            others.append(_condition(program, clause))
    safety = [_not_won(safe_from)] if safe_from else []
    return tuple(dict.fromkeys((*safety, *others)))


def _condition(program: Program, clause: Clause) -> str:
    if clause.metarule == "postcond":
        return f"B is {clause.second}"
    prevented = _wins_prevented(program, clause.second)
    if prevented:
        cannot = f"make a move from B to C to prevent the current player from {_winning(prevented)}"
    elif clause.second == MOVE:
        cannot = "move"
    elif _ends_drawn(program, clause.second):
        cannot = "end the game in a draw with the next move"
    else:
        cannot = f"make a move from B to C that is a {clause.second}"
    if clause.metarule == "forcing":
        return f"the opponent has to move from B but cannot {cannot}"
    return f"the opponent cannot {cannot}"


def _wins_prevented(program: Program, name: str) -> list[int]:
    """The levels k if a predicate says no more than that win_k is not possible after the move."""
    chains = list(_chains(program, name))
    wins = program.levels("win")
    if len(chains) != 1 or not chains[0]:
        return []
    is_safety = all(clause.metarule == "negation" and clause.second in wins for clause in chains[0])
    return [level(clause.second) for clause in chains[0]] if is_safety else []


def _ends_drawn(program: Program, name: str) -> bool:
    return all(
        any(clause.metarule == "postcond" and clause.second == "drawn" for clause in chain)
        for chain in _chains(program, name)
    )


def _not_won(levels: Sequence[int]) -> str:
    if set(levels) == {1}:
        return "B is not immediately won for the opponent"
    return f"B is not won for the opponent in {_numbers(levels)} moves"


def _winning(levels: Sequence[int]) -> str:
    if set(levels) == {1}:
        return "immediately winning"
    return f"winning in {_numbers(levels)} moves"


def _numbers(levels: Iterable[int]) -> str:
    *most, last = map(str, sorted(set(levels)))
    return f"{', '.join(most)} or {last}" if most else last
