"""Training episodes: start positions, opponents and regret."""

import random
from collections import Counter
from copy import deepcopy
from functools import cache

import pytest

from ludus.arena.regret import RegretStatistics
from ludus.core.movetext import Line, Node
from ludus.core.record import Record
from ludus.games import game
from ludus.learn import learner
from ludus.learn.config import Options
from ludus.learn.episodes import (
    BLOCK_SIZE,
    EpisodeConfig,
    EpisodeTraining,
    Learner,
    NoisyOpponent,
    PerfectOpponent,
    count_plies_to,
    list_starts,
    play_episode,
    train_learner,
)
from ludus.learn.training import fit
from ludus.oracles import oracle as find_oracle

GAMES = {"noughts_and_crosses": (7, 5, 0), "hexapawn": (2, 3, 0), "hexapawn:size=4": (10, 4, 2)}


@pytest.mark.parametrize("name", GAMES)
def test_the_start_boards_have_the_published_number_and_values(name):
    played = game(name)
    boards = played.training_starts()
    utility = Counter(find_oracle(played).value(board).result for board in boards)
    assert (utility["win"], utility["draw"], utility["loss"]) == GAMES[name]
    assert all(count_plies_to(played, board) == 2 and board.mover == 0 for board in boards)


@pytest.mark.parametrize("name", ["noughts_and_crosses", "hexapawn"])
def test_every_board_one_move_ahead_is_the_mirror_image_of_exactly_one_start_board(name):
    played = game(name)
    boards = played.training_starts()
    for move in played.start().legal_moves():
        after = played.start().play(move)
        for reply in after.legal_moves():
            board = after.play(reply)
            twins = {played.transform(board, each) for each in played.symmetries()}
            assert len(twins.intersection(boards)) == 1


@cache
def plain_minimax(position):
    """Return the result and the plies to the end for the side to move, by the definition."""
    outcome = position.outcome()
    if outcome is not None:
        return outcome.score(position.mover), 0
    return max((plain_rank(position, move) for move in position.legal_moves()), key=preferred)


def plain_rank(position, move):
    score, plies = plain_minimax(position.play(move))
    return -score, plies + 1


def preferred(rank):
    """Return a sort key: quick wins before slow ones, slow losses before quick ones."""
    score, plies = rank
    return score, -score * plies


@pytest.mark.parametrize("name", ["noughts_and_crosses", "hexapawn"])
def test_the_opponent_plays_the_first_of_the_best_moves(name):
    """Best value, quickest win, slowest loss, first cell: compared on every board of the game."""
    played = game(name)
    opponent = PerfectOpponent(played)
    boards = [played.start()]
    seen = set(boards)
    for board in boards:
        if board.outcome() is not None:
            continue
        ranks = [preferred(plain_rank(board, move)) for move in board.legal_moves()]
        assert opponent.choose_move(board) == board.legal_moves()[ranks.index(max(ranks))]
        for after in map(board.play, board.legal_moves()):
            if after not in seen:
                seen.add(after)
                boards.append(after)
    assert len(boards) > 100


@pytest.mark.parametrize("against", ["perfect", "random"])
@pytest.mark.parametrize("name", GAMES)
def test_regret_is_that_of_the_command_and_of_the_paper(name, against):
    """What the moves gave away, as `ludus.regret` counts it.

    Against an opponent that never errs it is the value of the start less the result.
    """
    played = game(name)
    opponent, source = NoisyOpponent(played, against), random.Random(3)
    total = 0
    for start in played.training_starts() * 3:
        found = play_episode(start, lambda board: source.choice(board.legal_moves()), opponent)
        line = Line(tuple(Node(str(move)) for move in found.moves))
        record = Record.from_line(played, ("a", "b"), str(start), start.mover, line, found.outcome)
        counted = RegretStatistics(played, opponent.oracle)
        counted.add(record, start.mover)
        assert found.regret == counted.games[0] >= 0
        if against == "perfect":
            assert found.regret == opponent.oracle.value(start).utility - found.score
        assert found.positions[-1].outcome() == found.outcome
        total += found.regret
    assert total > 0


class Watcher(Learner):
    """Plays at random and records the start positions."""

    system = "watcher"
    Options = Options

    def state(self):
        raise AssertionError

    load = export = summary = state

    def __init__(self, played, restless=0):
        super().__init__(played)
        self.begun = []
        self.restless = restless

    def train_episode(self, start, opponent):
        self.begun.append(start)
        for _ in range(self.restless):
            self.random.random()
        return play_episode(start, lambda board: self.random.choice(board.legal_moves()), opponent)


def begun(draw, seed, games=48, restless=0):
    played = game("noughts_and_crosses")
    watcher = Watcher(played, restless)
    assert len(train_learner(watcher, games, seed, start_sampling=draw).regrets) == games
    return watcher.begun


def test_everyone_gets_the_same_boards():
    assert begun("uniform", 5) == begun("uniform", 5, restless=7) != begun("uniform", 6)


def test_boards_are_drawn_anew_in_turn_or_once():
    boards = set(game("noughts_and_crosses").training_starts())
    in_turn = begun("shuffled", 5)
    assert all(set(in_turn[first : first + 12]) == boards for first in range(0, 48, 12))
    assert in_turn[:12] != in_turn[12:24]
    assert len(set(begun("one", 5))) == 1
    assert {start for seed in range(60) for start in begun("one", seed, 1)} == boards
    assert len(set(begun("uniform", 5)[:12])) < 12


def test_random_numbers_are_seeded_anew_after_a_block():
    """So what a learner has after some blocks depends on its table and the block alone."""
    played = game("hexapawn")
    config = EpisodeConfig(games=2 * BLOCK_SIZE, seed=4, against="mixed", start="everywhere")
    whole = EpisodeTraining(config, learner=learner("her", played))
    fit(whole, steps=BLOCK_SIZE)
    before = deepcopy(whole.learner.table)
    fit(whole)
    other = EpisodeTraining(config, learner=learner("her", played))
    other.learner.table = before
    other.regrets = [0] * BLOCK_SIZE
    fit(other, steps=BLOCK_SIZE)
    assert other.regrets[BLOCK_SIZE:] == whole.regrets[BLOCK_SIZE : 2 * BLOCK_SIZE]


def test_both_sides_are_learned_everywhere():
    assert {start.mover for start in list_starts(game("hexapawn"), "everywhere")} == {0, 1}
