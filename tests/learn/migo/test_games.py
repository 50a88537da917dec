"""Games defined by move, won and drawn alone: connect-3, a user's file, Morris endings."""

import inspect
import random

import pytest

from ludus.core.errors import BadPosition, LudusError
from ludus.games import game
from ludus.games.nine_mens_morris.batch import PositionBatch
from ludus.learn.migo import connect_three
from ludus.learn.migo.games import (
    WON_STATE,
    StateGraph,
    ThreeMenPrimitives,
    canonicalize,
    count_states,
    find_target_game,
)
from ludus.learn.migo.induction import DependentLearner, ExampleSet
from ludus.learn.migo.inference import KnownLevels, Reasoner
from ludus.learn.migo.learner import MigoOptions, StrategyLearner
from ludus.oracles import oracle as find_oracle
from support.migo_learners import all_boards

NIM = """
def start(): return (5, 0)
def move(state): return [(state[0] - n, 1 - state[1]) for n in (1, 2) if state[0] >= n]
def won(state): return state[0] == 0
def drawn(state): return False
"""


def test_connect_three_has_as_many_positions_as_is_known_and_fits_a_screen():
    chosen = find_target_game("connect_three")
    assert len(all_boards(chosen.graph, chosen.start_state)) == 41_750
    assert len(inspect.getsource(connect_three).splitlines()) < 60


def test_connect_three_lines():
    won = connect_three.won
    assert won("..../..../..../xxx. o")
    assert won("..../..x./.xo./xoo. o")
    assert won("x.../x.../x.../.... o")
    assert won("..../x.../ox../oox. o")
    assert not won("..../..../...x/xx.. o"), "no line runs over an edge"
    assert not won("..../..../..../xxx. x"), "the side to move has not just won"
    assert connect_three.drawn("xoxo/xoxo/oxox/oxox x")


def test_a_game_of_ones_own_is_learned_from_its_file(tmp_path):
    """Who leaves a multiple of three wins at taking one or two."""
    file = tmp_path / "nim.py"
    file.write_text(NIM)
    chosen = find_target_game(str(file))
    agent, source = (
        StrategyLearner(chosen.graph, MigoOptions(mode="improved", selfplay=True)),
        random.Random(1),
    )
    for _ in range(30):
        start = chosen.graph.state_id(source.choice([chosen.start_state, *chosen.start_states]))
        agent.learn(*agent.play_self(start, source))
    for left in range(1, 6):
        assert agent.has_known_win(chosen.graph.state_id((left, 0))) == (left % 3 != 0)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "def start(): return 1",
        "raise SystemError('two\\nlines')",
        "x = (",
        "\0",
        NIM.replace("(5", "(1"),
        NIM.replace("(5, 0)", "[5, 0]"),
        NIM.replace("state[0] - n", "state[2]"),
        NIM.replace("move(state)", "move()"),
    ],
)
def test_files_that_define_no_game(tmp_path, text):
    file = tmp_path / "bad.py"
    file.write_text(text)
    with pytest.raises(LudusError) as error:
        find_target_game(str(file))
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("name", ["chess", "backgammon", "connect_three:size=5", "/nowhere/x.py"])
def test_what_cannot_be_learned(name):
    with pytest.raises(LudusError):
        find_target_game(name)


@pytest.mark.parametrize(
    ("spec", "name"),
    [
        ("hexapawn", "hexapawn"),
        ("hexapawn:five", "hexapawn:size=5"),
        ("noughts_and_crosses:size=4,line=4", "noughts_and_crosses:size=4,line=4"),
    ],
)
def test_games_keep_the_names_of_their_rules(spec, name):
    assert find_target_game(spec).name == name


def test_positions_of_a_definition_are_those_that_play_leads_to():
    chosen = find_target_game("connect_three")
    assert chosen.parse(" ..../..../..../x...  o ") == "..../..../..../x... o"
    with pytest.raises(BadPosition):
        chosen.parse("x.../..../..../.... o")


def test_three_men_move_as_the_rules_of_morris_say():
    played = game("nine_mens_morris")
    primitives, source = ThreeMenPrimitives(), random.Random(3)
    for _ in range(40):
        points = source.sample(range(24), 6)
        own, other = (sum(1 << p for p in each) for each in (points[:3], points[3:]))
        expected = set()
        position = _position(played, own, other)
        for move in position.legal_moves():
            after = position.play(move)
            men = after.bits[after.mover], after.bits[1 - after.mover]
            expected.add(WON_STATE if after.outcome() else canonicalize(*men))
        assert set(primitives.move(canonicalize(own, other))) == expected


def _position(played, own, other):
    from ludus.games.nine_mens_morris.board import READING_ORDER, ROWS

    letters = ["W" if own >> p & 1 else "B" if other >> p & 1 else "." for p in READING_ORDER]
    text = iter(letters)
    rows = ["".join(next(text) for _ in row) for row in ROWS]
    return played.parse("/".join(rows) + " w 0 0")


def test_states_of_three_men_stand_for_all_positions():
    states = count_states()
    assert sum(states.values()) == 2024 * 1330
    assert all(
        state == canonicalize(*state) for state in random.Random(0).sample(list(states), 200)
    )


@pytest.mark.slow
def test_two_examples_teach_the_short_wins_of_morris():
    """One winning move in one, one in two; then rules are right wherever the oracle is asked."""
    states = count_states()
    oracle = find_oracle(game("nine_mens_morris"))
    found = oracle.lookup(PositionBatch.from_columns(*zip(*states, strict=True)))
    codes = dict(zip(states, found.tolist(), strict=True))
    reasoner = Reasoner(StateGraph(ThreeMenPrimitives()))
    graph, examples = reasoner.graph, ExampleSet()
    for level in (1, 2):
        state = next(each for each, code in codes.items() if code == 2 * level - 1)
        board = graph.state_id(state)
        best = next(
            after
            for after in graph.moves(board)
            if codes.get(graph.states[after], 0) == 2 * level - 2
        )
        examples.add("win", level, (board, best))
    program = DependentLearner(reasoner, 3).learn(examples).program
    concepts = reasoner.concepts(program)
    known = KnownLevels(reasoner, [concepts["win_1"], concepts["win_2"]])
    for state in random.Random(5).sample(list(states), 60):
        expected = {1: 1, 3: 2}.get(codes[state])
        assert known.win_level(graph.state_id(state)) == expected
