"""Checks of the sentences of a review: every claim is read from the text and verified again.

Nothing here is shared with what writes the sentences. Boards are read from the text of positions,
mills and neighbours are listed anew, values are looked up, rolls are counted by the Python rules.
"""

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from ludus import AnyGame, Position
from ludus.analysis import Evaluator, ReviewedMove
from ludus.games import game as named_game
from ludus.oracles import Oracle

if TYPE_CHECKING:
    from collections.abc import Callable

    from ludus.games.backgammon import Move

MOVE = r"[a-h]\d(?:[-x][a-h]\d)?(?:x[a-h]\d)?|pass"
NUMBERS = {"no": 0, "one": 1, "two": 2, "three": 3, "four": 4}
EQUITY_TOLERANCE = 0.0006
CHANGES = {
    "gives away the win": (1, 0),
    "turns a win into a loss": (1, -1),
    "loses a drawn game": (0, -1),
}


class Untrue(AssertionError):
    """A claim that does not hold."""


def require(is_true: bool, claim: str) -> None:
    if not is_true:
        raise Untrue(claim)


@dataclass(frozen=True)
class Judge:
    """What sentences about a game are checked with."""

    game: AnyGame
    oracle: Oracle | None
    evaluator: Evaluator


def classify(sentence: str) -> str:
    """Return what a sentence says beside the change of value: a fact, a refutation, or nothing."""
    first = split_sentence(sentence)[1]
    if not first:
        return "change of value"
    if re.fullmatch(rf"the answer ({MOVE}) (wins in .*|holds the draw)", first):
        return "refutation"
    if re.fullmatch(rf"the answer is ({MOVE})", first) or "% of games" in first:
        return "change of value"
    return "fact"


def split_sentence(sentence: str) -> tuple[str, str, str]:
    """Return the change of value, the reason, and what is claimed of the better move."""
    match = re.fullmatch(r"(.*?)(?:: (.*?))?\.(?: (.*)\.)?", sentence)
    assert match is not None, sentence
    return match[1], match[2] or "", match[3] or ""


def check_sentence(judge: Judge, made: ReviewedMove) -> None:
    """Raise Untrue for the first claim about a mistake that does not hold."""
    change, why, better = split_sentence(made.reason)
    if judge.game.is_in_points:
        _check_points(judge, made, change)
        _check_checkers(judge, made, why)
        require(better in ("", f"Better: {made.best}"), better)
        return
    _check_change(judge, made, change)
    if why:
        _check_why(judge, made, why)
    if better:
        _check_better(judge, made, better)


def _value(judge: Judge, position: Position) -> tuple[int, int | None] | None:
    """Return who wins, 1 for the side to move, and in how many plies; None if it is not known."""
    end = position.outcome()
    if end is not None:
        return end.score(position.mover), 0
    if judge.oracle is None or not judge.oracle.has_value(position):
        return None
    value = judge.oracle.value(position)
    return {"win": 1, "draw": 0, "loss": -1}[value.result], value.depth


def _check_change(judge: Judge, made: ReviewedMove, change: str) -> None:
    move, claimed = change.split(" ", 1)
    require(move == str(made.move), change)
    before, after = (_value(judge, each) for each in (made.position, made.position.play(made.move)))
    if before is None or after is None:  # an estimate, and the sentence says so
        is_hedged = claimed.startswith("probably ") or claimed == "weakens the position"
        require(is_hedged or made.certainty == "exact", f"{change}, which is an estimate")
        return
    require(CHANGES[claimed.removeprefix("probably ")] == (before[0], -after[0]), change)


def _check_better(judge: Judge, made: ReviewedMove, better: str) -> None:
    if better.startswith("Better: "):
        require(better == f"Better: {made.best}", better)
        return
    found = re.fullmatch(rf"(Only )?({MOVE}) (wins|draws)(?: in (\d+) moves?)?", better)
    require(found is not None, better)
    assert found is not None
    position = made.position
    values = {str(each): _value(judge, position.play(each)) for each in position.legal_moves()}
    require(found[2] in values, better)
    value = values[found[2]]
    if value is None:
        return
    require(-value[0] == {"wins": 1, "draws": 0}[found[3]], better)
    if found[4] and value[1] is not None:
        require(int(found[4]) == (value[1] + 2) // 2, better)
    if found[1] and None not in values.values():
        require(
            sum(each is not None and each[0] <= value[0] for each in values.values()) == 1, better
        )


def _check_why(judge: Judge, made: ReviewedMove, why: str) -> None:
    position = made.position
    after, best = position.play(made.move), position.play(made.best)
    if why.startswith("it ends the game: "):
        end = after.outcome()
        require(end is not None and end.winner is None, why)
        assert end is not None
        require(why.endswith(judge.game.draw_reasons[end.reason]), why)
        return
    if found := re.fullmatch(rf"it allows ({MOVE}), which (.*)", why):
        _check_answer(judge, after, found[1])
        _check_effect(judge, after, found[1], found[2])
        if best.outcome() is None and best.mover == after.mover:
            for other in best.legal_moves():
                is_same = _has_effect(judge, best, str(other), _generalize(found[2]))
                require(not is_same, f"{why}, which {made.best} allows, too, by {other}")
        return
    if found := re.fullmatch(rf"the answer is ({MOVE})", why):
        _check_answer(judge, after, found[1])
        return
    if found := re.fullmatch(rf"the answer ({MOVE}) (.*)", why):
        _check_answer(judge, after, found[1])
        _check_effect(judge, after, found[1], found[2])
        return
    found = re.fullmatch(rf"({MOVE}) (.*)", why)
    require(found is not None and found[1] == str(made.best), why)
    assert found is not None
    _check_effect(judge, position, found[1], found[2])
    is_same = _has_effect(judge, position, str(made.move), _generalize(found[2]))
    require(not is_same, f"{why}; so does {made.move}")


def _check_answer(judge: Judge, after: Position, move: str) -> None:
    """Check that an answer is legal, and keeps the value where it is known."""
    reply = judge.game.parse_move(move, after)
    value, left = _value(judge, after), _value(judge, after.play(reply))
    if value is not None and left is not None:
        require(value[0] == -left[0], f"{move} is not the best answer")


def _generalize(effect: str) -> str:
    """Return an effect without its place: `takes the pawn on *`."""
    return re.sub(r"[a-h]\d(–[a-h]\d)*", "*", effect)


def _has_effect(judge: Judge, position: Position, move: str, general: str) -> bool:
    """Return whether a move has an effect of this kind, with any place."""
    kind = general.split(" ")[0]
    moved = _Moved(judge.game, position, judge.game.parse_move(move, position))
    return {
        "wins": moved.is_won,
        "closes": bool(moved.closed),
        "takes": bool(moved.taken) and not moved.closed,
        "threatens": len(moved.gaps) > 1 and not moved.had_two
        if " at once" in general
        else len(moved.gaps) == 1 and not moved.gaps_before,
        "stops": bool(moved.stopped),
    }[kind] and (kind == "wins" or not moved.is_won)


def _check_effect(judge: Judge, position: Position, move: str, effect: str) -> None:
    """Check what a move is claimed to do."""
    moved = _Moved(judge.game, position, judge.game.parse_move(move, position))
    for part in re.split(r" and (?=wins|takes)", effect):
        claim = f"{move} {part}"
        if part == "wins at once":
            require(moved.is_won, claim)
        elif found := re.fullmatch(r"wins in (\d+) moves?", part):
            value = _value(judge, position)
            if value is not None:
                require(value[0] == 1 and value[1] is not None, claim)
                assert value[1] is not None
                require(int(found[1]) == (value[1] + 1) // 2, claim)
                left = _value(judge, position.play(judge.game.parse_move(move, position)))
                require(left is not None and left[1] == value[1] - 1, f"{claim}, but slower")
        elif part == "holds the draw":
            value = _value(judge, position)
            require(value is not None and value[0] == 0, claim)
        elif found := re.fullmatch(rf"takes the (?:{judge.game.man_name}) on ([a-h]\d)", part):
            require(found[1] == moved.taken, claim)
        else:
            _check_rows(moved, claim, part)


def _check_rows(moved: "_Moved", claim: str, part: str) -> None:
    found = re.fullmatch(
        r"(closes|threatens|stops) (?:the (?:mill|line) ([a-h\d–]+)|(\w+) (?:mills|lines) at once)",
        part,
    )
    require(found is not None, claim)
    assert found is not None
    rows = {
        "closes": moved.closed,
        "threatens": set().union(*moved.gaps.values()) if moved.gaps else set(),
        "stops": moved.stopped,
    }[found[1]]
    if found[2]:
        require({frozenset(found[2].split("–"))} == rows, claim)
    else:
        require(NUMBERS.get(found[3], -1) == len(rows), claim)


MORRIS_MILLS = (
    "a7 d7 g7,b6 d6 f6,c5 d5 e5,a4 b4 c4,e4 f4 g4,c3 d3 e3,b2 d2 f2,a1 d1 g1,"
    "a7 a4 a1,b6 b4 b2,c5 c4 c3,d7 d6 d5,d3 d2 d1,e5 e4 e3,f6 f4 f2,g7 g4 g1"
)
"""The mills of a board without diagonals, horizontal and vertical."""


class _Moved:
    """What a move changes on a board without dice, found by sets of names of points."""

    def __init__(self, game: AnyGame, position: Any, move: Any) -> None:
        self.game, side = game, position.mover
        after = position.play(move)
        end = after.outcome()
        self.is_won = end is not None and end.winner == side
        own, other = _read_men(game, position, side)
        own_after, other_after = _read_men(game, after, side)
        gone = other - other_after
        self.taken = next(iter(gone), "")
        rows = _list_rows(game)
        self.closed = {row for row in rows if row <= own_after and not row <= own}
        hands = getattr(position, "hands", (0, 0))
        hands_after = getattr(after, "hands", (0, 0))
        self.gaps_before = _find_gaps(game, rows, own, other, hands[side])
        self.gaps = _find_gaps(game, rows, own_after, other_after, hands_after[side])
        self.had_two = len(self.gaps_before) > 1
        threats = _find_gaps(game, rows, other, own, hands[1 - side])
        left = _find_gaps(game, rows, other_after, own_after, hands_after[1 - side])
        self.stopped = set().union(*threats.values()) if threats and not left else set()


def _read_men(game: AnyGame, position: Any, side: int) -> tuple[set[str], set[str]]:
    """Return the places of a side's men and of the other's."""
    rows = str(position).split(" ")[0].split("/")
    letters = "XO" if "noughts" in game.id else "WB"
    if game.id == "nine_mens_morris":
        names = "a7d7g7 b6d6f6 c5d5e5 a4b4c4e4f4g4 c3d3e3 b2d2f2 a1d1g1".replace(" ", "")
        named = zip(re.findall("..", names), "".join(rows), strict=True)
    else:
        named = zip(
            [f"{'abcdefgh'[x]}{len(rows) - y}" for y in range(len(rows)) for x in range(len(rows))],
            "".join(rows),
            strict=True,
        )
    men = {place: letter for place, letter in named if letter != "."}
    first, second = (
        {place for place, letter in men.items() if letter == letters[each]}
        for each in (side, 1 - side)
    )
    return first, second


def _list_rows(game: AnyGame) -> list[frozenset[str]]:
    if game.id == "nine_mens_morris":
        return [frozenset(row.split()) for row in MORRIS_MILLS.split(",")]
    if game.id == "noughts_and_crosses":
        rows = ("a1 a2 a3", "b1 b2 b3", "c1 c2 c3", "a1 b1 c1", "a2 b2 c2", "a3 b3 c3")
        return [frozenset(row.split()) for row in (*rows, "a1 b2 c3", "a3 b2 c1")]
    return []


def _find_gaps(
    game: AnyGame, rows: list[frozenset[str]], own: set[str], other: set[str], hand: int
) -> dict[str, set[frozenset[str]]]:
    """Return the rows that a side could complete at once, by the place that is missing."""
    gaps: dict[str, set[frozenset[str]]] = {}
    is_morris = game.id == "nine_mens_morris"
    if is_morris and len(own) + hand < 3:
        return {}
    for row in rows:
        missing = row - own
        if len(missing) != 1 or missing & other:
            continue
        (place,) = missing
        spare = own - row
        is_near = any(_is_adjacent(place, man) for man in spare)
        can_fly = len(own) <= 3 and bool(spare)
        if not is_morris or hand or is_near or (can_fly and not hand):
            gaps.setdefault(place, set()).add(row)
    return gaps


def _is_adjacent(first: str, second: str) -> bool:
    """Return whether two points are next to each other in a mill, as it is written above."""
    return any(
        f"{a} {b}" in mill
        for mill in MORRIS_MILLS.split(",")
        for a, b in ((first, second), (second, first))
    )


def _check_points(judge: Judge, made: ReviewedMove, change: str) -> None:
    found = re.fullmatch(r"(.*) gives away ([\d.]+) points", change)
    require(found is not None and found[1] == str(made.move), change)
    assert found is not None
    (analysis,) = judge.evaluator.evaluate([made.position], [made.move])
    cost = analysis.best.evaluation.points - analysis.find(made.move).evaluation.points
    require(abs(cost - float(found[2])) < EQUITY_TOLERANCE, change)


def _check_checkers(judge: Judge, made: ReviewedMove, why: str) -> None:
    """Check a reason in backgammon, in the board before and after both moves."""
    if not why:
        return
    board = _Board(made.position, made.position)
    after = _Board(made.position, made.position.play(made.move))
    best = _Board(made.position, made.position.play(made.best))
    name = re.escape(str(made.best))
    shots = r"(a|\d+) checkers? open to (\d+) of 36 rolls \((\d+)%\)"
    checks: dict[str, Callable[[re.Match[str]], bool]] = {
        rf"it does not hit; {name} sends (a|\d+) checkers? back": lambda found: (
            after.hits == board.hits
            and best.hits - board.hits == (1 if found[1] == "a" else int(found[1]))
        ),
        rf"it hits once; {name} sends (\d+) checkers back": lambda found: (
            after.hits - board.hits == 1 and best.hits - board.hits == int(found[1])
        ),
        rf"it leaves {shots}, {name} to (\d+|none)": (
            lambda found: (
                after.count_shots() == (int(found[2]), 1 if found[1] == "a" else int(found[1]))
                and best.count_shots()[0] == (0 if found[4] == "none" else int(found[4]))
                and abs(int(found[3]) - 100 * int(found[2]) / 36) <= 0.5
            )
        ),
        rf"{name} bears off (one|\d+) checkers? more": lambda found: (
            best.off - after.off == (1 if found[1] == "one" else int(found[1]))
        ),
        r"it breaks the (\d+) point": lambda found: (
            board.men(found[1]) > 1 >= after.men(found[1]) and best.men(found[1]) > 1
        ),
        r"it does not make the (\d+) point": lambda found: (
            max(board.men(found[1]), after.men(found[1])) < 2 <= best.men(found[1])
        ),
        rf"its last checker stays on the (\d+) point; {name} brings it forward": lambda found: (
            after.rear == int(found[1]) > best.rear
        ),
        rf"it leaves (a|\d+) single checkers?, {name} (\d+|none)": lambda found: (
            after.singles == (1 if found[1] == "a" else int(found[1]))
            and best.singles == (0 if found[2] == "none" else int(found[2]))
            and after.singles > best.singles
        ),
        r"it piles (\d+) checkers on the (\d+) point": lambda found: (
            after.men(found[2]) == int(found[1]) > best.stack
        ),
        rf"it (wins|wins a gammon in|loses a gammon in) (\d+)% of games, {name} (\d+)%": (
            lambda found: _check_chances(judge, made, found)
        ),
    }
    for pattern, is_true in checks.items():
        if found := re.fullmatch(pattern, why):
            require(is_true(found), why)
            return
    raise Untrue(f"no check for: {why}")


def _check_chances(judge: Judge, made: ReviewedMove, found: re.Match[str]) -> bool:
    (analysis,) = judge.evaluator.evaluate([made.position], [made.move])
    name = {"wins": "win", "wins a gammon in": "win_gammon", "loses a gammon in": "lose_gammon"}
    for move, claimed in ((made.move, found[2]), (made.best, found[3])):
        chances = analysis.find(move).evaluation.chances
        if chances is None or abs(100 * getattr(chances, name[found[1]]) - int(claimed)) > 0.5001:
            return False
    return True


class _Board:
    """One side's checkers, read from the text of a position."""

    def __init__(self, before: Any, position: Any) -> None:
        self._position, side = position, before.turn
        texts = str(position).split(" ")[:2]
        men = [self._read(text) for text in texts]
        self._own, other = men[side], men[1 - side]
        self.hits = other.get("bar", 0)
        self.off = self._own.get("off", 0)
        points = {int(place): count for place, count in self._own.items() if place.isdecimal()}
        self.rear = 25 if self._own.get("bar") else max(points, default=0)
        self.singles = sum(count == 1 for count in points.values())
        self.stack = max(points.values(), default=0)

    @staticmethod
    def _read(text: str) -> dict[str, int]:
        pairs = [each.split(":") for each in text.split(",") if ":" in each]
        return {place: int(count) for place, count in pairs}

    def men(self, point: str) -> int:
        return cast("int", self._own.get(point, 0))

    def count_shots(self) -> tuple[int, int]:
        """Return how many of 36 rolls hit, and how many points are hit, by the Python rules."""
        game = named_game("backgammon", engine="python")
        position = game.parse(str(self._position))
        rolls, places = 0, set()
        for roll, chance in game.chances(position):
            hit = {
                step.end
                for move in position.play(roll).legal_moves()
                for step in cast("Move", move).steps
                if step.hit
            }
            rolls += round(36 * chance) * bool(hit)
            places |= hit
        return rolls, len(places)
