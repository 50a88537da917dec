"""The contract of `ludus.core.game`, held by every game with every preset and engine."""

import dataclasses
import pickle
import random
import xml.etree.ElementTree as ElementTree
from functools import cache
from itertools import islice

import pytest

import ludus
from ludus.core import CHANCE, BadMove, BadPosition, Outcome, play_game
from ludus.core.notation import TurnState
from ludus.games.move_entry import get_move_entry
from support.games import VARIANTS, play_randomly
from support.repetition import repeat

GAMES = repeat(3, 12)
"""Random games per variant."""


@pytest.fixture(params=["native", "python"])
def engine(request):
    return request.param


@pytest.fixture(params=VARIANTS, ids=lambda variant: ".".join(variant))
def game(request, engine):
    name, preset = request.param
    return ludus.game(name, preset, engine)


@cache
def random_games(name, preset, engine):
    """A few random games, played once for all tests."""
    game = ludus.game(name, preset, engine)
    return [list(play_randomly(game, seed)) for seed in range(GAMES)]


def sample(game, every=1):
    """Positions of random games, always with the first and the last one."""
    preset = next(name for name, rules in game.presets.items() if rules == game.rules)
    for positions in random_games(game.id, preset, game.engine):
        yield from (*positions[::every], positions[-1])


def test_the_game_says_what_it_is(game):
    assert ludus.GAMES[game.id] is type(game)
    assert game.title
    assert len(game.sides) == 2
    assert game.rules in game.presets.values()
    assert game.start().outcome() is None
    assert game.start() == game.start()


def test_moves_are_distinct_and_end_with_the_game(game):
    for position in sample(game):
        moves = position.legal_moves()
        assert len(set(moves)) == len(moves)
        assert len({str(move) for move in moves}) == len(moves)
        assert (moves == []) == (position.outcome() is not None)
        assert moves == position.legal_moves(), "asking twice must not matter"


def test_an_outcome_has_a_winner_and_a_reason(game):
    for position in sample(game, every=1000):
        outcome = position.outcome()
        if outcome is not None:
            assert outcome.winner in (0, 1, None)
            assert outcome.reason.isidentifier()
            assert outcome.score(0) == -outcome.score(1)
            assert (outcome.score(0) == 0) == (outcome.winner is None)


def test_positions_are_values(game):
    for position in sample(game, every=5):
        before, key = str(position), hash(position)
        for move in position.legal_moves()[:3]:
            assert position.play(move) == position.play(move)
            assert hash(position.play(move)) == hash(position.play(move))
        assert str(position) == before
        assert hash(position) == key
        assert len({position, game.parse(before)}) == 1
        assert position != "something else"


def test_positions_cannot_be_changed(game):
    with pytest.raises((AttributeError, TypeError)):
        game.start().mover = 1


def test_position_texts_round_trip(game):
    for position in sample(game, every=3):
        again = game.parse(str(position))
        assert again == position
        assert str(again) == str(position)
        assert again.legal_moves() == position.legal_moves()
        assert again.outcome() == position.outcome()
        assert "\n" not in str(position)


def test_move_texts_round_trip(game):
    for position in sample(game, every=7):
        for move in position.legal_moves():
            assert game.parse_move(str(move), position) == move
            assert "," not in str(move), "records write commas for spaces"


def test_the_mover_is_a_side_or_chance(game):
    for position in sample(game, every=3):
        assert position.mover in (0, 1, CHANCE)
        if position.mover == CHANCE and position.outcome() is None:
            chances = game.chances(position)
            assert [move for move, _ in chances] == position.legal_moves()
            assert sum(probability for _, probability in chances) == pytest.approx(1)
        else:
            assert game.chances(position) == []


def test_illegal_moves_are_refused(game):
    foreign = {move for other in sample(game, every=40) for move in other.legal_moves()}
    for position in sample(game, every=9):
        legal = set(position.legal_moves())
        for move in list(foreign - legal)[:5]:
            with pytest.raises(BadMove):
                position.play(move)
        for nonsense in (None, "d6", 3, (), (-1, 99), ("a", "b", "c"), object()):
            with pytest.raises(BadMove):
                position.play(nonsense)


def test_steps_tell_moves_apart(game):
    """A front end builds moves place by place, so places must decide which move is meant."""
    for position in sample(game, every=7):
        if position.mover != CHANCE:
            steps = [game.steps(move) for move in position.legal_moves()]
            assert all(isinstance(place, str) for path in steps for place in path)
            assert len(set(steps)) == len(steps)


def test_symmetries_keep_the_rules(game):
    symmetries = game.symmetries()
    places = range(len(symmetries[0]))
    assert symmetries[0] == tuple(places)
    assert len(set(symmetries)) == len(symmetries)
    assert all(sorted(symmetry) == list(places) for symmetry in symmetries)
    for position in sample(game, every=15):
        for symmetry in symmetries:
            image = game.transform(position, symmetry)
            moves = {game.transform_move(move, symmetry) for move in position.legal_moves()}
            assert set(image.legal_moves()) == moves
            assert image.outcome() == position.outcome()


def test_symmetries_are_a_group(game):
    symmetries = game.symmetries()
    for first in symmetries:
        for second in symmetries:
            assert tuple(second[place] for place in first) in symmetries


def test_positions_travel_between_processes(game):
    for position in sample(game, every=25):
        assert pickle.loads(pickle.dumps(position)) == position


def test_every_position_draws_itself(game):
    for position in sample(game, every=30):
        assert len(position.text().splitlines()) > 2
        ElementTree.fromstring(position.svg())
        assert position._repr_svg_() == position.svg()


@pytest.mark.parametrize("text", ["", " ", "\0", "nonsense", "x" * 5000, "\ud800", "٣٣٣", "/" * 50])
def test_texts_that_are_no_position_are_refused(game, text):
    with pytest.raises(BadPosition) as error:
        game.parse(text)
    assert "\n" not in str(error.value)
    assert len(str(error.value)) < 400


@pytest.mark.parametrize("text", ["", "\0", "nonsense", "x" * 5000, "\ud800", "99", "a1-a1-a1-a1"])
def test_texts_that_are_no_move_are_refused(game, text):
    with pytest.raises(BadMove) as error:
        game.parse_move(text, game.start())
    assert "\n" not in str(error.value)
    assert len(str(error.value)) < 400


def test_matches_are_reproducible(game):
    players = ludus.player("random", game), ludus.player("random", game)
    first, second = (play_game(game, players, seed=5, max_plies=300) for _ in range(2))
    assert [record.move for record in first.moves] == [record.move for record in second.moves]
    assert first.outcome == second.outcome
    other = play_game(game, players, seed=6, max_plies=300)
    assert [record.move for record in first.moves] != [record.move for record in other.moves]


def test_a_match_can_be_replayed(game):
    players = ludus.player("random", game), ludus.player("random", game)
    match = play_game(game, players, seed=9, max_plies=200)
    position = game.parse(match.start)
    for record in match.moves:
        assert record.mover == position.mover
        position = position.play(record.move)
    ending = position.outcome()
    assert match.outcome == (Outcome(None, "length") if ending is None else ending)


def test_rules_are_written_as_in_a_spec(game):
    assert ludus.game(game.id, game.format_rules(game.rules)).rules == game.rules
    for field in dataclasses.fields(game.rules):
        assert field.name not in game.format_rules(game.rules, without=[field.name])


def test_moves_have_the_same_meaning_in_every_format(game):
    for position in sample(game, every=20):
        for write in game.move_formats().values():
            for move in position.legal_moves()[:40]:
                assert game.parse_move(write(move), position) == move


def test_positions_are_parsed_in_every_notation(game):
    for position in sample(game, every=20):
        texts = game.position_texts(position)
        assert texts.pop("Ludus") == str(position)
        if position.outcome() is None:
            for text in texts.values():
                legal = game.parse(text).legal_moves()
                assert len(legal) == len(position.legal_moves())
        assert game.detect_move_format(str(position)) == "game"


def test_moves_travel_as_words(game):
    """Each move is one word or several in the text protocol, and the words lead to its position."""
    notation = game.move_notation()
    for position in sample(game, every=40):
        for move in position.legal_moves()[:10]:
            for is_separate in (False, True):
                turn = TurnState(position)
                for word in notation.format_words(move, separate_captures=is_separate):
                    assert not set(word) & set(" \n")
                    turn = notation.advance(turn, word)
                assert turn == TurnState(position.play(move))


def test_names_of_places_can_be_converted_back(game):
    for position in sample(game, every=20):
        for place in {place for move in position.legal_moves() for place in game.steps(move)}:
            for side in (0, 1):
                name = get_move_entry(game).place_name
                assert name(name(place, side), side) == place


def test_hints_for_searches(game):
    for position in sample(game, every=20):
        assert isinstance(game.evaluate(position), int)
        assert isinstance(game.phase(position, 3), str) or position.mover == CHANCE
        assert {game.is_capture(move) for move in position.legal_moves()} <= {False, True}
    moves = game.all_moves()
    if moves is not None:
        assert len(set(moves)) == len(moves)
        assert {move for each in sample(game) for move in each.legal_moves()} <= set(moves)


def test_native_random_games_are_counted(game):
    assert game.engine == "native" or not game.has_native_playouts
    if game.has_native_playouts:
        scores = game.native_playouts(game.start(), 50, seed=1, threads=1, max_plies=1000)
        assert sum(scores.values()) == 50


def test_positions_for_training_and_puzzles_can_be_played(game):
    starts = game.training_starts()
    assert starts
    assert len(set(starts)) == len(starts)
    assert all(position.outcome() is None for position in starts)
    if game.puzzle_rules is not None:
        posed = ludus.game(game.id, game.puzzle_rules, game.engine)
        for is_solved in (False, True):
            first, second = (
                list(islice(posed.puzzle_positions(random.Random(seed), is_solved), 20))
                for seed in (1, 1)
            )
            assert first == second
            assert all(posed.parse(str(position)) == position for position in first)


def test_the_default_player_plays_it(game):
    name = ludus.parse_spec(game.default_player).name
    assert ludus.PLAYERS[name].can_play(type(game))
    assert ludus.PLAYERS["perfect"].can_play(type(game))
