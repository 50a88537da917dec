"""A first step towards Morris: rules for won endings of three men against three.

The oracle gives a few winning moves for each distance to the end; from these alone rules are
learned, and then run on every position there is.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import accumulate
from random import Random
from typing import Any

from ludus.games import game as named_game
from ludus.games.nine_mens_morris import LOSS, WIN, PositionBatch, classify
from ludus.learn.migo import (
    WON_STATE,
    DependentLearner,
    EndingState,
    ExampleSet,
    KnownLevels,
    Reasoner,
    StateGraph,
    ThreeMenPrimitives,
    count_states,
    explain_program,
)
from ludus.oracles import oracle as find_oracle
from ludus.reproduce import Context, Figure, Finding, Measurement, Remark, Table


def run(context: Context) -> Iterator[Finding]:
    most = context.setting("levels")
    num_examples = context.setting("examples")
    found = context.cached("endings", lambda: measure(context, most, num_examples))
    claimed, right, won = found["claimed"], found["right"], found["won"]
    yield Measurement("positions", found["positions"], note="exact")
    yield Measurement("won positions", won, note="exact")
    yield Measurement("examples", found["examples"], note=f"{num_examples} a level")
    yield Measurement("rules", len(found["rules"]))
    for level in context.setting("shown"):
        yield Measurement(
            f"coverage of win_1 to win_{level}", 100 * right[level - 1] / won, unit="%"
        )
    total = claimed[-1]
    yield Measurement("coverage", 100 * right[-1] / won, count=won, unit="%")
    yield Measurement("precision", 100 * right[-1] / total, count=total, unit="%")
    yield Measurement("precision of moves", 100 * found["kept"] / found["moves"], unit="%")
    rows = [
        [f"win_{level}", claimed[level - 1], right[level - 1], 100 * right[level - 1] / won]
        for level in range(1, len(claimed) + 1)
    ]
    headings = ("rules up to", "positions claimed", "of these won", "share of all won positions, %")
    yield Table("Coverage by level", headings, rows)
    yield Table("The rules", ("rule",), [[rule] for rule in found["rules"]])
    yield Remark(found["english"])
    yield Figure("Coverage", draw_coverage, {"share": [row[3] for row in rows]})


def draw_coverage(axes: Any, data: Any) -> None:
    levels = range(1, len(data["share"]) + 1)
    axes.plot(levels, data["share"], marker="o")
    axes.set(xlabel="levels of rules", ylabel="won positions that the rules win, %", ylim=(0, 101))


def measure(context: Context, levels: int, num_examples: int) -> dict[str, Any]:
    """Learn, and run the rules on every position."""
    states = count_states()
    codes = look_up_codes(list(states), context)
    reasoner = Reasoner(StateGraph(ThreeMenPrimitives()))
    source = Random(context.seed_for("examples"))
    examples = ExampleSet()
    for level in range(1, levels + 1):
        for edge in sample_winning_moves(reasoner.graph, codes, level, num_examples, source):
            examples.add("win", level, edge)
    learned = DependentLearner(reasoner, levels + 1).learn(examples)
    program = learned.program
    concepts = reasoner.concepts(program)
    known = KnownLevels(reasoner, [concepts[name] for name in program.levels("win")])
    claims, rights, kept, moves = Counter[int](), Counter[int](), 0, 0
    for number, (state, positions) in enumerate(states.items()):
        if number % 1000 == 0:
            context.progress(number, len(states), "running the rules")
        board = reasoner.graph.state_id(state)
        won_in = known.win_level(board)
        if won_in is None:
            continue
        claims[won_in] += positions
        rights[won_in] += positions * is_won(codes[state])
        after = next(reasoner.solutions(known.wins[won_in - 1], board))
        moves += positions
        code = get_code_after(codes, reasoner.graph.states[after])
        kept += positions * bool(classify(code) == LOSS)  # of the opponent, who is to move
    return {
        "positions": sum(states.values()),
        "won": sum(states[state] for state, code in codes.items() if is_won(code)),
        "examples": len(examples.all_state_ids("win")),
        "claimed": list(accumulate(claims[level] for level in range(1, levels + 1))),
        "right": list(accumulate(rights[level] for level in range(1, levels + 1))),
        "moves": moves,
        "kept": kept,
        "rules": [str(clause) for clause in program.clauses],
        "english": " ".join(explain_program(program)[:3]),
    }


def look_up_codes(states: Sequence[EndingState], context: Context) -> dict[EndingState, int]:
    """Return the oracle's value code of each state."""
    oracle = find_oracle(named_game("nine_mens_morris"), context.oracle)
    codes = oracle.lookup(PositionBatch.from_columns(*zip(*states, strict=True)))  # type: ignore[attr-defined]
    return dict(zip(states, codes.tolist(), strict=True))


def sample_winning_moves(
    graph: StateGraph, codes: dict[EndingState, int], level: int, wanted: int, source: Random
) -> Iterator[tuple[int, int]]:
    """Sample fastest winning moves from positions won in this number of moves."""
    won = [state for state, code in codes.items() if code == 2 * level - 1]
    for state in source.sample(won, min(wanted, len(won))):
        board = graph.state_id(state)
        best = [
            after
            for after in dict.fromkeys(graph.moves(board))
            if get_code_after(codes, graph.states[after]) == 2 * level - 2
        ]
        yield board, source.choice(best)


def get_code_after(codes: dict[EndingState, int], state: EndingState) -> int:
    return 0 if state == WON_STATE else codes[state]


def is_won(code: int) -> bool:
    return bool(classify(code) == WIN)
