"""Training as section 6 does it, by parts, and with games of people."""

import pytest

import ludus
from ludus.core.errors import BadSpec, LudusError
from ludus.core.record import Record
from ludus.learn.patterns.network import PatternNetwork, learn_match
from ludus.learn.patterns.network_file import load_network
from ludus.learn.patterns.train import (
    PatternConfig,
    PatternTraining,
    replay_records,
)
from ludus.learn.training import fit, train
from support.morris import morris

SMALL = PatternConfig(own=3, mixed=2, strong=1, teacher="negascout:level=2")


def test_the_paper_has_430_games():
    assert PatternConfig().games == 430
    pairs = list(PatternConfig().pairs())
    assert pairs[:4] == [
        ("newbie", "newbie", 100),
        ("basic", "basic", 100),
        ("focused", "focused", 100),
        ("focused", "basic", 100),
    ]
    assert sum(number for _, _, number in pairs[4:]) == 30


def test_the_shipped_network_is_made_by_the_default_config():
    """Its first 30 games are learned again: all that was seen in them is in the network."""
    training = PatternTraining(PatternConfig())
    fit(training, steps=30)
    again = training.network
    assert again.games == 30
    shipped = load_network("seed")
    assert all(a <= b for a, b in zip(again.frequency, shipped.frequency, strict=True))
    for old, moves in again.edges.items():
        for new, count in moves.items():
            assert shipped.edges[old][new] >= count


def test_the_same_seed_learns_the_same():
    first, second, other = (
        train("patterns", SMALL.replace(seed=seed)).weights.network for seed in (5, 5, 6)
    )
    assert first == second
    assert first.games == SMALL.games == 14
    assert first != other


def test_training_goes_on_from_a_network(tmp_path):
    file = tmp_path / "net"
    train("patterns", SMALL, out=file)
    found = train("patterns", SMALL.replace(seed=1), init_from=file).weights.network
    assert found.games == 2 * SMALL.games
    assert f"onto {SMALL.games} games" in found.note


@pytest.mark.parametrize("change", [{"own": -1}, {"mixed": 10**9}, {"strong": -5}])
def test_plans_that_cannot_be(change):
    with pytest.raises(BadSpec, match="must be from 0"):
        PatternConfig.parse(change)


def records(*seeds, rules="vrajitoru"):
    game = morris(rules)
    players = ludus.player("focused", game), ludus.player("newbie", game)
    found = []
    positions = []
    for seed in seeds:
        seen = [game.start()]
        match = ludus.play_game(
            game, players, seed=seed, on_move=lambda after, move, seen=seen: seen.append(after)
        )
        found.append(str(Record.from_game(match, game)))
        positions.append(seen)
    return "\n\n".join(found), positions


def test_games_of_people_are_learned_from_records():
    text, positions = records(1, 2, 3)
    expected, found = PatternNetwork(), PatternNetwork()
    for seen in positions:
        learn_match(expected, seen)
    for seen in replay_records(text, "standard"):
        learn_match(found, seen)
    assert found == expected


def test_a_bad_record_says_which_game_it_is():
    text, _ = records(1)
    bad = text + "\n\n" + '[Game "nine_mens_morris"] 1. a7 a7 *'
    with pytest.raises(LudusError, match="game 2: move 1"):
        replay_records(bad, "standard")
    with pytest.raises(LudusError, match="no game"):
        replay_records("", "standard")
    with pytest.raises(LudusError, match="not of nine_mens_morris"):
        replay_records('[Game "hexapawn"] 1. a1-a2 *', "standard")
