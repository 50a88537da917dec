"""Training: programs and regret are as published, and improved mode is better."""

import math
import re
import statistics

import pytest

from ludus.core.errors import BadSpec
from ludus.games import game
from ludus.learn import learner as named_learner
from ludus.learn.episodes import EpisodeConfig, EpisodeTraining
from ludus.learn.episodes import train_learner as run_series
from ludus.learn.migo.induction import compute_posterior
from ludus.learn.migo.learner import MigoOptions
from ludus.learn.migo.program import parse_program
from ludus.learn.migo.train import MigoLearner
from ludus.learn.training import fit
from support.migo_learners import exact, opponent, train_learner, train_program
from support.repetition import repeat

FIGURE_4_WINS = [
    "win_1_1_1(A,B) :- move(A,B), won(B).",
    "win_1(A,B) :- win_1_1_1(A,B), won(B).",
    "win_2_1_1(A,B) :- move(A,B), not(win_1(B,_)).",
    "win_2(A,B) :- win_2_1_1(A,B), not(win_2_1_1(B,_)).",
    "win_3_1_1(A,B) :- win_2_1_1(A,B), not(win_2(B,_)).",
    "win_3(A,B) :- win_3_1_1(A,B), not(win_3_1_1(B,_)).",
]
"""As printed by Muggleton and Hocquette (2019), with win_3 from the text."""


def _wins(program):
    """The rules for winning. The last number of a one-shot rule only counts examples."""
    clauses = [str(clause) for clause in program.clauses if clause.head.startswith("win")]
    return [re.sub(r"(win_\d_1)_\d+", r"\1_1", clause) for clause in clauses]


def test_the_published_wins_of_noughts_and_crosses_are_found():
    program = train_program("noughts_and_crosses", "faithful")
    assert _wins(program) == FIGURE_4_WINS


def test_the_published_rules_of_hexapawn_are_found():
    program = train_program("hexapawn", "faithful", 100)
    first = program["draw_1"][0].first
    assert _wins(program) == FIGURE_4_WINS[:2]
    assert str(program["draw_1"][0]) == f"draw_1(A,B) :- {first}(A,B), not(win_1(B,_))."
    assert [str(each) for each in program[first]] == [
        f"{first}(A,B) :- move(A,B), not(win_1(B,_))."
    ]
    lower = program["draw_2"][0].first
    assert str(program["draw_2"][0]) == f"draw_2(A,B) :- {lower}(A,B), not(win_1(B,_))."
    assert [str(each) for each in program[lower]] == [
        f"{lower}(A,B) :- draw_1(A,B), not(win_1(B,_))."
    ]


@pytest.mark.parametrize(
    ("spec", "learning", "games", "mean", "deviation", "runs"),
    [
        pytest.param("noughts_and_crosses", "mixed", 200, 40.05, 27.3, 20, marks=pytest.mark.slow),
        pytest.param(
            "noughts_and_crosses", "separated", 200, 52.75, 32.3, 20, marks=pytest.mark.slow
        ),
        ("hexapawn", "mixed", 100, 2.23, 1.75, 40),
        ("hexapawn", "separated", 100, 3.95, 3.24, 40),
    ],
)
def test_cumulative_regret_is_the_published_one(spec, learning, games, mean, deviation, runs):
    """Within two standard errors of the difference between their mean and that of our runs."""
    seeds = range(repeat(12, 40))
    ours = [sum(train_learner(spec, games, seed, learning=learning)[1]) for seed in seeds]
    error = math.hypot(deviation / math.sqrt(runs), statistics.stdev(ours) / math.sqrt(len(ours)))
    assert abs(statistics.mean(ours) - mean) < 2 * error


@pytest.mark.parametrize(
    ("spec", "regret"),
    [("noughts_and_crosses", 1 / 12), ("hexapawn", 0), ("hexapawn:size=4", 1 / 8)],
)
def test_what_is_learned_as_published_has_the_published_defects(spec, regret):
    """One of twelve boards loses a point to a draw rule that looks one move ahead; on the larger
    board of hexapawn, stalemate counts as won."""
    assert exact(spec, train_program(spec, "faithful")) == pytest.approx(regret)


@pytest.mark.parametrize("spec", ["noughts_and_crosses", "hexapawn", "hexapawn:size=4"])
@pytest.mark.parametrize("switches", [{}, {"active": True}, {"selfplay": True}])
def test_improved_programs_give_nothing_away(spec, switches):
    for seed in range(repeat(1, 3)):
        learner, regrets = train_learner(spec, 100, seed, mode="improved", **switches)
        assert exact(spec, learner.program) == 0
        assert sum(regrets[50:]) == 0


def test_improved_learning_costs_a_third_of_the_published_at_most():
    totals = [
        sum(train_learner("noughts_and_crosses", 200, seed, mode="improved")[1])
        for seed in range(repeat(6, 20))
    ]
    assert statistics.mean(totals) < 15


def test_transfer_lets_a_learner_win_from_the_first_game():
    played = game("hexapawn:size=4")
    learner = MigoLearner(played)
    given = train_program("noughts_and_crosses", "faithful")
    learner.strategy_learner.transfer(given)
    reasoner = learner.strategy_learner.reasoner
    ours, theirs = reasoner.concepts(learner.program), reasoner.concepts(given)
    assert [ours[name] for name in given.strategy] == [theirs[name] for name in given.strategy]
    with_it = sum(run_series(learner, 40, 1, opponent=opponent("hexapawn:size=4")).regrets)
    without = statistics.mean(
        sum(train_learner("hexapawn:size=4", 40, seed)[1]) for seed in range(5)
    )
    assert with_it < without


GIVEN = """% ludus migo 1
win_1(A,B) :- move(A,B), won(B).
win_2_1_1(A,B) :- move(A,B), not(win_1(B,_)).
win_2(A,B) :- win_2_1_1(A,B), not(win_2_1_1(B,_)).
win_3_1_1(A,B) :- win_2_1_1(A,B), not(win_2(B,_)).
win_3(A,B) :- win_3_1_1(A,B), not(win_3_1_1(B,_)).
"""


def test_invented_predicates_are_set_apart():
    """Whatever is learned later may be called win_2_1_1, and mean something else or be given up."""
    agent = named_learner("migo", game("noughts_and_crosses"))
    agent.strategy_learner.transfer(parse_program(GIVEN).program)
    names = list(agent.program)
    assert names == ["win_1", "given_win_2_1_1", "win_2", "given_win_3_1_1", "win_3"]
    assert agent.program.strategy == ["win_1", "win_2", "win_3"]


def test_what_is_not_replaced_stays():
    agent = named_learner("migo", game("noughts_and_crosses"))
    agent.strategy_learner.transfer(parse_program(GIVEN).program)
    regret = run_series(agent, 60, 3).regrets
    assert {"win_1", "win_2", "win_3"} <= set(agent.program)
    # The wins are known from the first game on; only draws are still to be learned.
    assert sum(regret) < 30


def test_learners_say_whether_they_can_use_what_another_has_learned():
    given = named_learner("migo", game("hexapawn"))
    given.strategy_learner.transfer(parse_program(GIVEN).program)
    agent = named_learner("migo", game("noughts_and_crosses"))
    other = named_learner("menace", given.game)
    agent.transfer(given)
    assert agent.list_rules()[0] == given.list_rules()[0] == GIVEN.splitlines()[1]
    assert other.list_rules() == []
    with pytest.raises(BadSpec, match="'menace' cannot use"):
        other.transfer(given)
    with pytest.raises(BadSpec, match="'menace' has learned no program"):
        agent.transfer(other)


def test_separated_learning_waits_until_wins_are_stable():
    learner = MigoLearner(game("hexapawn"), MigoOptions(learning="separated", patience=7))
    training = EpisodeTraining(EpisodeConfig(games=100, seed=2), learner=learner)
    since = 0
    while not learner.strategy_learner.examples.all_state_ids("draw"):
        fit(training, steps=1)
        since += bool(learner.strategy_learner.learned.wins)
    assert since > 7
    assert learner.strategy_learner.examples.all_state_ids("draw")


def test_the_same_seed_gives_the_same_program():
    first, again, other = (train_learner("noughts_and_crosses", 60, seed)[0] for seed in (4, 4, 5))
    assert first.program == again.program
    assert first.strategy_learner.examples != other.strategy_learner.examples


@pytest.mark.parametrize("spec", ["hexapawn", "hexapawn:migo", "hexapawn:migo,size=4"])
def test_published_levels_and_patience_hold_for_all_rules_of_a_board(spec):
    """They depended on the whole spec once, so that the authors' own rules had neither."""
    settings = MigoOptions(learning="separated")
    expected = (15, 8) if "size=4" in spec else (5, 2)
    assert (settings.patience_for(game(spec)), settings.levels_for(game(spec))) == expected


def test_without_cached_proofs_the_same_is_learned():
    spec, games = "hexapawn:migo", 30
    usual, regret = train_learner(spec, games, 1)
    counting, counted_regret = train_learner(spec, games, 1, memo="count")
    plain, plain_regret = train_learner(spec, games, 1, memo="no")
    assert usual.list_rules() == counting.list_rules() == plain.list_rules()
    assert regret == counted_regret == plain_regret
    assert counting.strategy_learner.reasoner.num_inferences > games


def test_positive_only_scoring_keeps_the_rule_that_covers_less():
    assert compute_posterior(3, 4, 1, 10) > compute_posterior(3, 4, 9, 10)
    # With few examples a shorter rule is preferred, with many the one that covers less.
    assert compute_posterior(6, 1, 4, 10) < compute_posterior(3, 1, 8, 10)
    assert compute_posterior(6, 20, 4, 10) > compute_posterior(3, 20, 8, 10)
    learner, _ = train_learner("hexapawn:migo", 40, 2, scoring=True)
    assert "won(B)" in str(learner.program["win_1"][0])


def test_start_positions_by_information_gain():
    """A game tells nothing about rules that agree on its board."""
    learner, _ = train_learner("hexapawn:migo", 40, 3, gain=True)
    strategy_learner = learner.strategy_learner
    graph = strategy_learner.reasoner.graph
    starts = [graph.state_id(each) for each in game("hexapawn:migo").training_starts()]
    assert strategy_learner.learned.alternatives
    gains = [strategy_learner.expected_information(start) for start in starts]
    assert all(gain >= 0 for gain in gains)
    agree = [
        start
        for start in starts
        if all(
            len({strategy_learner.reasoner.has_solution(each, start) for each in level}) == 1
            for level in strategy_learner.learned.alternatives
        )
    ]
    for start, gain in zip(starts, gains, strict=True):
        assert (gain == 0) == (start in agree)
