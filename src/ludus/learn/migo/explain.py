"""Explain programs and moves in English, and draw the call diagram of a program.

The sentences follow those of Muggleton and Hocquette 2019.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from ludus.core.game import Move, Position
from ludus.learn.migo.games import State
from ludus.learn.migo.inference import KnownLevels, Strategy
from ludus.learn.migo.program import FLUENTS, MOVE_PREDICATE, Clause, Program, parse_level
from ludus.render.canvas import Canvas, Point

RESULT_WORDS = {"win": "won", "draw": "drawn"}


def explain_program(program: Program) -> list[str]:
    """Return a sentence for each level of winning and drawing."""
    return [explain_predicate(program, name) for name in program.strategy]


def explain_predicate(program: Program, name: str) -> str:
    """Return the meaning of `win_k` or `draw_k`, with all calls unfolded."""
    kind = name.partition("_")[0]
    ways = [_describe_conditions(program, chain) for chain in _iterate_proofs(program, name)]
    head = f"State A is {RESULT_WORDS[kind]} at depth {parse_level(name)}"
    return f"{head} if {', or if '.join(map(_describe_move, ways))}."


def _describe_move(conditions: Sequence[str]) -> str:
    that = " and such that ".join(conditions)
    who = "" if conditions == ("B is won",) else " of the current player"
    return f"there exists a move{who} from A to B such that {that}"


def _iterate_proofs(program: Program, name: str) -> Iterator[tuple[Clause, ...]]:
    """Yield the ways to prove a predicate, each as the clauses from `move` up to it."""
    if name == MOVE_PREDICATE:
        yield ()
        return
    for clause in program[name]:
        for lower in _iterate_proofs(program, clause.first):
            yield (*lower, clause)


def _describe_conditions(program: Program, chain: Iterable[Clause]) -> tuple[str, ...]:
    """Return the conditions of a chain of clauses on board B, without repeats."""
    safe_from: list[int] = []
    others: list[str] = []
    for clause in chain:
        if clause.metarule != "postcond" and clause.second in program.levels("win"):
            safe_from.append(parse_level(clause.second))
        else:
            others.append(_describe_condition(program, clause))
    safety = [_describe_safety(safe_from)] if safe_from else []
    return tuple(dict.fromkeys((*safety, *others)))


def _describe_condition(program: Program, clause: Clause) -> str:
    if clause.metarule == "postcond":
        return f"B is {clause.second}"
    prevented = _find_prevented_wins(program, clause.second)
    if prevented:
        winning = _describe_winning(prevented)
        cannot = f"make a move from B to C to prevent the current player from {winning}"
    elif clause.second == MOVE_PREDICATE:
        cannot = "move"
    elif _is_drawing(program, clause.second):
        cannot = "end the game in a draw with the next move"
    else:
        cannot = f"make a move from B to C that is a {clause.second}"
    if clause.metarule == "forcing":
        return f"the opponent has to move from B but cannot {cannot}"
    return f"the opponent cannot {cannot}"


def _find_prevented_wins(program: Program, name: str) -> list[int]:
    """Return the levels k if a predicate only excludes win_k after the move; else an empty list."""
    chains = list(_iterate_proofs(program, name))
    wins = program.levels("win")
    if len(chains) != 1 or not chains[0]:
        return []
    is_safety = all(clause.metarule == "negation" and clause.second in wins for clause in chains[0])
    return [parse_level(clause.second) for clause in chains[0]] if is_safety else []


def _is_drawing(program: Program, name: str) -> bool:
    return all(
        any(clause.metarule == "postcond" and clause.second == "drawn" for clause in chain)
        for chain in _iterate_proofs(program, name)
    )


def _describe_safety(levels: Sequence[int]) -> str:
    if set(levels) == {1}:
        return "B is not immediately won for the opponent"
    return f"B is not won for the opponent in {_format_levels(levels)} moves"


def _describe_winning(levels: Sequence[int]) -> str:
    if set(levels) == {1}:
        return "immediately winning"
    return f"winning in {_format_levels(levels)} moves"


def _format_levels(levels: Iterable[int]) -> str:
    *most, last = map(str, sorted(set(levels)))
    return f"{', '.join(most)} or {last}" if most else last


MAX_EXPLANATION_LINES = 60

NO_RULE_SENTENCE = "No rule gives a move here, so any move will do."


@dataclass(frozen=True, slots=True)
class Explanation:
    """A move and the reason for it."""

    move: str
    rule: str | None
    """The predicate that holds, for example `win_2`; None if no rule gave the move."""

    sentence: str
    """The meaning of the rule."""

    lines: tuple[str, ...]
    """For a win every reply with its answer, indented by depth; else the rejected moves, each with
    the reply that refutes it.
    """


class Explainer:
    """Explains the moves of a strategy."""

    def __init__(self, strategy: Strategy) -> None:
        self.strategy = strategy
        self.graph = strategy.reasoner.graph
        wins = [strategy.concepts[name] for name in strategy.program.levels("win")]
        self._known = KnownLevels(strategy.reasoner, wins)

    def explain(self, state: State) -> Explanation:
        """Explain the first move of the program in a state that is not over."""
        state_id = self.graph.state_id(state)
        decision = self.strategy.decide(state_id)
        after = decision.state_ids[0]
        rule, sentence = decision.rule, NO_RULE_SENTENCE
        lines = self._list_refuted_moves(state_id, decision.state_ids)
        if rule is not None:
            sentence = explain_predicate(self.strategy.program, rule)
            if rule.startswith("win"):
                lines = self._list_replies(after)
        return Explanation(
            self.graph.format_move(state_id, after), rule, sentence, _truncate(lines)
        )

    def iterate_won_states(self, state: State) -> Iterator[State]:
        """Yield every final state of the known win after a winning move to this state."""
        state_id = self.graph.state_id(state)
        if self.graph.won(state_id):
            yield state
        for reply in self.graph.moves(state_id):
            level = self._known.win_level(reply)
            if level is not None:
                answer = self._first_win(reply, level)
                yield from self.iterate_won_states(self.graph.states[answer])

    def refuted_moves(self, state: Position) -> list[Move]:
        """Return the moves that are rejected because the opponent would win."""
        state_id = self.graph.state_id(state)
        wanted = self.strategy.decide(state_id).state_ids
        legal = zip(state.legal_moves(), self.graph.moves(state_id), strict=True)
        return [
            move
            for move, after in legal
            if after not in wanted and self._known.win_level(after) is not None
        ]

    def _list_replies(self, state_id: int, depth: int = 0) -> Iterator[str]:
        """Yield every reply to a winning move, with the continuation of the win."""
        for reply in self.graph.moves(state_id):
            level = self._known.win_level(reply)
            played = f"{'  ' * depth}{self.graph.format_move(state_id, reply)}"
            if level is None:
                yield f"{played}: no answer is known"
                continue
            answer = self._first_win(reply, level)
            end = " and wins" if level == 1 else ""
            yield f"{played}: {self.graph.format_move(reply, answer)}{end} (rule {level})"
            yield from self._list_replies(answer, depth + 1)

    def _list_refuted_moves(self, state_id: int, wanted: tuple[int, ...]) -> Iterator[str]:
        """Yield the moves that are rejected because the opponent would win."""
        for after in self.graph.moves(state_id):
            level = self._known.win_level(after)
            if level is not None and after not in wanted:
                reply = self.graph.format_move(after, self._first_win(after, level))
                refuted = self.graph.format_move(state_id, after)
                yield f"not {refuted}: {reply} wins for the opponent (rule {level})"

    def _first_win(self, state_id: int, level: int) -> int:
        return next(self.strategy.reasoner.solutions(self._known.wins[level - 1], state_id))


def _truncate(lines: Iterator[str]) -> tuple[str, ...]:
    shown = [line for line, _ in zip(lines, range(MAX_EXPLANATION_LINES), strict=False)]
    return (*shown, "…") if next(lines, None) is not None else tuple(shown)


BOX_WIDTH, BOX_HEIGHT = 104, 30
GAP_X, GAP_Y = 22, 46
MARGIN = 20

DIAGRAM_STYLE = """
.ludus{font:13px ui-monospace,monospace;background:#fff}
.box{fill:#f4f1ea;stroke:#57534e}.strategy{fill:#dbeafe;stroke:#1d4ed8}
.given{fill:#fff;stroke:#a8a29e;stroke-dasharray:3 3}
text{text-anchor:middle;fill:#1c1917}
.calls{stroke:#57534e;fill:none}.denies{stroke:#b91c1c;fill:none;stroke-dasharray:5 4}
.tip{fill:#57534e}
@media(prefers-color-scheme:dark){.ludus{background:#1c1917}text{fill:#f5f5f4}
.box{fill:#292524;stroke:#d6d3d1}.strategy{fill:#172554;stroke:#93c5fd}
.given{fill:#1c1917;stroke:#78716c}.calls{stroke:#d6d3d1}.tip{fill:#d6d3d1}
.denies{stroke:#fca5a5}}
""".replace("\n", "")


def draw_call_diagram(program: Program) -> str:
    """Draw predicates in rows, each above those it calls; dashed lines are calls under `not`."""
    rows = _rank_predicates(program)
    widest = max(map(len, rows))
    width = 2 * MARGIN + widest * (BOX_WIDTH + GAP_X) - GAP_X
    height = 2 * MARGIN + len(rows) * (BOX_HEIGHT + GAP_Y) - GAP_Y
    calls = _list_calls(program)
    about = "; ".join(f"{a} {'denies' if denied else 'calls'} {b}" for a, b, denied in calls)
    canvas = Canvas(width, height, "What each learned predicate calls", about, style=DIAGRAM_STYLE)
    places = _place_boxes(rows, width)
    for caller, called, is_denied in calls:
        _draw_call(canvas, places[caller], places[called], is_denied)
    for name, (x, y) in places.items():
        kind = "given" if name not in program else "box"
        css = "strategy" if name in program.strategy else kind
        canvas.rect((x - BOX_WIDTH / 2, y - BOX_HEIGHT / 2), BOX_WIDTH, BOX_HEIGHT, css, 6)
        canvas.text((x, y), name, "name")
    return canvas.drawing().svg()


def _list_calls(program: Program) -> list[tuple[str, str, bool]]:
    """Return caller, called predicate and whether the call is under `not`, without repeats."""
    found: dict[tuple[str, str, bool], None] = {}
    for clause in program.clauses:
        found[clause.head, clause.first, False] = None
        found[clause.head, clause.second, clause.metarule != "postcond"] = None
    return list(found)


def _rank_predicates(program: Program) -> list[list[str]]:
    """Return rows from the top: a predicate is one row above the highest one that it calls."""
    ranks = dict.fromkeys((MOVE_PREDICATE, *FLUENTS), 0)
    for name in program:
        called = [part for clause in program[name] for part in (clause.first, clause.second)]
        ranks[name] = 1 + max(ranks[each] for each in called)
    used = {each for caller, called, _ in _list_calls(program) for each in (caller, called)}
    highest = max(ranks.values())
    return [
        [
            name
            for name, rank in ranks.items()
            if rank == row and (name in used or name == MOVE_PREDICATE)
        ]
        for row in range(highest, -1, -1)
    ]


def _place_boxes(rows: list[list[str]], width: float) -> dict[str, Point]:
    """Return the centre of each box; rows are centred."""
    places: dict[str, Point] = {}
    for number, row in enumerate(rows):
        taken = len(row) * (BOX_WIDTH + GAP_X) - GAP_X
        left = (width - taken) / 2 + BOX_WIDTH / 2
        y = MARGIN + BOX_HEIGHT / 2 + number * (BOX_HEIGHT + GAP_Y)
        for column, name in enumerate(row):
            places[name] = (left + column * (BOX_WIDTH + GAP_X), y)
    return places


def _draw_call(canvas: Canvas, caller: Point, called: Point, is_denied: bool) -> None:
    """Draw a curve that bends around the rows between; a dot marks its end."""
    rows_between = (called[1] - caller[1]) / (BOX_HEIGHT + GAP_Y) - 1
    # A predicate that the same rule both calls and negates needs two lines.
    side = -1 if is_denied else 1
    bend = 26 * rows_between * side
    start = (caller[0] + 9 * side, caller[1] + BOX_HEIGHT / 2)
    end = (called[0] + 9 * side, called[1] - BOX_HEIGHT / 2)
    middle = (start[1] + end[1]) / 2
    css = "denies" if is_denied else "calls"
    canvas.path(css, "M", *start, "C", start[0] + bend, middle, end[0] + bend, middle, *end)
    canvas.circle(end, 3, "tip")
