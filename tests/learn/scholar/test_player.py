"""The scholar at play, in both of its ways; the networks are random, the rules are not."""

import dataclasses
import shutil

import numpy as np
import pytest
import torch
from safetensors.numpy import save as as_safetensors

import ludus
from ludus.core import play_game
from ludus.core.errors import LudusError
from ludus.core.player import HasPictures
from ludus.games.nine_mens_morris import PASS, POINTS, SYMMETRIES
from ludus.games.nine_mens_morris.batch import NO_POINT, PARTS, PositionBatch
from ludus.games.nine_mens_morris.board import Move
from ludus.games.nine_mens_morris.notation import PositionFields
from ludus.learn.equivariant.integer_network import IntegerNetwork
from ludus.learn.move_explanation import ABSENT_PART_NAMES
from ludus.learn.scholar import inference
from ludus.learn.scholar.encoding import (
    FEATURE_PERMUTATIONS,
    FIRST_MOVING_EXPERT,
    NUM_EXPERTS,
)
from ludus.learn.scholar.inference import (
    OUTPUT_NAMES,
    Chain,
    Scorer,
    ScorerOutput,
    penalize_length,
    utility,
)
from ludus.learn.scholar.player import (
    ScorerPolicy,
    has_repeating_move,
)
from ludus.learn.scholar.weights import INTEGERS, ScholarWeights, load_weights
from ludus.learn.weights import BadWeights
from support.morris import positions
from support.scholar import GAME, made, random_weights, saved

SOME = positions(6)[::4]
KINDS = ("scorer", "chain")


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("scholars")
    return {kind: saved(folder, kind) for kind in KINDS}


@pytest.fixture(scope="module", params=KINDS)
def player(request, files):
    return made(files[request.param], kind=request.param)


def test_some_positions_of_all_phases_are_tried():
    mine = [(position.hands[position.mover], position.bits[position.mover]) for position in SOME]
    assert any(hand for hand, _ in mine)
    assert any(not hand and men.bit_count() > 3 for hand, men in mine)
    assert any(not hand and men.bit_count() == 3 for hand, men in mine)


def test_moves_are_legal_and_all_legal_moves_have_scores(player):
    for position in SOME:
        choice = player.choose(position)
        assert choice.move in position.legal_moves()
        assert list(choice.scores) == position.legal_moves()
        assert all(-1 <= score <= 1 for score in choice.scores.values())
        assert choice.comment


def test_many_positions_at_once_are_evaluated_as_one_by_one(player):
    for position, choice in zip(SOME, player.choose_many(SOME), strict=True):
        alone = player.choose(position)
        assert alone.move == choice.move
        assert alone.scores == pytest.approx(choice.scores, abs=1e-5)
    assert player.choose_many([]) == []


@pytest.mark.parametrize("rule", ["scorer", "parts", "joint"])
def test_turned_positions_have_the_same_scores(files, rule):
    options = {"kind": "scorer"} if rule == "scorer" else {"kind": "chain", "rule": rule}
    player = made(files[options["kind"]], **options)
    for number, position in enumerate(SOME[::3]):
        image = SYMMETRIES[1 + number % 15]
        here, there = (turned(position, each) for each in (SYMMETRIES[0], image))
        scores = player.choose(here).scores.items()
        wanted = {turned_move(move, image): score for move, score in scores}
        assert player.choose(there).scores == pytest.approx(wanted, abs=1e-4)


def turned(position, image):
    """Return the image of a position under a symmetry, without its history."""
    men = tuple(
        frozenset(image[point] for point in range(24) if bits >> point & 1)
        for bits in position.bits
    )
    return GAME.position(PositionFields(men, position.hands, position.mover))


def turned_move(move, image):
    return Move(*(None if point is None else image[point] for point in move))


@pytest.mark.parametrize("aversion", [1, 400])
def test_the_scorer_plays_the_best_score(files, aversion):
    player = made(files["scorer"], loss_aversion=aversion)
    scorer = Scorer(load_weights(files["scorer"]))
    for position in SOME[::5]:
        choice = player.choose(position)
        assert choice.scores[choice.move] == max(choice.scores.values())
        for move, score in choice.scores.items():
            child = position.play(move)
            if child.outcome() is None and not (score == 0 and has_repeating_move(child)):
                chances, plies = (
                    each[0].astype(float)
                    for each in scorer.evaluate(PositionBatch.from_positions([child]))
                )
                loss, draw, win = chances
                expected = (loss - aversion * win) / (loss + draw + aversion * win)
                to_the_end = plies[0] if expected > 0 else plies[1]
                expected *= 1 - 0.1 * min(max(to_the_end / 7, 0), 1)
                assert score == pytest.approx(expected, abs=1e-5)


def test_care_shuns_what_may_be_lost():
    safe, bold = np.array([0.001, 0.998, 0.001]), np.array([0.3, 0.69, 0.01])
    assert utility(safe, 1) < utility(bold, 1)
    assert utility(safe, 400) > utility(bold, 400)
    won, lost = np.array([1.0, 0, 0]), np.array([0, 0, 1.0])
    for aversion in (1, 40, 400):
        assert (utility(won, aversion), utility(lost, aversion)) == (1, -1)


def test_near_wins_and_far_losses_are_better():
    near, far = np.array([2.0, 2.0]), np.array([6.0, 6.0])
    assert penalize_length(np.float64(1), near) > penalize_length(np.float64(1), far) > 0.8
    assert penalize_length(np.float64(-1), far) > penalize_length(np.float64(-1), near) > -1
    assert penalize_length(np.float64(0), near) == penalize_length(np.float64(0), far) == 0


def test_more_care_plays_other_moves_and_tells_the_risk(files):
    choices = [
        made(files["scorer"], loss_aversion=aversion).choose_many(SOME) for aversion in (1, 400)
    ]
    assert [each.move for each in choices[0]] != [each.move for each in choices[1]]
    assert all(each.comment.endswith(("%.", "moves.", "move.")) for each in choices[1])


def test_an_end_is_evaluated_by_the_rules(files):
    position = GAME.parse("WW./..W/.../..B.../B../.../..B w 0 0")
    ends = {move for move in position.legal_moves() if position.play(move).outcome() is not None}
    choice = made(files["scorer"]).choose(position)
    assert ends == {move for move in choice.scores if move.take is not None}
    assert all(choice.scores[move] == 1 for move in ends)
    assert choice.move in ends
    assert choice.comment.startswith("I am winning")


def test_a_repetition_is_a_draw(files):
    position = GAME.parse("W.W/..W/.../WB..../B../B../..B w 0 0")
    for move in ("a7-d7", "g1-d1", "d7-a7"):
        position = position.play(GAME.parse_move(move, position))
    again = GAME.parse_move("d1-g1", position)
    assert position.play(again).outcome().reason == "repetition"
    assert made(files["scorer"]).choose(position).scores[again] == 0


def test_a_win_that_can_be_taken_back_by_repetition_is_none():
    """White goes to and fro; if Black does too, what was there at first is there again."""
    position = GAME.parse("W.W/..W/.../WB..../B../B../..B w 0 0")
    for move in ("a7-d7", "g1-d1"):
        position = position.play(GAME.parse_move(move, position))
    back = GAME.parse_move("d7-a7", position)
    others = set(position.legal_moves()) - {back}
    assert has_repeating_move(position.play(back))
    assert not any(has_repeating_move(position.play(move)) for move in others)
    fresh = GAME.parse(str(position))
    assert not any(has_repeating_move(fresh.play(move)) for move in fresh.legal_moves())
    here = ScorerPolicy(Winning(position.play(back)), loss_aversion=400).choose_many([position])[0]
    assert here.move in others
    assert here.scores[back] == 0
    there = ScorerPolicy(Winning(fresh.play(back)), loss_aversion=400).choose_many([fresh])[0]
    assert there.move == back


class Winning:
    """A scorer to whom everything is won, and nearest after one move."""

    def __init__(self, near):
        self.near = PositionBatch.from_positions([near])

    def score(self, seen, loss_aversion):
        chances = np.tile(np.float32([1, 0, 0]), (len(seen.own), 1))
        is_near = (seen.own == self.near.own) & (seen.other == self.near.other)
        plies = np.where(is_near, 1, 5).astype(np.float32)
        output = ScorerOutput(chances, np.stack([plies, plies], axis=1))
        return output, output.score(loss_aversion)


def test_the_check_takes_the_likeliest_legal_part_of_each(files):
    chain, player = Chain(load_weights(files["chain"])), made(files["chain"], kind="chain")
    changed = 0
    for position in SOME:
        left = [parts(move) for move in position.legal_moves()]
        begun, refused = [], []
        for part, name in enumerate(PARTS):
            padded = np.array([begun + [NO_POINT] * (3 - part)])
            output = chain.probabilities_along(PositionBatch.from_positions([position]), padded)[
                0, part
            ]
            best = max({move[part] for move in left}, key=lambda each: output[each])
            if best != output.argmax():
                refused.append(name)
            left = [move for move in left if move[part] == best]
            begun.append(best)
        choice = player.choose(position)
        assert parts(choice.move) == tuple(begun)
        result = choice.comment.partition("changed ")[2]
        assert result == " and ".join(refused)
        changed += bool(refused)
    assert changed > 0, "an example of networks that break the rules"


def parts(move):
    return tuple(NO_POINT if part is None else part for part in (move.to, move.frm, move.take))


def test_scores_of_the_chain_are_how_likely_moves_are(files):
    chain, player = (
        Chain(load_weights(files["chain"])),
        made(files["chain"], kind="chain", rule="joint"),
    )
    for position in SOME[::6]:
        choice = player.choose(position)
        assert choice.scores[choice.move] == max(choice.scores.values())
        for move, score in choice.scores.items():
            output = chain.probabilities_along(
                PositionBatch.from_positions([position]), np.array([parts(move)])
            )[0]
            each = [output[part, point] for part, point in enumerate(parts(move))]
            assert score == pytest.approx(np.prod(each), rel=1e-4, abs=1e-9)


def test_without_the_check_the_likeliest_parts_are_played(files):
    free = made(files["chain"], kind="chain", check="off")
    held = made(files["chain"], kind="chain")
    chosen = (
        Chain(load_weights(files["chain"]))
        .choose(PositionBatch.from_positions(SOME))
        .choices.tolist()
    )
    illegal = 0
    answers = zip(SOME, free.choose_many(SOME), held.choose_many(SOME), chosen, strict=True)
    for position, mine, checked, likeliest in answers:
        assert list(parts(mine.move)) == likeliest
        if mine.move in position.legal_moves():
            assert mine.move == checked.move
        else:
            illegal += 1
            assert "the legality check has changed" in checked.comment
    assert illegal > 0


def test_pictures_of_the_scorer_show_the_best_score_of_each_point(files):
    player = made(files["scorer"])
    assert isinstance(player, HasPictures)
    for position in SOME[::4]:
        scores = player.choose(position).scores
        pictures = {picture.title: picture for picture in player.pictures(position)}
        for part, title in (("to", "goes"), ("frm", "moves"), ("take", "taken")):
            best = {}
            for move, score in scores.items():
                if (point := getattr(move, part)) is not None:
                    best.setdefault(POINTS[point], []).append(score)
            found = [each for name, each in pictures.items() if name.endswith(title)]
            assert len(found) == bool(best)
            for picture in found:
                heat = {name: (1 + max(its_scores)) / 2 for name, its_scores in best.items()}
                assert picture.marks.heat == pytest.approx(heat)
                assert all(len(note.text) <= 4 for note in picture.notes)
                assert len(picture.notes) <= 5, "labels would cover each other"


def test_pictures_of_the_chain_show_its_three_choices(files):
    player = made(files["chain"], kind="chain")
    assert isinstance(player, HasPictures)
    for position in SOME[::7]:
        move = player.choose(position).move
        pictures = player.pictures(position)
        assert [picture.title.split(":")[0] for picture in pictures] == list(PARTS)
        for picture, point, none in zip(
            pictures, (move.to, move.frm, move.take), ABSENT_PART_NAMES, strict=True
        ):
            assert set(picture.marks.heat) == set(POINTS)
            assert 0 < sum(picture.marks.heat.values()) <= 1 + 1e-5
            assert f"It chooses {none if point is None else POINTS[point]}" in picture.text


def test_the_same_game_again(player):
    players = player, ludus.player("newbie", GAME)
    first, second = (play_game(GAME, players, seed=4) for _ in range(2))
    assert [each.move for each in first.moves] == [each.move for each in second.moves]
    assert first.outcome.reason not in ("illegal", "crash")


@pytest.mark.parametrize("rules", ["vrajitoru", "flying=no", "quiet_plies=50"])
def test_rules_that_differ_in_little_are_played(files, rules):
    game = ludus.game("nine_mens_morris", rules)
    for kind in KINDS:
        players = made(files[kind], game, kind=kind), ludus.player("random", game)
        match = play_game(game, players, seed=1, max_plies=200)
        assert match.outcome.reason not in ("illegal", "crash")


def test_a_side_that_cannot_move_passes(files):
    game = ludus.game("nine_mens_morris", "vrajitoru")
    stuck = game.parse("WBW/.../.../B....B/.../.../WBW w 0 0")
    for kind in KINDS:
        assert made(files[kind], game, kind=kind).choose(stuck).move == PASS


@pytest.mark.parametrize(
    "rules", ["lasker", "morabaraba", "diagonals=yes", "men=5", "place_or_move=yes"]
)
def test_other_games_are_refused(files, rules):
    with pytest.raises(LudusError, match="9 men a side") as error:
        made(files["scorer"], ludus.game("nine_mens_morris", rules))
    assert "\n" not in str(error.value)


def test_python_positions_are_answered_like_compiled_ones(player):
    twins = positions(2, engine="python"), positions(2)
    first, second = (player.choose_many(each) for each in twins)
    assert [choice.move for choice in first] == [choice.move for choice in second]


@pytest.mark.parametrize(
    ("kind", "options", "words"),
    [
        ("scorer", {"kind": "chain"}, "plays with kind=scorer, not kind=chain"),
        ("chain", {}, "plays with kind=chain, not kind=scorer"),
        ("scorer", {"kind": "guess"}, "kind"),
        ("scorer", {"loss_aversion": "0.5"}, "loss_aversion"),
        ("scorer", {"loss_aversion": "nan"}, "loss_aversion"),
        ("scorer", {"loss_aversion": "much"}, "loss_aversion"),
        ("chain", {"kind": "chain", "loss_aversion": "2"}, "kind=scorer"),
        ("scorer", {"check": "off"}, "kind=chain"),
        ("scorer", {"rule": "joint"}, "kind=chain"),
        ("chain", {"kind": "chain", "rule": "joint", "check": "off"}, "nothing to check"),
        ("chain", {"kind": "chain", "rule": "guess"}, "rule"),
        ("chain", {"kind": "chain", "check": "perhaps"}, "check"),
    ],
)
def test_options_that_do_not_fit_are_refused(files, kind, options, words):
    with pytest.raises(LudusError, match=words) as error:
        made(files[kind], **options)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("weights", ["/nowhere", "/tmp", "\0", "x" * 5000])
def test_files_that_are_none_are_refused(weights):
    with pytest.raises(LudusError) as error:
        made(weights)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("kind", KINDS)
def test_weights_that_are_too_large_to_reckon_with_are_refused(tmp_path, kind):
    weights = random_weights(kind, repeats=4)
    for expert in weights.experts:
        for name, values in expert.items():
            if name.endswith(".scale"):
                values[:] = 60_000
    weights.save(tmp_path / "large")
    with pytest.raises(BadWeights, match="not a finite number") as error:
        made(tmp_path / "large", kind=kind)
    assert "\n" not in str(error.value)


@pytest.fixture
def folder(tmp_path, files):
    """A folder like that of the shipped networks."""
    for kind, size in (("scorer", "full"), ("scorer", "small"), ("chain", "full")):
        shutil.copy(files[kind], tmp_path / f"{kind}-{size}.safetensors")
    (tmp_path / "notes.txt").write_text("not a network")
    (tmp_path / "other-full.safetensors").write_text("not a kind")
    return tmp_path


def test_a_file_in_the_folder_is_all_that_shipping_takes(folder):
    wanted = [("chain", "full"), ("scorer", "full"), ("scorer", "small")]
    assert list(inference.find_shipped_weights(folder)) == wanted
    for kind, size in wanted:
        found = inference.load_networks(kind, size, folder=folder)
        assert isinstance(found, Scorer if kind == "scorer" else Chain)
        assert found is inference.load_networks(kind, size, folder=folder), "read once"
    for kind, size in (
        ("scorer", "huge"),
        ("chain", "small"),
        ("scorer", "../x"),
        ("scorer", "\0"),
    ):
        with pytest.raises(LudusError, match="there are kind=chain size=full") as error:
            inference.load_networks(kind, size, folder=folder)
        assert "\n" not in str(error.value)


def test_experts_may_be_run_through_several_times(tmp_path):
    """And so a file says how often, for each; it is once if the file says nothing."""
    seen = PositionBatch.from_positions(SOME)
    once, thrice = (random_weights("scorer", repeats) for repeats in (1, 3))
    output = [Scorer(each).evaluate(seen).probabilities for each in (once, thrice)]
    assert np.abs(output[0] - output[1]).max() > 0.01
    mixed = dataclasses.replace(
        once, repeats=(1,) * FIRST_MOVING_EXPERT + thrice.repeats[FIRST_MOVING_EXPERT:]
    )
    mixed.save(tmp_path / "mixed")
    assert load_weights(tmp_path / "mixed").repeats == mixed.repeats
    is_placing = (seen.own_hand > 0) | (seen.other_hand > 0)
    wanted = np.where(is_placing[:, None], *output)
    np.testing.assert_array_equal(
        Scorer(load_weights(tmp_path / "mixed")).evaluate(seen).probabilities, wanted
    )
    for bad in (0, 17, 2.0, "2", None, True):
        with pytest.raises(BadWeights, match="repeated"):
            dataclasses.replace(once, repeats=(bad, *once.repeats[1:]))
    with pytest.raises(BadWeights, match="repeated"):
        dataclasses.replace(once, repeats=(1, 1))


@pytest.mark.parametrize("repeats", ["1", '"x"', "null", "[[1]]", '{"a": 1}', "[1, 2]"])
def test_files_that_repeat_in_another_way_are_refused(tmp_path, repeats):
    described = f'{{"format": 1, "kind": "scholar-scorer", "repeats": {repeats}}}'
    tensors = {"0/first": np.zeros((2, 3), np.float16)}
    (tmp_path / "x").write_bytes(as_safetensors(tensors, {"ludus": described}))
    with pytest.raises(BadWeights) as error:
        load_weights(tmp_path / "x")
    assert "\n" not in str(error.value)


def test_old_names_of_options_work_for_a_release(files):
    old = made(files["scorer"], way="scorer", care=40)
    assert (old.settings.kind, old.settings.loss_aversion) == ("scorer", 40)
    with pytest.raises(LudusError, match="given twice"):
        made(files["scorer"], way="scorer", kind="scorer")


def test_a_scorer_of_whole_numbers_plays_symmetric_positions_alike(tmp_path):
    """Equal scores, too: with weights of zero all moves are equal."""
    torch.manual_seed(1)
    network = IntegerNetwork(FEATURE_PERMUTATIONS, len(OUTPUT_NAMES), 4, 1, NUM_EXPERTS)
    for scale in (0.1, 0.0):
        with torch.no_grad():
            for parameter in network.parameters():
                parameter.copy_(scale * torch.randn_like(parameter))
        path = tmp_path / f"{scale}.safetensors"
        ScholarWeights(INTEGERS, tuple(network.quantize())).save(path)
        player = made(path)
        for position in SOME[::3]:
            batch = PositionBatch.from_positions([position])
            (plain,) = batch.to_positions(GAME)  # without its history
            key = after_key(plain, player.choose(plain).move)
            for image in SYMMETRIES[1:6]:
                (moved,) = batch.transform(image).to_positions(GAME)
                assert after_key(moved, player.choose(moved).move) == key


def after_key(position, move):
    """The canonical key of the position after a move."""
    return int(PositionBatch.from_positions([position.play(move)]).canonical_keys()[0])
