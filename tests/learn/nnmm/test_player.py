"""The player: legality check, hybrid, and shipped networks."""

import math
import shutil

import numpy as np
import pytest

import ludus
from ludus.core import play_game
from ludus.core.errors import LudusError
from ludus.core.player import HasPictures, Limit
from ludus.games.nine_mens_morris import PASS, POINTS
from ludus.games.nine_mens_morris.batch import PositionBatch
from ludus.learn.move_explanation import ABSENT_PART_NAMES
from ludus.learn.nnmm.chain import DEFAULT_SIZE, NetworkChain, find_shipped_weights, load_chain
from ludus.learn.nnmm.parts import ORDERS, PARTS, classes_to_moves, moves_to_classes
from ludus.learn.nnmm.player import decode_legal_move
from ludus.learn.nnmm.weights import import_galassi_networks, load_weights, save_weights
from support.facilities import external
from support.morris import positions
from support.nnmm import random_chain, saved_chain

GAME = ludus.game("nine_mens_morris")
SOME = positions(6)[::4]


@pytest.fixture(scope="module")
def chains(tmp_path_factory):
    """Files of random chains, by order."""
    folder = tmp_path_factory.mktemp("chains")
    return {order: saved_chain(folder, order, order=order, seed=3) for order in ("TFR", "RFT5")}


def made(chains, order="TFR", name="nnmm", game=GAME, **options):
    more = "".join(f",{key}={value}" for key, value in options.items())
    return ludus.player(f"{name}:weights={chains[order]}{more}", game)


@pytest.mark.parametrize("order", ORDERS[:6])
def test_the_check_takes_the_first_legal_class_of_each_ranking(order):
    chain = NetworkChain(random_chain(order, seed=4))
    for position in SOME[::5]:
        legal = position.legal_moves()
        decoder = chain.decoder(PositionBatch.from_positions([position]))
        found = decode_legal_move(decoder, chain.order, legal)
        left, begun, changed = moves_to_classes(legal).tolist(), decoder.start(), []
        for number, part in enumerate(chain.order.parts):
            likely = decoder.probabilities(number, begun)
            allowed = {move[part] for move in left}
            best = max(allowed, key=lambda each: likely[0, each])
            if best != likely[0].argmax():
                changed.append(part)
            left = [move for move in left if move[part] == best]
            begun = begun.choose_part(part, np.array([[best]]), likely)
        assert moves_to_classes([found.move]).tolist() == left
        assert found.changed_parts == tuple(changed)
        assert found.partial_moves.classes[0].tolist() == list(left[0])


def test_classes_and_moves_are_inverses():
    for position in SOME:
        legal = position.legal_moves()
        assert classes_to_moves(moves_to_classes(legal)) == legal


@pytest.mark.parametrize("order", ["TFR", "RFT5"])
@pytest.mark.parametrize("rule", ["parts", "joint"])
@pytest.mark.parametrize("symmetries", [1, 16])
def test_with_the_check_every_move_is_legal(chains, order, rule, symmetries):
    player = made(chains, order, rule=rule, symmetries=symmetries)
    choices = player.choose_many(SOME)
    for position, choice in zip(SOME, choices, strict=True):
        assert choice.move in position.legal_moves()
    assert player.decisions == len(SOME)
    assert 0 < player.interventions <= player.decisions
    single = [player.choose(position) for position in SOME[::6]]
    assert [choice.move for choice in single] == [choice.move for choice in choices[::6]]


def test_without_the_check_the_networks_have_their_way(chains):
    player, chain = made(chains, check="off"), NetworkChain(load_weights(chains["TFR"]))
    moves = [choice.move for choice in player.choose_many(SOME)]
    assert moves == classes_to_moves(chain.predict(PositionBatch.from_positions(SOME)).classes)
    assert moves == [player.choose(position).move for position in SOME]
    is_legal = [move in each.legal_moves() for move, each in zip(moves, SOME, strict=True)]
    assert not all(is_legal), "random networks know no rules"
    assert player.interventions == 0


def test_an_illegal_move_loses_the_game(chains):
    players = made(chains, check="off"), ludus.player("random", GAME)
    match = play_game(GAME, players, seed=1)
    assert match.outcome.reason == "illegal"
    assert match.outcome.winner == 1


def test_where_the_networks_choose_legally_the_check_changes_nothing(chains):
    free, held = made(chains, check="off"), made(chains)
    for mine, yours, position in zip(
        free.choose_many(SOME), held.choose_many(SOME), SOME, strict=True
    ):
        if mine.move in position.legal_moves():
            assert yours.move == mine.move
            assert "check" not in yours.comment
        else:
            assert "the legality check has changed" in yours.comment


def test_the_player_says_what_it_saw(chains):
    player = made(chains, breadth=5)
    for position in SOME[::7]:
        choice = player.choose(position)
        assert all(part in choice.comment for part in PARTS)
        assert set(choice.scores) <= set(position.legal_moves())
        assert all(0 <= score <= 1 for score in choice.scores.values())
        pictures = player.pictures(position)
        assert isinstance(player, HasPictures)
        assert [picture.title.split(":")[0] for picture in pictures] == list(PARTS)
        chosen = (choice.move.to, choice.move.frm, choice.move.take)
        for picture, point, none in zip(pictures, chosen, ABSENT_PART_NAMES, strict=True):
            heat = picture.marks.heat
            assert set(heat) == set(POINTS)
            assert 0 <= sum(heat.values()) <= 1 + 1e-5
            assert f"It chooses {none if point is None else POINTS[point]}" in picture.text


def test_the_same_seed_gives_the_same_game(chains):
    for name in ("nnmm", "hybrid"):
        players = made(chains, name=name), ludus.player("newbie", GAME)
        first, second = (play_game(GAME, players, seed=4) for _ in range(2))
        assert [each.move for each in first.moves] == [each.move for each in second.moves]
        assert first.outcome.reason not in ("illegal", "crash")


def test_rules_that_networks_can_represent_are_played(chains):
    for rules in ("vrajitoru", "flying=no", "men=5", "place_or_move=yes"):
        game = ludus.game("nine_mens_morris", rules)
        match = play_game(
            game, (made(chains, game=game), ludus.player("random", game)), seed=1, max_plies=200
        )
        assert match.outcome.reason != "illegal"
    for rules in ("lasker", "morabaraba", "diagonals=yes"):
        with pytest.raises(LudusError, match="the networks"):
            made(chains, game=ludus.game("nine_mens_morris", rules))


def test_a_side_that_cannot_move_passes(chains):
    game = ludus.game("nine_mens_morris", "vrajitoru")
    stuck = game.parse("WBW/.../.../B....B/.../.../WBW w 0 0")
    assert stuck.legal_moves() == [PASS]
    assert made(chains, game=game).choose(stuck).move == PASS


def test_python_positions_are_answered_like_compiled_ones(chains):
    player = made(chains)
    twins = positions(2, engine="python"), positions(2)
    first, second = (player.choose_many(each) for each in twins)
    assert [choice.move for choice in first] == [choice.move for choice in second]
    assert player.choose_many([]) == []


@pytest.mark.parametrize(
    "options",
    [
        "rule=guess",
        "symmetries=0",
        "symmetries=17",
        "breadth=0",
        "breadth=26",
        "order=TTT",
        "order=FTR",
        "check=perhaps",
        "weights=/nowhere",
        "size=\0",
        "size=../best",
    ],
)
def test_options_out_of_range_are_refused(chains, options):
    weights = "" if "weights" in options or "size" in options else f",weights={chains['TFR']}"
    with pytest.raises(LudusError) as error:
        ludus.player(f"nnmm:{options}{weights}", GAME)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("options", ["k=0", "k=10", "depth=0", "depth=21", "symmetries=99"])
def test_options_of_the_hybrid_out_of_range_are_refused(chains, options):
    with pytest.raises(LudusError, match="must be from 1 to"):
        ludus.player(f"hybrid:weights={chains['TFR']},{options}", GAME)


@pytest.mark.parametrize("order", ["TFR", "RFT5"])
def test_the_hybrid_searches_what_the_networks_propose(chains, order):
    chain = NetworkChain(load_weights(chains[order]))
    hybrid = made(chains, order, name="hybrid", k=3, depth=2)
    hybrid.start_game(1)
    alone = 0
    for position in SOME[::3]:
        legal = position.legal_moves()
        proposed = classes_to_moves(
            chain.decoder(PositionBatch.from_positions([position])).list_candidates(3).classes
        )
        wanted = [move for move in proposed if move in legal]
        choice = hybrid.choose(position)
        if not wanted:
            alone += 1
            decoder = chain.decoder(PositionBatch.from_positions([position]))
            assert choice.move == decode_legal_move(decoder, chain.order, legal).move
        else:
            assert set(hybrid.propose(position)) == set(wanted)
            assert choice.move in wanted
        if len(wanted) > 1:
            assert set(choice.scores) == set(wanted)
            assert choice.scores[choice.move] == max(choice.scores.values())
    assert alone > 0, "an example of networks that propose nothing legal"


def test_the_search_of_the_hybrid_sees_a_mill(tmp_path):
    """Networks to which all classes are alike propose the first points; the search takes a mill."""
    weights = random_chain()
    for tensors in weights.members[0]:
        tensors["last.weight"][:] = tensors["last.bias"][:] = 0
    save_weights(tmp_path / "TFR", weights)
    position = GAME.parse("WW./BB./.../....../.../.../... w 7 7")
    hybrid = made({"TFR": tmp_path / "TFR"}, name="hybrid", k=9, depth=1)
    proposed = sorted(map(str, hybrid.propose(position)))
    assert proposed == ["c5", "d5", "f6", "g7xb6", "g7xd6"]
    choice = hybrid.choose(position)
    assert choice.move.take is not None
    assert choice.scores[choice.move] > max(
        score for move, score in choice.scores.items() if move.take is None
    )


@pytest.mark.parametrize("trust", [0, 0.2, 3])
def test_the_hybrid_adds_up_what_the_search_sees_and_what_the_networks_say(trust):
    hybrid = ludus.player(f"hybrid:depth=2,trust={trust}", GAME)
    search = ludus.player("negascout:depth=2,multipv=27,endings=no", GAME)
    differs = 0
    for position in SOME[::3]:
        proposed = hybrid.propose(position)
        if len(proposed) < 2:
            continue
        hybrid.start_game(1)
        search.start_game(1)
        seen = search.think(position, Limit(), search_moves=list(proposed)).scores
        wanted = {
            move: score + trust * math.log(proposed[move]) if abs(score) < 200 else score
            for move, score in seen.items()
        }
        choice = hybrid.choose(position)
        assert choice.scores == pytest.approx(wanted)
        assert choice.move == max(wanted, key=lambda move: (wanted[move], proposed[move]))
        differs += seen[choice.move] < max(seen.values())
    assert (differs > 0) == (trust > 0)


def test_networks_cannot_talk_the_hybrid_out_of_a_win(tmp_path):
    """White can leave Black two men, but the networks much prefer a quiet move."""
    position = GAME.parse("W../.../WW./.BBW../.../.../..B w 0 0")
    quiet, wins = (GAME.parse_move(text, position) for text in ("d5-d6", "e4-e5xb4"))
    weights = random_chain()
    for part, tensors in enumerate(weights.members[0]):
        tensors["last.weight"][:] = tensors["last.bias"][:] = 0
        for move, bias in ((quiet, 5), (wins, 1)):
            tensors["last.bias"][moves_to_classes([move])[0][part]] = bias
    save_weights(tmp_path / "TFR", weights)
    hybrid = made({"TFR": tmp_path / "TFR"}, name="hybrid", trust=10)
    proposed = hybrid.propose(position)
    assert proposed[quiet] > 1000 * proposed[wins]
    assert hybrid.choose(position).move == wins


@pytest.mark.parametrize("trust", ["-0.1", "10.5", "nan", "much"])
def test_trust_out_of_range_is_refused(chains, trust):
    with pytest.raises(LudusError, match="trust"):
        made(chains, name="hybrid", trust=trust)


@pytest.fixture
def folder(tmp_path, chains):
    """A folder like that of the shipped networks."""
    for name in (f"{DEFAULT_SIZE}-TFR", "small-TFR", "small-RFT5"):
        order = name.partition("-")[2]
        shutil.copy(chains[order], tmp_path / f"{name}.safetensors")
    (tmp_path / "notes.txt").write_text("not a network")
    (tmp_path / "other-XYZ.safetensors").write_text("not an order")
    return tmp_path


def test_a_file_in_the_folder_is_all_that_shipping_takes(folder):
    known = [(DEFAULT_SIZE, "TFR"), ("small", "TFR"), ("small", "RFT5")]
    found = list(find_shipped_weights(folder))
    assert sorted(found) == sorted(known)
    assert found.index(known[1]) < found.index(known[2]), "TFR is asked first"
    assert str(load_chain(folder=folder).order) == "TFR"
    assert str(load_chain(size="small", folder=folder).order) == "TFR"
    assert str(load_chain(size="small", order="RFT5", folder=folder).order) == "RFT5"
    for size, order in (("huge", ""), ("small", "RFT"), ("small", "XXX"), ("", "")):
        with pytest.raises(LudusError) as error:
            load_chain(size=size, order=order, folder=folder)
        assert "there are" in str(error.value)


def test_every_shipped_file_plays(chains):
    """Whatever lies in the package is found, read, and plays a game by the rules."""
    for size, order in find_shipped_weights():
        player = ludus.player(f"nnmm:size={size},order={order}", GAME)
        match = play_game(GAME, (player, ludus.player("random", GAME)), seed=1)
        assert match.outcome.reason not in ("illegal", "crash")
        assert match.outcome.winner == 0


@pytest.mark.external("nnmm")
def test_the_authors_networks_win_against_a_beginner(tmp_path):
    save_weights(tmp_path / "author", import_galassi_networks(external("nnmm", "npz")))
    player, beginner = made({"TFR": tmp_path / "author"}), ludus.player("newbie", GAME)
    won = 0
    for seed in range(6):
        players = (player, beginner) if seed % 2 == 0 else (beginner, player)
        won += play_game(GAME, players, seed=seed).outcome.winner == seed % 2
    assert won >= 5
    assert player.interventions <= 0.02 * player.decisions
