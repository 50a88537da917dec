"""In place of the match against an expert: every decision judged, by category and by stage."""

import random
from collections import defaultdict
from collections.abc import Iterator
from functools import partial
from typing import Any

from ludus import play_game
from ludus.analysis import ReviewedMove, find_evaluator, get_rating, judge_move
from ludus.datasets import classify_theme
from ludus.games.backgammon import Backgammon, Move, Position, Rules, View, make_view
from ludus.players import compute_board_features, player
from ludus.reproduce import Context, Figure, Measurement, Table

BLUNDER = 0.16
BOLDER = 5
"""Rolls of 36 by which one move risks more than another."""


def run(context: Context) -> Iterator[Any]:
    found: list[dict[str, Any]] = []
    games = context.setting("games")
    for number in range(games):
        context.progress(number, games, "judging games")
        found += context.cached(f"game {number}", partial(_review_game, context, number))
    blunders = [each for each in found if each["loss"] >= BLUNDER]
    clean = games - len({each["game"] for each in blunders})
    error = sum(each["loss"] for each in found) / len(found)
    yield Measurement("games of 20 without a blunder", 20 * clean / games, count=games)
    yield Measurement.proportion("games without a blunder", clean, games)
    yield Measurement("loss a decision", 1000 * error, unit="thousandths", note=get_rating(error))
    yield Measurement.proportion("decisions that are blunders", len(blunders), len(found))
    stages, kinds = _sum_losses(found, "theme"), _sum_losses(blunders, "kind")
    yield Table("By stage of the game", HEADINGS, stages)
    yield Table("Blunders by kind", HEADINGS, kinds)
    yield Figure("Loss a decision by stage", draw, stages)


HEADINGS = ["", "decisions", "loss a decision", "share of all loss"]


def _sum_losses(found: list[dict[str, Any]], key: str) -> list[list[Any]]:
    """For each value of a key: decisions, mean loss, and its share of all that was lost."""
    losses = defaultdict(list)
    for each in found:
        losses[each[key]].append(each["loss"])
    total = sum(map(sum, losses.values())) or 1.0
    rows = [
        [name, len(some), round(sum(some) / len(some), 4), round(sum(some) / total, 3)]
        for name, some in losses.items()
    ]
    return sorted(rows, key=lambda row: -row[3])


def _review_game(context: Context, number: int) -> list[dict[str, Any]]:
    """One game of the shipped network against tool, its decisions judged."""
    game = Backgammon(Rules(opening="first"))
    own = number % 2
    players = [player("gammon", game), player("tool", game)]
    if own == 1:
        players.reverse()
    seed = random.Random(context.seed_for("game", number)).getrandbits(62)
    match = play_game(game, (players[0], players[1]), seed=seed)
    evaluator = find_evaluator(game, "gnubg", 2)
    position: Any = game.start()
    found: list[Any] = []
    for made in match.moves:
        move: Any = made.move
        if made.mover == own and game.classify_decision(position, move):
            reviewed = judge_move(game, position, evaluator.analyse(position), move)
            assert reviewed is not None
            found.append(reviewed)
        position = position.play(move)
    return [
        {
            "game": number,
            "position": str(each.position),
            "move": str(each.move),
            "best": str(each.best),
            "loss": round(each.cost, 5),
            "theme": classify_theme(make_view(each.position.board, own)),
            "kind": classify_error(each),
        }
        for each in found
    ]


def classify_error(reviewed: ReviewedMove) -> str:
    """Return what the played move lacks compared with the best one, most important first."""
    position: Any = reviewed.position
    moves: list[Any] = [reviewed.move, reviewed.best]
    played, best = (_get_view_after(position, move) for move in moves)
    hits = [any(step.hit for step in move.steps) for move in moves]
    ours, theirs = compute_board_features(played), compute_board_features(best)
    if hits == [False, True]:
        return "did not hit"
    if hits == [True, False]:
        return "hit in vain"
    risk = ours.own_blot_shots.any - theirs.own_blot_shots.any
    if risk >= BOLDER:
        return "risked too much"
    if risk <= -BOLDER:
        return "risked too little"
    if ours.home_points < theirs.home_points or ours.own_prime < theirs.own_prime:
        return "made or kept too few points"
    if ours.num_own_back_men != theirs.num_own_back_men:
        return "men behind moved at the wrong time"
    return "men badly placed"


def _get_view_after(position: Position, move: Move) -> View:
    return make_view(position.play(move).board, position.turn)


def draw(axes: Any, data: list[list[Any]]) -> None:
    names = [row[0].replace("_", " ") for row in data][::-1]
    axes.barh(names, [row[2] for row in data][::-1])
    axes.set_xlabel("points a game lost per decision")
