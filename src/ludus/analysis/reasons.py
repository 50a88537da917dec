"""Why a move is a mistake, in words: facts of the board and of what the best reply does.

A sentence names what a move gives away, and then the first of these that holds: what the better
move does at once, what the answer does that the better move does not allow, what the answer does,
how soon it wins, what best play leads to. Every part is checked on the positions; where nothing
holds, the sentence is the change of value alone.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from ludus.analysis.evaluation import EvaluatedMove, PositionAnalysis
from ludus.core.game import CHANCE, AnyGame, Move, PlaceRow, Position
from ludus.oracles.interface import Result, describe_distance

CHANGES: dict[tuple[Result, Result], str] = {
    ("win", "draw"): "gives away the win",
    ("win", "loss"): "turns a win into a loss",
    ("draw", "loss"): "loses a drawn game",
}

KEEPING_VERBS: dict[Result, str] = {"win": "wins", "draw": "draws"}

COUNTS: Final = ("no", "one", "two", "three", "four")


WINS: Final = "wins at once"


@dataclass(frozen=True, slots=True)
class Effect:
    """What a move does on the board."""

    kind: str
    """`wins`, `row`, `double`, `capture`, `blocks` or `threat`."""

    text: str
    """A verb with its object: `closes the mill d5–d6–d7 and takes the man on a1`."""


KINDS: Final = ("wins", "row", "capture", "double", "blocks", "threat")
"""Kinds of effects, strongest first."""


def list_effects(game: AnyGame, position: Position, move: Move) -> list[Effect]:
    """Return what a move does for the side that makes it, strongest first."""
    after, side = position.play(move), position.mover
    end = after.outcome()
    if end is not None and end.winner == side:
        return [Effect("wins", WINS)]
    found = []
    closed = set(game.completed_rows(after, side)) - set(game.completed_rows(position, side))
    taken = f"takes the {game.man_name} on {game.steps(move)[-1]}" if game.is_capture(move) else ""
    if closed:
        text = _name_rows(game, sorted(closed), "closes")
        found.append(Effect("row", f"{text} and {taken}" if taken else text))
    elif taken:
        found.append(Effect("capture", taken))
    if end is None:
        found += _list_threats(game, position, after, side)
    return sorted(found, key=lambda each: KINDS.index(each.kind))


def _list_threats(game: AnyGame, position: Position, after: Position, side: int) -> list[Effect]:
    """Return the new threats of a move, and the threat of the other side that it stops."""
    found = []
    before, now = game.threatened_rows(position, side), game.threatened_rows(after, side)
    rows = [row for place in now for row in now[place]]
    if len(now) > 1 and len(set(rows)) > 1 and len(before) < 2:
        found.append(
            Effect("double", f"threatens {_count(len(set(rows)))} {game.row_name}s at once")
        )
    elif len(now) == 1 and not before:
        found.append(Effect("threat", _name_rows(game, sorted(set(rows)), "threatens")))
    stopped = game.threatened_rows(position, 1 - side)
    left = game.threatened_rows(after, 1 - side)
    if stopped and not left:
        rows = [row for place in stopped for row in stopped[place]]
        found.append(Effect("blocks", _name_rows(game, sorted(set(rows)), "stops")))
    return found


def _name_rows(game: AnyGame, rows: Sequence[PlaceRow], verb: str) -> str:
    if len(rows) > 1:
        return f"{verb} {_count(len(rows))} {game.row_name}s at once"
    return f"{verb} the {game.row_name} {'–'.join(rows[0])}"


def _count(number: int) -> str:
    return COUNTS[number] if number < len(COUNTS) else str(number)


def explain_mistake(
    game: AnyGame, position: Position, analysis: PositionAnalysis, played: EvaluatedMove
) -> str:
    """Return why a move is a mistake, in one sentence, and what was better if that is not in it."""
    change = _describe_change(game, analysis, played)
    why = find_why(game, position, analysis, played)
    better = _describe_best(analysis)
    best = analysis.best.move
    is_known = why == f"{best} {WINS}" or (better == f"Better: {best}." and str(best) in why)
    return f"{change}{': ' if why else ''}{why}.{'' if is_known else f' {better}'}"


def find_why(
    game: AnyGame, position: Position, analysis: PositionAnalysis, played: EvaluatedMove
) -> str:
    """Return the reason for which a move is worse than the best one; empty if none is known."""
    child = position.play(played.move)
    if game.is_in_points:
        return _find_drawback(game, position, analysis, played)
    if child.outcome() is not None:
        return _describe_end(game, child)
    best = analysis.best
    missed = _find_missed(game, position, best.move, played.move)
    allowed = _find_allowed(game, position, best.move, played)
    both = [each for each in (missed, allowed) if each is not None]
    both.sort(key=lambda each: KINDS.index(each[0]))
    refutation = _describe_refutation(game, child, played)
    if both and (both[0][0] != "threat" or not refutation):
        return both[0][1]
    return refutation


MIN_CHANCE: Final = 0.01
"""Difference of chances that is worth a word."""

CLEAR_SHARE: Final = 0.6
"""Of the drawbacks that cost nearly as much as the costliest, the first is named."""

NUM_COMPARED: Final = 10
"""The best moves, among which those with the same drawback are looked for."""


def _find_drawback(
    game: AnyGame, position: Position, analysis: PositionAnalysis, played: EvaluatedMove
) -> str:
    """Return the drawback against the best move that costs most in other moves, too."""
    best = analysis.best
    if game.classify_decision(position, played.move) != "move":
        return _compare_actions(best, played)
    found = game.drawbacks(position, played.move, best.move)
    costs = dict.fromkeys(found, analysis.cost(played.move))
    for other in analysis.moves[1:NUM_COMPARED]:
        for kind in game.drawbacks(position, other.move, best.move):
            if kind in costs:
                costs[kind] = min(costs[kind], analysis.cost(other.move))
    enough = CLEAR_SHARE * max(costs.values(), default=0.0)
    clear = [found[kind] for kind, cost in costs.items() if cost >= enough]
    return clear[0] if clear else _compare_chances(best, played)


def _compare_chances(best: EvaluatedMove, played: EvaluatedMove) -> str:
    """Return how often two moves win, or win or lose a gammon, where they differ most."""
    first, second = best.evaluation.chances, played.evaluation.chances
    if first is None or second is None:
        return ""
    losses = {
        "wins": first.win - second.win,
        "wins a gammon in": first.win_gammon - second.win_gammon,
        "loses a gammon in": second.lose_gammon - first.lose_gammon,
    }
    verb = max(losses, key=lambda each: losses[each])
    pairs = {
        "wins": (second.win, first.win),
        "wins a gammon in": (second.win_gammon, first.win_gammon),
        "loses a gammon in": (second.lose_gammon, first.lose_gammon),
    }
    worse, better = pairs[verb]
    if losses[verb] < MIN_CHANCE:
        return ""
    return f"it {verb} {worse:.0%} of games, {best.move} {better:.0%}"


def _compare_actions(best: EvaluatedMove, played: EvaluatedMove) -> str:
    """Return what two decisions about the cube count."""
    first, second = best.evaluation, played.evaluation
    chances = "" if first.chances is None else f" with {first.chances.win:.0%} to win"
    return f"{best.move} counts {first.points:+.3f}{chances}, {played.move} {second.points:+.3f}"


def _describe_end(game: AnyGame, after: Position) -> str:
    end = after.outcome()
    assert end is not None
    if end.winner is not None:
        return "it ends the game at once"
    return f"it ends the game: {game.draw_reasons.get(end.reason, end.reason)}"


def _find_missed(
    game: AnyGame, position: Position, best: Move, played: Move
) -> tuple[str, str] | None:
    """Return the strongest effect of the best move that the played one has not."""
    own = {each.kind for each in list_effects(game, position, played)}
    for effect in list_effects(game, position, best):
        if effect.kind not in own:
            return effect.kind, f"{best} {effect.text}"
    return None


def _find_allowed(
    game: AnyGame, position: Position, best: Move, played: EvaluatedMove
) -> tuple[str, str] | None:
    """Return the strongest effect of the answer that no answer to the best move has."""
    child, other = position.play(played.move), position.play(best)
    if not played.line or child.mover != 1 - position.mover:
        return None
    reply = played.line[0]
    possible = set()
    if other.outcome() is None and other.mover == child.mover:
        for move in other.legal_moves():
            possible |= {each.kind for each in list_effects(game, other, move)}
    for effect in list_effects(game, child, reply):
        if effect.kind not in possible:
            return effect.kind, f"it allows {reply}, which {effect.text}"
    return None


def _describe_refutation(game: AnyGame, child: Position, played: EvaluatedMove) -> str:
    """Return what the answer does or leads to, as far as it is known."""
    if not played.line or child.mover == CHANCE:
        return ""
    evaluation, reply = played.evaluation, played.line[0]
    effects = [each.text for each in list_effects(game, child, reply)][:1]
    if evaluation.result == "loss" and evaluation.depth:
        effects.append(f"wins{describe_distance(evaluation.depth - 1)}")
    if effects:
        return f"the answer {reply} {' and '.join(effects)}"
    is_draw = evaluation.result == "draw" and evaluation.certainty == "exact"
    return f"the answer {reply} holds the draw" if is_draw else f"the answer is {reply}"


def _describe_change(game: AnyGame, analysis: PositionAnalysis, played: EvaluatedMove) -> str:
    """Return what a move gives away: a result if one is known or expected, else points."""
    best, after = analysis.best.evaluation, played.evaluation
    first, second = (each.result or _nearest_result(each.points) for each in (best, after))
    change = CHANGES.get((first, second))
    if game.is_in_points:
        return f"{played.move} gives away {analysis.cost(played.move):.3f} points"
    if change is None:
        return f"{played.move} weakens the position"
    is_certain = best.certainty == after.certainty == "exact"
    return f"{played.move} {'' if is_certain else 'probably '}{change}"


def _nearest_result(points: float) -> Result:
    return "win" if points > 0.5 else "loss" if points < -0.5 else "draw"


def _describe_best(analysis: PositionAnalysis) -> str:
    best = analysis.best
    verb = KEEPING_VERBS.get(best.evaluation.result or "loss", "")
    if not verb:
        return f"Better: {best.move}."
    others = analysis.moves[1:]
    is_only = all(each.evaluation.result is not None for each in others)
    is_only = is_only and analysis.count_equal_moves() == 1
    distance = describe_distance(best.evaluation.depth) if verb == "wins" else ""
    return f"{'Only ' if is_only else ''}{best.move} {verb}{distance}."
