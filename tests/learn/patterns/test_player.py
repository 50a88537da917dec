"""The Fuzzy player: its preferences, its options, and learning during play."""

import random
import subprocess
import sys
from dataclasses import replace

import pytest

import ludus
from ludus.arena.match import play_compiled_games
from ludus.core.errors import BadSpec, LudusError, UnknownName
from ludus.games.nine_mens_morris import PRESETS
from ludus.games.nine_mens_morris.board import POINT_NUMBERS
from ludus.learn.patterns.inference import PRESETS as SETTINGS
from ludus.learn.patterns.inference import (
    FuzzyOptions,
    FuzzyPolicy,
    compute_move_weights,
    parse_options,
)
from ludus.learn.patterns.network import encode_quadrant, learn_match
from ludus.learn.patterns.network_file import load_network, load_network_file
from support.morris import UNUSUAL, morris, odd_positions
from support.waiting import PATIENCE


def bits(*names):
    return sum(1 << POINT_NUMBERS[name] for name in names)


def knows(scores, *edges, **more):
    """Knowledge in which the listed patterns have scores, and every other 0; of both sides."""
    known = frozenset(edges)
    return FuzzyPolicy(
        tuple(scores.get(number, 0.0) for number in range(512)),
        **{"edges": known, "threat_edges": known, **more},
    )


def weights(text, known, rules="vrajitoru"):
    position = morris(rules).parse(text)
    moves = map(str, position.legal_moves())
    return dict(zip(moves, compute_move_weights(position, known), strict=True))


EMPTY, D7 = 0, 0b010000000


def test_all_moves_begin_at_one():
    found = weights("start", knows({}))
    assert set(found.values()) == {1.0}
    assert len(found) == 24


def test_a_known_move_is_raised_to_its_patterns_score():
    """d7, g4, d1 and a4 make the same pattern, each in its own quadrant."""
    found = weights("start", knows({D7: 9.0}, (EMPTY, D7)))
    assert {move for move, weight in found.items() if weight == 9.0} == {"d7", "g4", "d1", "a4"}
    assert sum(found.values()) == 20 + 36


def test_an_unknown_move_or_a_low_score_changes_nothing():
    assert set(weights("start", knows({D7: 9.0})).values()) == {1.0}
    assert set(weights("start", knows({D7: 0.5}, (EMPTY, D7))).values()) == {1.0}


def test_figure_3_a_corner_move_is_scored_where_it_closes_a_mill():
    """A man moves from a4 to a7 beside d7 and g7: the top quadrant gains a mill."""
    text = ".WW/.../.../W...../B../B../..B w 0 0"
    before = encode_quadrant(bits("d7", "g7", "a4"), 0)
    after = encode_quadrant(bits("a7", "d7", "g7"), 0)
    edges = {(before, after)}
    found = weights(text, knows({after: 50.0}, *edges))
    assert sum(
        weight for move, weight in found.items() if move.startswith("a4-a7")
    ) == pytest.approx(50)
    without = weights(text, knows({after: 50.0}, *edges, scores_corner_moves=False))
    assert sum(
        weight for move, weight in without.items() if move.startswith("a4-a7")
    ) == pytest.approx(1)


def test_the_defence_blocks_what_the_other_side_threatens():
    """Black could close a7-d7-g7 by placing on g7."""
    text = "BB./.../.../....../.../.../..W w 8 7"
    before, after = encode_quadrant(bits("a7", "d7"), 0), encode_quadrant(bits("a7", "d7", "g7"), 0)
    scores = {before: 20.0, after: 50.0}
    found = weights(text, knows(scores, (before, after), rate_threshold=2.0))
    assert found["g7"] == 50.0
    assert {weight for move, weight in found.items() if move != "g7"} == {1.0}
    steeper = weights(text, knows(scores, (before, after), rate_threshold=2.5))
    assert steeper["g7"] == 1.0, "the rate 2.5 is not more than the threshold"
    without = weights(text, knows(scores, (before, after), blocks_threats=False))
    assert without["g7"] == 1.0


def test_a_threat_need_not_be_known_as_own_moves_are():
    text = "BB./.../.../....../.../.../..W w 8 7"
    before, after = encode_quadrant(bits("a7", "d7"), 0), encode_quadrant(bits("a7", "d7", "g7"), 0)
    scores = {before: 20.0, after: 50.0}
    assert weights(text, knows(scores, threat_edges=frozenset()))["g7"] == 1.0
    assert weights(text, knows(scores, threat_edges=None))["g7"] == 50.0


def test_a_quadrant_that_a_man_leaves_is_scored_if_wanted():
    """The man on a7 leaves the top quadrant for a4, which lies in the left one alone."""
    text = "WW./.../.../....../.../.../B.B w 0 0"
    before, after = encode_quadrant(bits("a7", "d7"), 0), encode_quadrant(bits("d7"), 0)
    known = knows({after: 7.0}, (before, after))
    assert weights(text, known)["a7-a4"] == 1.0
    assert weights(text, replace(known, scores_left_quadrants=True))["a7-a4"] == 7.0


def test_a_slide_that_is_out_of_reach_threatens_nothing():
    """Black has nothing to place, and no man beside g7 but those of the line."""
    text = "BB./.../..B/W...../.W./.W./B.. w 1 0"
    before, after = encode_quadrant(bits("a7", "d7"), 0), encode_quadrant(bits("a7", "d7", "g7"), 0)
    assert weights(text, knows({after: 50.0}, (before, after)))["g7"] == 1.0


def test_an_own_move_must_gain_enough():
    """With a mill closed in its quadrant an idle move would look splendid without the threshold."""
    text = "WWW/W../.../....../B../B../..B w 0 0"
    before = encode_quadrant(bits("a7", "d7", "g7", "b6"), 0)
    after = encode_quadrant(bits("a7", "d7", "g7", "d6"), 0)
    scores = {before: 100.0, after: 120.0}
    assert weights(text, knows(scores, (before, after)))["b6-d6"] == 120.0
    assert weights(text, knows(scores, (before, after), move_threshold=5.0))["b6-d6"] == 1.0


def test_which_man_is_taken():
    """White closes a mill; Black's men on d1 and e4 stand alone, and d1 is worth more."""
    text = "WW./.../.../...B../.../.../.B. w 7 7"
    d1, e4 = encode_quadrant(bits("d1"), 2), encode_quadrant(bits("e4"), 1)
    scores = {d1: 30.0, e4: 10.0}
    shares = {
        take: weights(text, knows(scores, capture_rule=take, blocks_threats=False))
        for take in ("random", "share", "best")
    }
    assert (shares["random"]["g7xd1"], shares["random"]["g7xe4"]) == (0.5, 0.5)
    assert (shares["share"]["g7xd1"], shares["share"]["g7xe4"]) == (0.75, 0.25)
    assert (shares["best"]["g7xd1"], shares["best"]["g7xe4"]) == (1.0, 0.0)


@pytest.mark.parametrize("rules", [*PRESETS, *UNUSUAL])
@pytest.mark.parametrize(
    "spec", ["fuzzy", "fuzzy:network=empty", "fuzzy:preset=tuned", "fuzzy:k=0"]
)
def test_it_plays_legally_whatever_it_has_learned(rules, spec):
    game = morris(rules)
    player = ludus.player(spec, game)
    for position in odd_positions(game, 150, seed=6):
        choice = player.choose(position)
        assert choice.move in position.legal_moves()
        if choice.scores:
            assert sum(choice.scores.values()) == pytest.approx(1)
            assert choice.scores[choice.move] > 0
            assert "probability among" in choice.comment or len(choice.scores) == 1


def test_an_untrained_network_is_indifferent():
    player = ludus.player("fuzzy:network=empty", morris())
    choice = player.choose(morris().start())
    assert set(choice.scores.values()) == {1 / 24}


def test_the_choice_is_in_proportion_to_the_scores():
    player = ludus.player("fuzzy:k=1,moveThr=0", morris())
    position = morris().parse("WW./.B./.../....../.../.../... w 7 8")
    expected = player.choose(position).scores
    player.start_game(5)
    drawn = [player.choose(position).move for _ in range(4000)]
    for move, share in expected.items():
        assert abs(drawn.count(move) / 4000 - share) < 4 * (share / 4000) ** 0.5 + 1e-9


def test_the_same_seed_gives_the_same_game():
    game = morris()
    players = ludus.player("fuzzy", game), ludus.player("fuzzy:preset=tuned", game)
    first, second, other = (ludus.play_game(game, players, seed=seed) for seed in (4, 4, 5))
    assert [each.move for each in first.moves] == [each.move for each in second.moves]
    assert [each.move for each in first.moves] != [each.move for each in other.moves]


def test_published_and_tuned_strength():
    """Section 7: it defeats newbie and basic mostly; tuned it beats focused, over 60% of 2,000."""

    def wins(spec, opponent):
        begun = play_compiled_games(
            morris(), (spec, opponent), 1000, 18, threads=2, max_plies=10_000
        )
        other = play_compiled_games(
            morris(), (opponent, spec), 1000, 19, threads=2, max_plies=10_000
        )
        return begun["wins"][0] + other["wins"][1], begun["wins"][1] + other["wins"][0]

    assert wins("fuzzy:mutual=0.1", "newbie")[0] > 1400
    assert wins("fuzzy:mutual=0.1", "basic")[0] > 1400
    assert wins("fuzzy:mutual=0.1", "focused")[0] > 880
    assert wins("fuzzy:wL=15,network=long", "focused")[0] > 960
    assert wins("fuzzy:preset=tuned", "focused")[0] > 1200
    assert wins("fuzzy:network=empty", "newbie")[0] < 200


def test_options_read_as_the_issue_writes_them():
    settings = parse_options("k=4,mutual=0.2,wT=0.33,wL=15").to_settings()
    assert (settings.k, settings.mutual, settings.wT, settings.wL) == (4, 0.2, 0.33, 15)
    seed = SETTINGS["seed"]
    assert (seed.wL, seed.wT, seed.wF, seed.wM) == (10, 1 / 3, 3, 1)
    assert (seed.k, seed.mutual, seed.rateThr, seed.moveThr) == (4, 0.2, 2, 5)
    assert FuzzyOptions().to_settings() == seed
    tuned = parse_options("preset=tuned,take=random").to_settings()
    assert (tuned.take, tuned.wL) == ("random", SETTINGS["tuned"].wL)


@pytest.mark.parametrize(
    ("options", "kind", "complaint"),
    [
        ("k=-1", BadSpec, "k=-1 must be from 0 to 20"),
        ("k=1e9", BadSpec, "from 0 to 20"),
        ("k=nan", BadSpec, "finite"),
        ("mutual=1", BadSpec, "mutual=1 must be"),
        ("wL=-0.5", BadSpec, "wL"),
        ("passes=1.5", BadSpec, "whole number"),
        ("seen=-1", BadSpec, "seen"),
        ("take=all", BadSpec, "must be one of"),
        ("preset=strong", BadSpec, "must be one of seed, paper, tuned"),
        ("rate=2", UnknownName, "rateThr"),
        ("save=x.patterns", BadSpec, "learn=yes"),
        ("k=20,wL=1000,wM=1000,mutual=0.9,passes=100", BadSpec, "beyond all bounds"),
        ("network=no/such/file", LudusError, "cannot read"),
        ("network=pyproject.toml", LudusError, "is not a network"),
        ("tuned", BadSpec, "not key=value"),
    ],
)
def test_options_that_cannot_be(options, kind, complaint):
    with pytest.raises(kind, match=complaint) as error:
        ludus.player(f"fuzzy:{options}", morris())
    assert "\n" not in str(error.value)


def test_it_plays_morris_alone():
    with pytest.raises(BadSpec, match="does not play hexapawn"):
        ludus.player("fuzzy", ludus.game("hexapawn"))


def watched(spec, opponent, seed):
    """A match with the positions it went through."""
    game = morris()
    players = ludus.player(spec, game), ludus.player(opponent, game)
    positions = [game.start()]
    ludus.play_game(game, players, seed=seed, on_move=lambda after, move: positions.append(after))
    return players[0], positions


def test_it_learns_while_it_plays_what_the_match_shows(tmp_path):
    """All it misses is a last move of the other side, which it does not get to see."""
    endings = set()
    for seed in range(6):
        path = tmp_path / f"{seed}.patterns"
        spec = f"fuzzy:learn=yes,save={path}"
        player, positions = watched(spec, "focused", seed)
        is_own = positions[-1].mover == 1
        assert path.exists() == is_own, "it learns of another's end when the next match begins"
        player.start_game(0)
        seen = positions if is_own else positions[:-1]
        endings.add(is_own)
        expected = load_network("seed")
        learn_match(expected, seen)
        assert load_network_file(path) == player.network == expected
    assert endings == {True, False}


def test_the_last_match_of_a_process_is_kept(tmp_path):
    path = tmp_path / "kept.patterns"
    code = (
        "import ludus; game = ludus.game('nine_mens_morris', 'vrajitoru');"
        f"player = ludus.player('fuzzy:network=empty,learn=yes,save={path}', game);"
        "ludus.play_game(game, (player, ludus.player('focused', game)), seed=1)"
    )
    subprocess.run([sys.executable, "-c", code], timeout=PATIENCE, check=True)
    assert load_network_file(path).games == 1


def test_a_place_where_nothing_can_be_kept_is_found_out_at_once():
    with pytest.raises(LudusError, match="cannot write"):
        ludus.player("fuzzy:learn=yes,save=no/such/folder/a", morris())


def test_what_it_learns_changes_its_play():
    player, _ = watched("fuzzy:network=empty,learn=yes", "focused", 1)
    start = morris().start()
    before = player.choose(start).scores
    player.start_game(1)
    after = player.choose(start).scores
    assert set(before.values()) == {1 / 24}
    assert player.network.games == 1
    assert player.policy.edges
    assert after.keys() == before.keys()


def test_without_learning_nothing_changes():
    player, _ = watched("fuzzy", "newbie", 2)
    player.start_game(0)
    assert player.network == load_network("seed")


def test_a_position_out_of_nowhere_begins_a_new_match():
    game = morris()
    player = ludus.player("fuzzy:network=empty,learn=yes", game)
    for position in odd_positions(game, 60, random.Random(3).randrange(100)):
        player.choose(position)
    player.start_game(1)
    for old, moves in player.network.edges.items():
        for new in moves:
            assert (old & ~new).bit_count() <= 1
            assert (new & ~old).bit_count() <= 1
