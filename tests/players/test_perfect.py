"""The perfect player: never gives anything away, and says what it knows."""

import random

import pytest

import ludus
from ludus.core.errors import BadDatabase, BadSpec, CannotSolve
from ludus.games.nine_mens_morris.board import Move
from ludus.games.nine_mens_morris.notation import PositionFields
from ludus.oracles import Unsolved, Value
from ludus.oracles import oracle as find_oracle
from ludus.oracles.interface import describe_distance
from ludus.oracles.morris.database import Database
from support.repetition import repeat

MORRIS = ludus.game("nine_mens_morris")
SEARCHING = ":fallback=search"


def perfect(game, options="", seed=1):
    player = ludus.player(f"perfect{options}", game)
    player.start_game(seed)
    return player


def endings(white, black, result, count, seed=1):
    """Random positions with White to move and this result."""
    rng, oracle, found = random.Random(seed), find_oracle(MORRIS), []
    while len(found) < count:
        points = rng.sample(range(24), white + black)
        men = frozenset(points[:white]), frozenset(points[white:])
        position = MORRIS.position(PositionFields(men, (0, 0), 0))
        if position.outcome() is None and oracle.value(position).result == result:
            found.append(position)
    return found


@pytest.mark.parametrize(("white", "black"), [(3, 3), (4, 3), (3, 4), (4, 4)])
def test_a_won_game_is_won_in_time(white, black):
    oracle, few = find_oracle(MORRIS), repeat(1, 3) if white == black == 4 else repeat(5, 25)
    players = perfect(MORRIS), ludus.player("random", MORRIS)
    for seed, position in enumerate(endings(white, black, "win", few)):
        promised = oracle.value(position).depth
        match = ludus.play_game(MORRIS, players, seed=seed, start=position)
        assert match.outcome.winner == 0
        assert len(match.moves) <= promised
        assert match.moves[0].comment == f"wins{describe_distance(promised)}"


def test_two_perfect_players_take_as_long_as_was_promised():
    oracle = find_oracle(MORRIS)
    players = perfect(MORRIS), perfect(MORRIS)
    for result in ("win", "loss"):
        for seed, position in enumerate(endings(3, 3, result, 12)):
            match = ludus.play_game(MORRIS, players, seed=seed, start=position)
            assert match.outcome.winner == (0 if result == "win" else 1)
            assert len(match.moves) == oracle.value(position).depth
            verb = "wins" if result == "win" else "loses"
            assert match.moves[0].comment == f"{verb}{describe_distance(len(match.moves))}"


def test_nothing_is_ever_given_away():
    """Against random moves, from drawn positions, to the end of the game or for 40 plies."""
    oracle, order = find_oracle(MORRIS), ("win", "draw", "loss")
    player, rng = perfect(MORRIS), random.Random(3)
    wins = 0
    for position in endings(4, 3, "draw", 10) + endings(4, 4, "draw", 10):
        for _ in range(40):
            if position.outcome() is not None:
                break
            value = oracle.value(position)
            if position.mover == 0:
                position = position.play(player.choose(position).move)
                kept = oracle.value(position).for_previous_mover()
                assert order.index(kept.result) <= order.index(value.result), position
            else:
                position = position.play(rng.choice(position.legal_moves()))
        end = position.outcome()
        assert end is None or end.winner != 1
        wins += end is not None and end.winner == 0
    assert wins > 0


@pytest.mark.parametrize("side", [0, 1])
@pytest.mark.parametrize("spec", ["noughts_and_crosses", "hexapawn"])
def test_whatever_the_opponent_does_the_player_does_not_lose(spec, side):
    game = ludus.game(spec)
    for seed in range(5):
        player, waiting, ends = perfect(game, seed=seed), [game.start()], []
        while waiting:
            position = waiting.pop()
            outcome = position.outcome()
            if outcome is not None:
                ends.append(outcome.winner)
            elif position.mover == side:
                waiting.append(position.play(player.choose(position).move))
            else:
                waiting += map(position.play, position.legal_moves())
        assert 1 - side not in ends
        assert side in ends


def replies(game, position):
    """Replies that hold the draw, and all, counted one by one."""
    oracle = find_oracle(game)
    after = [oracle.value(position.play(move)).result for move in position.legal_moves()]
    return after.count("draw"), len(after)


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ("noughts_and_crosses", {"fewest hold"}),
        ("hexapawn:four", {"fewest hold", "most in all", "over comes last"}),
    ],
)
def test_of_drawn_moves_the_hardest_to_answer_is_played(spec, expected):
    """Fewest replies that hold; then most replies in all; a game that is over comes last."""
    game, oracle = ludus.game(spec), find_oracle(ludus.game(spec))
    rng, reasons = random.Random(1), set()
    for _ in range(150):
        position = game.start()
        while position.outcome() is None:
            if oracle.value(position).result == "draw":
                reasons |= _check_drawn(game, oracle, position)
            position = position.play(rng.choice(position.legal_moves()))
    assert reasons == expected


def _check_drawn(game, oracle, position):
    drawn = [each.move for each in oracle.rate_moves(position) if each.value == "draw"]
    choice = perfect(game).choose(position)
    left = {move: replies(game, position.play(move)) for move in drawn}
    hold, total = left.pop(choice.move)
    reasons = set()
    if total == 0:
        assert all(each == (0, 0) for each in left.values())
        assert choice.comment == "draws, and the game is over"
        return reasons
    ending = "y" if total == 1 else "ies"
    assert choice.comment == f"drawn: {hold} of {total} repl{ending} hold"
    for other_hold, other_total in left.values():
        if other_total == 0:
            reasons.add("over comes last")
        elif other_hold == hold:
            assert other_total <= total
            if other_total < total:
                reasons.add("most in all")
        else:
            assert other_hold > hold
            reasons.add("fewest hold")
    return reasons


def test_a_draw_by_repetition_is_the_last_resort():
    """White moves back and forth; if Black did so too, the game would be drawn at once."""
    oracle, tried = find_oracle(MORRIS), 0
    for position in endings(4, 4, "draw", 20):
        there = next(move for move in position.legal_moves() if move.take is None)
        position = position.play(there)
        # Black's man must not stand in White's way back, and no mill may be closed on the way.
        step = next(m for m in position.legal_moves() if m.take is None and m.to != there.frm)
        position = position.play(step)
        if _reversed(there) not in position.legal_moves():
            continue
        position = position.play(_reversed(there))
        repeating = _reversed(step)
        rated = {each.move: each.value for each in oracle.rate_moves(position)}
        if repeating not in rated:
            continue
        assert position.play(repeating).outcome().reason == "repetition"
        assert rated[repeating] == "draw"
        if list(rated.values()).count("draw") > 1 and "win" not in rated.values():
            tried += 1
            assert perfect(MORRIS).choose(position).move != repeating
    assert tried > 5


def _reversed(move):
    return Move(move.to, move.frm, None)


def test_ties_are_left_to_the_seed():
    game = ludus.game("noughts_and_crosses")
    moves = [str(perfect(game, seed=seed).choose(game.start()).move) for seed in range(30)]
    assert len(set(moves)) > 1
    again = [str(perfect(game, seed=seed).choose(game.start()).move) for seed in range(30)]
    assert moves == again


def test_any_move_that_draws_may_be_requested():
    """The empty board of noughts and crosses: all nine moves draw, few of them are tricky."""
    game = ludus.game("noughts_and_crosses")

    def played(options):
        return {perfect(game, options, seed).choose(game.start()).move for seed in range(120)}

    assert played(":draws=any") == set(game.start().legal_moves())
    assert played("") < played(":draws=any")
    winning = game.parse("XX./OO./... x")
    assert str(perfect(game, ":draws=any").choose(winning).move) == str(
        perfect(game).choose(winning).move
    )


def test_scores_are_ordered_like_the_moves():
    position = MORRIS.parse("W.W/W../.../...BBB/.../.../... w 0 0")
    scores = perfect(MORRIS).choose(position).scores
    rated = find_oracle(MORRIS).rate_moves(position)
    report = [scores[each.move] for each in rated]
    assert report == sorted(report, reverse=True)
    assert {each.value: scores[each.move] > 0 for each in rated} == {
        "win": True,
        "draw": False,
        "loss": False,
    }
    assert all(abs(score) <= 1 for score in report)


def test_the_name_tells_how_far_perfection_goes():
    assert perfect(MORRIS).name == "perfect up to 4 men a side, no moves before that"
    assert perfect(MORRIS, SEARCHING).name == "perfect up to 4 men a side, search before that"
    assert perfect(ludus.game("hexapawn")).name == "perfect"


@pytest.mark.slow
def test_the_name_tells_how_many_positions_may_follow():
    five = ludus.game("hexapawn:five")
    assert perfect(five).name.startswith("perfect where at most 100,000 positions can follow")


def test_what_is_not_solved_is_refused_with_the_command_that_solves_it():
    players = ludus.player("random", MORRIS), perfect(MORRIS)
    for play in (
        lambda: perfect(MORRIS).choose(MORRIS.start()),
        lambda: ludus.play_game(MORRIS, players, seed=1),
    ):
        with pytest.raises(Unsolved, match=r"perfect cannot play from .* 4 men a side") as refused:
            play()
        assert "`ludus solve nine_mens_morris:standard --out " in str(refused.value)
        assert "99 minutes of processor time, 7.8 GB of memory" in str(refused.value)
        assert "perfect:fallback=search" in str(refused.value)


def test_a_notice_says_what_is_exact():
    assert perfect(MORRIS).notice == ""
    assert perfect(ludus.game("hexapawn"), SEARCHING).notice == ""
    notice = perfect(MORRIS, SEARCHING).notice
    assert "is exact up to 4 men a side and searches before that; `ludus solve" in notice
    five = perfect(ludus.game("hexapawn:five"), SEARCHING)
    assert five.notice.endswith("100,000 positions can follow and searches before that")


def test_search_takes_over_where_nothing_is_solved():
    choice = perfect(MORRIS, SEARCHING).choose(MORRIS.start(), ludus.Limit(depth=2))
    assert choice.comment == "looking 2 moves ahead: +0.00 men (perfect up to 4 men a side)"
    assert len(choice.scores) == 24
    mill = MORRIS.parse("WW./.../.../BB..../.../.../... w 7 7")
    choice = perfect(MORRIS, f"{SEARCHING},nodes=2000").choose(mill)
    assert str(choice.move).startswith("g7x")
    won = MORRIS.parse("WW./.../B../.B...W/..B/WW./... w 0 0")
    choice = perfect(MORRIS, SEARCHING).choose(won)
    assert str(choice.move).startswith("g4-g7x")
    assert choice.comment == "looking 1 move ahead: wins in 1 move (perfect up to 4 men a side)"
    assert (
        perfect(MORRIS, f"{SEARCHING},nodes=3").choose(MORRIS.start()).comment
        == "had no time to think"
    )


def test_search_beats_random_moves():
    players = perfect(MORRIS, f"{SEARCHING},nodes=1000"), ludus.player("random", MORRIS)
    for seed in range(3):
        assert ludus.play_game(MORRIS, players, seed=seed).outcome.winner == 0


def test_limits_bind_the_search():
    player = perfect(MORRIS, SEARCHING)
    shallow = player.choose(MORRIS.start(), ludus.Limit(depth=1))
    assert shallow.comment.startswith("looking 1 move ahead")
    few = player.choose(MORRIS.start(), ludus.Limit(nodes=3))
    assert few.comment == "had no time to think"
    late = player.choose(MORRIS.start(), ludus.Limit(time=1e-9))
    assert late.comment.startswith("looking 1 move ahead")


def test_a_search_is_a_function_of_its_seed():
    players = perfect(MORRIS, f"{SEARCHING},nodes=300"), perfect(MORRIS, f"{SEARCHING},nodes=300")
    games = [ludus.play_game(MORRIS, players, seed=s, max_plies=30) for s in (1, 1, 2)]
    once, again, other = ([(m.move, m.comment) for m in each.moves] for each in games)
    assert once == again
    assert once != other


def test_options(tmp_path):
    for options in (":nodes=0", ":nodes=x", ":oracle"):
        with pytest.raises(BadSpec):
            perfect(MORRIS, options)
    with pytest.raises(Unsolved, match="backgammon is solved where both sides bear off"):
        perfect(ludus.game("backgammon"))
    with pytest.raises(CannotSolve, match="blocked side passes"):
        perfect(ludus.game("nine_mens_morris:vrajitoru"))
    with pytest.raises(BadDatabase, match="no database"):
        perfect(MORRIS, f":oracle={tmp_path}")


def test_a_database_that_is_named_is_used(tmp_path):
    for has_depth in (True, False):
        with Database.open_for_writing(tmp_path / str(has_depth), MORRIS.rules, has_depth):
            pass
    assert perfect(MORRIS, f":oracle={tmp_path / 'True'}").name.startswith("perfect in parts")
    with pytest.raises(Unsolved, match="not how soon"):
        perfect(MORRIS, f":oracle={tmp_path / 'False'}")


def test_values_read_well():
    assert str(Value("win", 1)) == "win in 1 ply"
    assert str(Value("loss", 12)) == "loss in 12 plies"
    assert str(Value("draw")) == "draw"
    assert str(Value("win")) == "win"
