"""The player with the programs that come with Ludus, and its explanations."""

import pytest

from ludus.core.errors import LudusError
from ludus.core.match import play_game
from ludus.games import game
from ludus.learn.migo.explain import MAX_EXPLANATION_LINES, NO_RULE_SENTENCE, Explainer
from ludus.learn.migo.games import StateGraph
from ludus.learn.migo.inference import Reasoner, Strategy
from ludus.learn.migo.program import Clause, Program, load_shipped_program
from ludus.oracles import oracle as find_oracle
from ludus.players import player
from support.migo_learners import exact


@pytest.mark.parametrize("spec", ["noughts_and_crosses", "hexapawn", "hexapawn:size=4"])
def test_programs_that_come_along_give_nothing_away(spec):
    assert exact(spec, load_shipped_program(spec, "improved").program) == 0
    assert load_shipped_program(spec, "faithful").game == spec


def test_it_never_loses_and_says_why_it_moves():
    played = game("hexapawn:size=4")
    migo, other = player("migo", played), player("random", played)
    for seed in range(6):
        record = play_game(played, (migo, other), seed=seed)
        assert record.outcome.winner != 1
        assert all(m.comment.startswith("State A is ") for m in record.moves if m.mover == 0)


def test_the_same_seed_gives_the_same_moves_without_a_rule(tmp_path):
    file = tmp_path / "win.pl"
    file.write_text("% ludus migo 1\nwin_1(A,B) :- move(A,B), won(B).\n")
    played = game("noughts_and_crosses")
    migo = player(f"migo:program={file}", played)
    games = [play_game(played, (migo, migo), seed=seed).moves for seed in (1, 1, 2)]
    moves = [[each.move for each in moves] for moves in games]
    assert moves[0] == moves[1] != moves[2]
    assert games[0][0].comment == "no rule gives a move here"


@pytest.mark.parametrize(
    "spec", ["migo:mode=best", "migo:program=/nowhere", "migo:x=1", "migo:program=/dev/zero"]
)
def test_bad_options(spec):
    with pytest.raises(LudusError):
        player(spec, game("hexapawn"))


def test_boards_without_a_program_say_how_to_get_one():
    with pytest.raises(LudusError, match="ludus train migo"):
        player("migo", game("hexapawn:size=6"))


def _explainer(spec, mode="improved"):
    return Explainer(Strategy(Reasoner(StateGraph()), load_shipped_program(spec, mode).program))


def test_the_lines_of_a_win_answer_every_reply_and_win():
    """Each line is played out, and the oracle agrees with every answer."""
    played = game("noughts_and_crosses")
    start = played.parse("XO./.../... x")
    found = _explainer("noughts_and_crosses").explain(start)
    assert found.rule == "win_3"
    oracle = find_oracle(played)
    place = start.play(played.parse_move(found.move, start))
    stack, replies = [place], []
    for line in found.lines:
        depth = (len(line) - len(line.lstrip())) // 2
        stack = stack[: depth + 1]
        reply, _, answer = line.strip().partition(": ")
        after = stack[-1].play(played.parse_move(reply, stack[-1]))
        after = after.play(played.parse_move(answer.split()[0], after))
        assert ("and wins" in answer) == (after.outcome() is not None)
        assert oracle.value(after).result == "loss"
        stack.append(after)
        if depth == 0:
            replies.append(reply)
    assert sorted(replies) == sorted(map(str, place.legal_moves()))


def test_a_drawing_move_comes_with_what_refutes_the_others():
    played = game("noughts_and_crosses")
    position = played.parse("X../.../... o")
    found = _explainer("noughts_and_crosses").explain(position)
    assert (found.move, found.rule) == ("b2", "draw_1")
    assert len(found.lines) == 7
    assert all("wins for the opponent" in line for line in found.lines)


def test_explanations_end():
    deep = _explainer("hexapawn:size=4").explain(game("hexapawn:size=4").start())
    assert len(deep.lines) <= MAX_EXPLANATION_LINES + 1
    empty = Explainer(Strategy(Reasoner(StateGraph()), Program()))
    assert empty.explain(game("hexapawn").start()).sentence == NO_RULE_SENTENCE
    quick = Program((Clause("win_1", "move", "postcond", "won"),))
    found = Explainer(Strategy(Reasoner(StateGraph()), quick)).explain(game("hexapawn").start())
    assert found.rule is None
