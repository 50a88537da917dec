"""Choices of a chain, compared with one position and one class at a time."""

import numpy as np
import pytest
import torch

from ludus.core.errors import BadSpec
from ludus.games.nine_mens_morris import SYMMETRIES
from ludus.games.nine_mens_morris.batch import PositionBatch
from ludus.games.nine_mens_morris.board import READING_ORDER
from ludus.learn.nnmm.chain import CHAIN_BATCH, NetworkChain, top_k
from ludus.learn.nnmm.config import NetworkConfig
from ludus.learn.nnmm.encoding import append_choices
from ludus.learn.nnmm.network import build_network
from ludus.learn.nnmm.parts import ORDERS, classes_to_moves
from support.morris import positions
from support.nnmm import is_close, random_chain

SOME = PositionBatch.from_positions(positions(4)[::5])


def predict_step(weights, entry, step, choices, member=0):
    """Return the output of torch's network for a step, for one position and earlier choices."""
    model, number = weights.model, [each.name for each in weights.order.steps].index(step)
    place = weights.order.steps[number]
    design = NetworkConfig.parse(weights.designs[number])
    network = build_network(design, model.columns(len(place.parts_before)), torch.Generator())
    state = weights.members[member][number]
    network.load_state_dict(
        {name: torch.tensor(each) for name, each in state.items()}, strict=False
    )
    rows = model.encode(entry)
    earlier = np.array([[choices[part] for part in place.parts_before]], dtype=np.int8).reshape(
        1, -1
    )
    inputs = torch.tensor(append_choices(model, rows, earlier), dtype=torch.float32)
    with torch.no_grad():
        return torch.softmax(network.eval()(inputs), 1)[0].numpy()


@pytest.mark.parametrize("order", ORDERS[:6])
def test_parts_are_chosen_in_the_order_each_knowing_those_before(order):
    weights = random_chain(order, "rawer", seed=5)
    answer = NetworkChain(weights).predict(SOME)
    for number in range(0, len(SOME), 7):
        choices = [0, 0, 0]
        for step in weights.order.steps:
            wanted = predict_step(weights, SOME[number : number + 1], step.name, choices)
            assert is_close(answer.probabilities[number, step.part], wanted)
            choices[step.part] = int(wanted.argmax())
        assert answer.classes[number].tolist() == choices


def test_five_networks_ask_first_whether_a_part_is_there():
    weights = random_chain("FRT5", seed=3)
    answer = NetworkChain(weights).predict(SOME)
    is_there = []
    for number in range(0, len(SOME), 3):
        entry, choices = SOME[number : number + 1], [0, 0, 0]
        for name, part in (("FROM", 1), ("REMOVE", 2)):
            none, some = predict_step(weights, entry, f"{name}?", choices)
            points = predict_step(weights, entry, name, choices)[1:]
            wanted = [none, *(some * points / points.sum())]
            assert is_close(answer.probabilities[number, part], wanted)
            choices[part] = 1 + int(points.argmax()) if some > none else 0
            is_there.append(some > none)
        choices[0] = int(predict_step(weights, entry, "TO", choices).argmax())
        assert answer.classes[number].tolist() == choices
    assert set(is_there) == {True, False}


def test_an_ensemble_is_the_mean_of_its_members():
    weights = random_chain(members=3, seed=8)
    answer = NetworkChain(weights).predict(SOME)
    for number in range(0, len(SOME), 9):
        entry = SOME[number : number + 1]
        each = [predict_step(weights, entry, "TO", [0, 0, 0], member) for member in range(3)]
        assert is_close(answer.probabilities[number, 0], np.mean(each, axis=0))
    assert NetworkChain(weights).num_members == 3


def likelihood(weights, entry, move):
    """How likely a whole move is."""
    product = 1.0
    for step in weights.order.steps:
        product *= predict_step(weights, entry, step.name, move)[move[step.part]]
    return product


def test_the_joint_rule_finds_the_likeliest_move_if_it_follows_enough():
    weights = random_chain("RTF", seed=2)
    chain = NetworkChain(weights)
    answer, greedy = chain.predict(SOME, "joint", breadth=25), chain.predict(SOME)
    differs = np.flatnonzero((answer.classes != greedy.classes).any(axis=1)).tolist()
    assert len(differs) > 3, "the examples show a difference"
    for number in differs[:4]:
        entry = SOME[number : number + 1]
        best = (0.0, ())
        first = predict_step(weights, entry, "REMOVE", [0, 0, 0])
        for take in np.argsort(-first)[:8].tolist():
            second = predict_step(weights, entry, "TO", [0, 0, take])
            for to in np.argsort(-second)[:5].tolist():
                third = predict_step(weights, entry, "FROM", [to, 0, take])
                likely = float(first[take] * second[to] * third.max())
                best = max(best, (likely, (to, int(third.argmax()), take)))
        assert tuple(answer.classes[number].tolist()) == best[1]
        assert likelihood(weights, entry, greedy.classes[number].tolist()) < best[0]


def test_one_move_followed_jointly_is_chosen_part_by_part():
    chain = NetworkChain(random_chain(seed=2))
    assert (chain.predict(SOME, "joint", breadth=1).classes == chain.predict(SOME).classes).all()


def surer(weights, times):
    """The same networks with logits multiplied by a factor."""
    for tensors in (tensors for member in weights.members for tensors in member):
        tensors["last.weight"] *= times
        tensors["last.bias"] *= times
    return weights


@pytest.mark.parametrize("order", ["TFR", "RFT", "FTR5"])
@pytest.mark.parametrize("times", [0, 1, 3, 20])
@pytest.mark.parametrize("breadth", [1, 2, 5])
def test_the_likeliest_move_is_the_first_of_the_joint_ones(order, times, breadth):
    decoder = NetworkChain(surer(random_chain(order, seed=11), times)).decoder(SOME)
    wanted, found = (
        decoder.beam_search(breadth).take_every(breadth),
        decoder.decode_most_likely(breadth),
    )
    assert (found.classes == wanted.classes).all()
    assert is_close(found.probability, wanted.probability)
    assert is_close(found.probabilities, wanted.probabilities)


def questions(times, way):
    """Return the number of rows that networks evaluate for each position under a rule."""
    decoder = NetworkChain(surer(random_chain(seed=11), times)).decoder(SOME)
    plain, batch_sizes = decoder.probabilities, []

    def counting(number, begun):
        batch_sizes.append(len(begun.position))
        return plain(number, begun)

    decoder.probabilities = counting
    getattr(decoder, way)(3)
    return sum(batch_sizes) / len(SOME)


def test_confident_networks_are_evaluated_less_often():
    assert questions(1, "beam_search") == questions(20, "beam_search") == 7
    assert questions(20, "decode_most_likely") < 4 < questions(1, "decode_most_likely") < 8


@pytest.mark.parametrize("order", ["TFR", "RFT", "TFR5"])
def test_one_pass_tells_what_two_would(order):
    chain = NetworkChain(random_chain(order, seed=4))
    for number in range(0, len(SOME), 5):
        decoder = chain.decoder(SOME[number : number + 1])
        both, alone, joint = (
            decoder.decode_one_position(4),
            decoder.decode_greedily(),
            decoder.beam_search(4),
        )
        assert both.classes.tolist() == [*alone.classes.tolist(), *joint.classes.tolist()]
        assert is_close(both.probability, [*alone.probability, *joint.probability])
        assert is_close(both.probabilities[:1], alone.probabilities)
        assert is_close(both.probabilities[1:], joint.probabilities)


def test_proposals_are_the_best_of_each_part_with_each_other():
    weights = random_chain("TFR", seed=6)
    entry = SOME[20:21]
    begun = NetworkChain(weights).decoder(entry).list_candidates(3)
    wanted = {}
    first = predict_step(weights, entry, "TO", [0, 0, 0])
    for to in np.argsort(-first)[:3].tolist():
        second = predict_step(weights, entry, "FROM", [to, 0, 0])
        for frm in np.argsort(-second)[:3].tolist():
            third = predict_step(weights, entry, "REMOVE", [to, frm, 0])
            for take in np.argsort(-third)[:3].tolist():
                wanted[to, frm, take] = first[to] * second[frm] * third[take]
    found = dict(zip(map(tuple, begun.classes.tolist()), begun.probability.tolist(), strict=True))
    assert found.keys() == wanted.keys()
    assert len(found) == 27
    assert all(is_close(found[move], wanted[move]) for move in wanted)
    assert begun.probability.tolist() == sorted(begun.probability.tolist(), reverse=True)


def test_output_averaged_over_all_symmetries_is_symmetric():
    chain = NetworkChain(random_chain(seed=7))
    here = chain.decoder(SOME, 16)
    plain = here.probabilities(0, here.start())
    one = chain.decoder(SOME, 1)
    assert not is_close(plain, one.probabilities(0, one.start()))
    for symmetry in (SYMMETRIES[5], SYMMETRIES[14]):
        there = chain.decoder(SOME.transform(symmetry), 16)
        image = there.probabilities(0, there.start())
        for point, goal in enumerate(symmetry):
            assert is_close(plain[:, class_of(point)], image[:, class_of(goal)])
    assert is_close(plain.sum(axis=1), 1)


def test_symmetric_networks_need_no_averaging():
    chain = NetworkChain(
        random_chain(
            "TFR", "lines", design=NetworkConfig(architecture="symmetric", first=4, blocks=1)
        )
    )
    answer = chain.predict(SOME)
    averaged = chain.predict(SOME, symmetries=16)
    assert is_close(answer.probabilities, averaged.probabilities, 1e-4)
    assert (answer.classes == averaged.classes).all(), "rounding does not decide between equals"
    assert len({tuple(row) for row in answer.classes.tolist()}) > 10
    there = chain.predict(SOME.transform(SYMMETRIES[13]))
    for point, goal in enumerate(SYMMETRIES[13]):
        here, image = (each.probabilities[:, 0] for each in (answer, there))
        assert is_close(here[:, class_of(point)], image[:, class_of(goal)], 1e-4)


def class_of(point):
    return 1 + READING_ORDER.index(point)


def test_earlier_choices_are_seen_through_the_same_symmetry():
    """A chain asked about an image answers with the image of the move, all three parts of it."""
    chain = NetworkChain(random_chain(seed=9))
    answer = chain.predict(SOME, symmetries=16)
    for symmetry in (SYMMETRIES[3], SYMMETRIES[12]):
        image = chain.predict(SOME.transform(symmetry), symmetries=16)
        pairs = zip(classes_to_moves(answer.classes), classes_to_moves(image.classes), strict=True)
        same = [
            there == type(here)(*(None if part is None else symmetry[part] for part in here))
            for here, there in pairs
        ]
        # Where classes are equally likely, as on an empty board, either may be chosen.
        assert sum(same) > 0.95 * len(same)


def test_of_equals_the_first_is_best_and_rounding_makes_no_difference():
    values = np.array([[0.1, 0.3, 0.3, 0.2], [0.25, 0.25, 0.25, 0.25]], dtype=np.float32)
    noise = 1 + 1e-6 * np.array([[0, 0, 1, 0], [0, 3, 1, 2]], dtype=np.float32)
    for each in (values, values * noise):
        assert top_k(each, 4).tolist() == [[1, 2, 3, 0], [0, 1, 2, 3]]
        assert top_k(each, 1).tolist() == [[1], [0]]
    assert top_k(np.array([[0.5, 0.5 + 1e-10]]), 1).tolist() == [[1]], "doubles are finer"


def test_batches_do_not_matter():
    chain = NetworkChain(random_chain(seed=1))
    many = PositionBatch.from_positions(positions(40))
    assert len(many) > CHAIN_BATCH
    together = chain.predict(many)
    place = CHAIN_BATCH - 2
    apart = chain.predict(many[place : place + 4])
    assert (together.classes[place : place + 4] == apart.classes).all()
    assert is_close(together.probabilities[place : place + 4], apart.probabilities)
    assert chain.predict(many[:0]).classes.shape == (0, 3)


def test_wrong_arguments_are_refused():
    chain = NetworkChain(random_chain())
    for options in (
        {"rule": "guess"},
        {"symmetries": 0},
        {"symmetries": 17},
        {"breadth": 0},
        {"breadth": 26},
    ):
        with pytest.raises(BadSpec):
            chain.predict(SOME, **options)
