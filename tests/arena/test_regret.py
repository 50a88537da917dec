"""Regret, against exact values from the literature and its own invariants."""

import pytest

from ludus.arena.executors import LocalPool
from ludus.arena.jobs import GameConditions, StartPositions
from ludus.arena.regret import (
    RegretSchedule,
    RegretStatistics,
    compute_expected_regret,
    get_uniform_policy,
    judge_choices,
)
from ludus.core.record import Record
from ludus.games import game
from ludus.oracles import oracle as find_oracle
from ludus.players import player


def _start_boards(played):
    """The boards one full move ahead, one for each class of symmetric ones.

    The opponent breaks ties by the order of cells, so it matters which one stands for a class.
    The figures do not come with the boards. These are the ones that fit: for hexapawn the first
    of a class in the order of moves, for noughts and crosses the one whose cells are smallest,
    empty before X before O. Other choices give 0.35 to 0.49 and 1.21 to 1.35.
    """
    classes = {}
    for move in played.start().legal_moves():
        position = played.start().play(move)
        for reply in position.legal_moves():
            board = position.play(reply)
            twins = [played.transform(board, symmetry) for symmetry in played.symmetries()]
            classes.setdefault(min(map(str, twins)), twins)
    if played.id == "hexapawn":
        return [twins[0] for twins in classes.values()]
    return [min(twins, key=_code) for twins in classes.values()]


def _code(board):
    return [".XO".index(cell) for cell in board.cells]


def _win_at_once(position):
    """Choose a winning move if there is one, else a random move."""
    wins = [
        move
        for move in position.legal_moves()
        if (end := position.play(move).outcome()) and end.winner == position.mover
    ]
    return {wins[0]: 1.0} if wins else get_uniform_policy(position)


@pytest.mark.parametrize(
    ("name", "boards", "policy", "regret"),
    [
        ("noughts_and_crosses", 12, get_uniform_policy, 1.2571),
        ("noughts_and_crosses", 12, _win_at_once, 1.2143),
        ("hexapawn", 5, get_uniform_policy, 0.4194),
        ("hexapawn", 5, _win_at_once, 0.3083),
    ],
)
def test_exact_mean_regret(name, boards, policy, regret):
    """The learner's games of Muggleton and Hocquette (2019), with fixed strategies instead."""
    played = game(name)
    starts = _start_boards(played)
    assert len(starts) == boards
    assert compute_expected_regret(find_oracle(played), policy, starts) == pytest.approx(
        regret, abs=5e-5
    )


def _measured(plan):
    played = game(plan.conditions.game, plan.conditions.rules)
    found = RegretStatistics(played, find_oracle(played))
    jobs = {job.key: job for job in plan.schedule()}
    results = {}
    with LocalPool(2) as pool:
        for result in pool.run(jobs.values()):
            found.add(Record.parse(result.record), int(jobs[result.key].is_swapped))
            results[result.key] = found.games[-1], result.winner
    return found, jobs, results


@pytest.mark.parametrize("name", ["noughts_and_crosses", "hexapawn"])
def test_against_perfect_play_regret_is_the_value_of_the_start_minus_the_result(name):
    """No independent judgement of single moves is needed to know their sum."""
    starts = StartPositions(tuple(map(str, _start_boards(game(name)))))
    plan = RegretSchedule(GameConditions(name), "random", "perfect", 60, 4, starts)
    found, jobs, results = _measured(plan)
    oracle = find_oracle(game(name))
    utility = {"win": 1, "draw": 0, "loss": -1}
    for key, (regret, winner) in results.items():
        position = game(name).parse(jobs[key].start)
        value = utility[oracle.value(position).result]
        side = int(jobs[key].is_swapped)
        start = value if position.mover == side else -value
        result = 0 if winner is None else 1 if winner == 0 else -1
        assert regret == start - result
    assert sum(found.games) == found.total.regret > 0
    assert found.total.num_unevaluated == 0
    assert 0 < found.total.critical_kept < found.total.critical < found.total.moves
    assert found.total.critical - found.total.critical_kept == sum(
        tally.critical - tally.critical_kept for tally in found.phases.values()
    )


def test_perfect_play_has_no_regret():
    found, _, _ = _measured(RegretSchedule(GameConditions("hexapawn"), "perfect", "random", 30))
    assert found.mean == 0
    assert found.total.critical_kept_rate == 1.0
    assert not found.first_errors


def test_a_move_beside_the_best_ones():
    played = game("noughts_and_crosses")
    position = played.parse("X../.../... o")
    centre, corner = (played.parse_move(text, position) for text in ("b2", "c1"))
    oracle = find_oracle(played)
    verdict = oracle.verdict(position)
    assert (verdict.cost(centre), verdict.cost(corner)) == (0, 1)
    assert (verdict.is_critical, verdict.best) == (True, (centre,))
    losing = played.parse("XX./OO./... x")
    verdict = oracle.verdict(losing)
    assert verdict.cost(played.parse_move("c1", losing)) == 2
    assert verdict.best == (played.parse_move("c3", losing),)


def test_the_first_error_of_a_game_is_kept():
    played = game("noughts_and_crosses")
    record = Record.parse("1. a3 c1 2. c3 b1 3. b3 1-0")
    found = RegretStatistics(played, find_oracle(played))
    found.add(record, 1)
    ((first, count),) = found.first_errors.items()
    assert (first.position, first.move, first.best, count) == ("X../.../... o", "c1", ("b2",), 1)
    assert found.games == [1]
    assert (found.total.moves, found.total.critical, found.total.critical_kept) == (2, 1, 0)
    assert dict(found.phases).keys() == {"move 1", "move 2"}


def test_what_is_beyond_the_solved_part_is_counted_and_not_evaluated():
    plan = RegretSchedule(GameConditions("nine_mens_morris", "men=4"), "random", "random", 6)
    found, _, _ = _measured(plan)
    assert found.phases["placing"].num_unevaluated == found.phases["placing"].moves == 6 * 4
    assert found.total.moves > found.total.num_unevaluated == 6 * 4
    assert found.total.regret_per_move == found.total.regret / (
        found.total.moves - found.total.num_unevaluated
    )
    alone = RegretStatistics(game("nine_mens_morris"), find_oracle(game("nine_mens_morris")))
    alone.add(Record.parse("1. a7 b6 *"), 0)
    assert (alone.mean, alone.total.regret_per_move, alone.total.critical_kept_rate) == (
        None,
        None,
        None,
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("start", "placing"),
        ("WWW/.../.../....../.../.B./BBB b 0 0", "moving"),
        ("WWW/.../.../....../.../.B./BBB w 0 0", "flying"),
    ],
)
def test_phases_of_morris(text, expected):
    played = game("nine_mens_morris")
    assert played.phase(played.parse(text), 1) == expected


def test_the_player_begins_if_it_always_does():
    boards = tuple(map(str, _start_boards(game("hexapawn"))))
    boards += ("BBB/W../.WW b",)
    plan = RegretSchedule(
        GameConditions("hexapawn"),
        "random",
        "perfect",
        6,
        0,
        StartPositions(boards),
        is_alternating=False,
    )
    for job in plan.schedule():
        mover = game("hexapawn").parse(job.start).mover
        assert job.players[mover] == "random"


def test_one_move_is_rated_in_each_position():
    played = game("noughts_and_crosses")
    texts = ["X../.../... o", "XX./OO./... x", "X.O/.../... x"]
    positions = [played.parse(text) for text in texts]
    perfect = judge_choices(player("perfect", played), positions)
    assert (perfect.total.moves, perfect.total.critical, perfect.mean) == (3, 3, 0)
    found = judge_choices(player("random", played), positions, seed=4)
    assert found.games == judge_choices(player("random", played), positions, seed=4).games
    assert sum(found.games) == found.total.regret > 0
    assert found.total.critical - found.total.critical_kept == sum(map(bool, found.games))
