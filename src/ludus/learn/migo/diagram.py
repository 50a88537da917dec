"""The call diagram of a program: what each predicate is made of, as an SVG picture."""

from ludus.core.svg import Canvas, Point
from ludus.learn.migo.program import FLUENTS, MOVE, Program

WIDTH, HEIGHT = 104, 30
GAP_X, GAP_Y = 22, 46
MARGIN = 20

STYLE = """
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


def diagram(program: Program) -> str:
    """Predicates in rows, each above all that it calls; a dashed line is a call under `not`."""
    rows = _rows(program)
    widest = max(map(len, rows))
    width = 2 * MARGIN + widest * (WIDTH + GAP_X) - GAP_X
    height = 2 * MARGIN + len(rows) * (HEIGHT + GAP_Y) - GAP_Y
    calls = _calls(program)
    about = "; ".join(f"{a} {'denies' if denied else 'calls'} {b}" for a, b, denied in calls)
    canvas = Canvas(width, height, "What each learned predicate calls", about, style=STYLE)
    places = _places(rows, width)
    for caller, called, is_denied in calls:
        _draw_call(canvas, places[caller], places[called], is_denied)
    for name, (x, y) in places.items():
        kind = "given" if name not in program else "box"
        css = "strategy" if name in program.strategy else kind
        canvas.rect((x - WIDTH / 2, y - HEIGHT / 2), WIDTH, HEIGHT, css, 6)
        canvas.text((x, y), name, "name")
    return canvas.document()


def _calls(program: Program) -> list[tuple[str, str, bool]]:
    """Who calls whom, and whether under `not`; each once."""
    found: dict[tuple[str, str, bool], None] = {}
    for clause in program.clauses:
        found[clause.head, clause.first, False] = None
        found[clause.head, clause.second, clause.metarule != "postcond"] = None
    return list(found)


def _rows(program: Program) -> list[list[str]]:
    """Top row first: a predicate stands one row above the highest that it calls."""
    ranks = dict.fromkeys((MOVE, *FLUENTS), 0)
    for name in program:
        called = [part for clause in program[name] for part in (clause.first, clause.second)]
        ranks[name] = 1 + max(ranks[each] for each in called)
    used = {each for caller, called, _ in _calls(program) for each in (caller, called)}
    highest = max(ranks.values())
    return [
        [name for name, rank in ranks.items() if rank == row and (name in used or name == MOVE)]
        for row in range(highest, -1, -1)
    ]


def _places(rows: list[list[str]], width: float) -> dict[str, Point]:
    """The middle of each box; a row is centred, and every other one shifted to part the lines."""
    places: dict[str, Point] = {}
    for number, row in enumerate(rows):
        taken = len(row) * (WIDTH + GAP_X) - GAP_X
        left = (width - taken) / 2 + WIDTH / 2
        y = MARGIN + HEIGHT / 2 + number * (HEIGHT + GAP_Y)
        for column, name in enumerate(row):
            places[name] = (left + column * (WIDTH + GAP_X), y)
    return places


def _draw_call(canvas: Canvas, caller: Point, called: Point, is_denied: bool) -> None:
    """A curve that bends aside where it would run through rows between; a dot is its end."""
    rows_between = (called[1] - caller[1]) / (HEIGHT + GAP_Y) - 1
    # What is called and denied by the same rule needs two lines.
    side = -1 if is_denied else 1
    bend = 26 * rows_between * side
    start = (caller[0] + 9 * side, caller[1] + HEIGHT / 2)
    end = (called[0] + 9 * side, called[1] - HEIGHT / 2)
    middle = (start[1] + end[1]) / 2
    css = "denies" if is_denied else "calls"
    canvas.path(css, "M", *start, "C", start[0] + bend, middle, end[0] + bend, middle, *end)
    canvas.circle(end, 3, "tip")
