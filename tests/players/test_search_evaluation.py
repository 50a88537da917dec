"""What the evaluation sees, counted again with sets of points; and the keys of the table."""

import pytest

from ludus._native.morris import transformed
from ludus._native.search import Search, canonical
from ludus.games.nine_mens_morris import PRESETS, SYMMETRIES
from ludus.games.nine_mens_morris.board import mills, neighbours
from support.plain_negamax import morris, ongoing


def counted(position, side):
    """The features of one side from its men as sets."""
    rules, own = position.rules, position.men[side]
    hand = position.hands[side]
    free = set(range(24)) - position.men[0] - position.men[1]
    lines = [set(mill) for mill in mills(rules.diagonals)]
    near = neighbours(rules.diagonals)
    completing = {p for p in free if any(p in line and line - {p} <= own for line in lines)}
    slides = [(frm, to) for frm in own for to in near[frm] if to in free]
    closing = [
        (frm, to)
        for frm, to in slides
        if any(to in ln and ln - {to} <= own - {frm} for ln in lines)
    ]
    in_mills = set().union(*(line for line in lines if line <= own), set())
    flies = rules.flying and hand == 0 and len(own) <= 3
    only_places = hand > 0 and not rules.place_or_move
    reached = {to for _, to in slides}
    slides_count = 0 if flies else len(reached) if only_places else len(slides)
    threats = completing if hand or flies else {to for _, to in closing}
    plain = flies or only_places
    return {
        "men": len(own) + hand,
        "steps": slides_count,
        "blocked": 0 if plain else sum(not free.intersection(near[man]) for man in own),
        "mills": sum(line <= own for line in lines),
        "pairs": len(completing),
        "swings": 0 if plain else sum(frm in in_mills for frm, _ in closing),
        "threats": len(threats),
        "crossings": len(own & {9, 11, 13, 15}) if hand else 0,
        "flies": flies,
    }


@pytest.mark.parametrize("rules", PRESETS)
def test_features(rules):
    search = Search(morris(rules).rules)
    seen = set()
    for position in ongoing(rules, 150, seed=6, quiet=0.8):
        for side in (0, 1):
            features = search.features(position.bits, position.hands, side)
            assert features == counted(position, side), str(position)
            seen |= {name for name, value in features.items() if value}
    assert seen >= {"men", "steps", "blocked", "mills", "pairs", "threats", "crossings"}


@pytest.mark.parametrize("rules", PRESETS)
def test_an_evaluation_knows_neither_directions_nor_colours(rules):
    search = Search(morris(rules).rules)
    for position in ongoing(rules, 30, seed=7):
        men, hands, mover = position.bits, position.hands, position.mover
        score = search.evaluate(men, hands, mover)
        for symmetry in range(len(SYMMETRIES)):
            turned = tuple(transformed(bits, symmetry) for bits in men)
            assert search.evaluate(turned, hands, mover) == score
        assert search.evaluate(men[::-1], hands[::-1], 1 - mover) == score


def test_canonical_forms_are_the_smallest_of_sixteen():
    for position in ongoing("standard", 100, seed=8):
        own, other = position.bits
        images = [(transformed(own, g), transformed(other, g)) for g in range(len(SYMMETRIES))]
        first, second, symmetry = canonical(own, other)
        assert (first, second) == min(images)
        assert images[symmetry] == (first, second)


@pytest.mark.parametrize("rules", PRESETS)
def test_freedom_counts_for_more_while_men_are_placed(rules):
    """Who plans ahead judges otherwise than who does not, but only with men in hand."""
    chosen = morris(rules).rules
    far, near = Search(chosen), Search(chosen, plans_ahead=False)
    differ = {True: 0, False: 0}
    for position in ongoing(rules, 150, seed=3, quiet=0.8):
        seen = [
            each.evaluate(position.bits, position.hands, position.mover) for each in (far, near)
        ]
        differ[sum(position.hands) > 0] += seen[0] != seen[1]
    assert differ[False] == 0
    assert (differ[True] > 0) != chosen.place_or_move


def test_odd_boards_are_refused():
    search = Search(morris().rules)
    for men, hands, mover in (
        ((1 << 24, 0), (0, 0), 0),
        ((1, 1), (8, 8), 0),
        ((1, 2), (9, 0), 0),
        ((1, 2), (8, 8), 2),
    ):
        with pytest.raises(ValueError, match=r"men|mover"):
            search.evaluate(men, hands, mover)
        with pytest.raises(ValueError, match=r"men|mover"):
            search.run(men, hands, mover)
