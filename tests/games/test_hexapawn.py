"""Hexapawn against a second implementation, published counts, and edge cases.

The second program keeps two sets of (file, rank) pairs and knows nothing of the first.
"""

from collections import Counter

import pytest

import ludus
from ludus.core import BadMove, BadPosition, BadSpec, LudusError, Outcome
from ludus.core.game import identify_rules
from ludus.games.hexapawn import Hexapawn, Move, Rules
from ludus.games.move_entry import get_move_entry
from ludus.learn.migo.inference import HexapawnReasoner
from support.games import find_reachable


class PawnSets:
    """A second implementation: `(men of the mover, men of the other, whether white is to move)`."""

    def __init__(self, size, no_pawns="loses", no_move="draws"):
        self.size = size
        self.no_pawns = no_pawns
        self.no_move = no_move

    def start(self):
        files = range(1, self.size + 1)
        return frozenset((f, 1) for f in files), frozenset((f, self.size) for f in files), True

    def successors(self, node):
        """Every position after a move, by the squares left and reached."""
        own, enemy, white = node
        if not own or any(rank == (1 if white else self.size) for _, rank in enemy):
            return {}
        up = 1 if white else -1
        moves = {((f, r), (f, r + up)) for f, r in own if (f, r + up) not in own | enemy}
        moves |= {((f, r), (f + d, r + up)) for f, r in own for d in (1, -1)} & {
            (man, prey) for man in own for prey in enemy
        }
        return {
            (leave, reach): (enemy - {reach}, own - {leave} | {reach}, not white)
            for leave, reach in moves
        }

    def result(self, node):
        """1, 0 or -1 for the mover of a finished game, with the reason."""
        own, enemy, white = node
        if any(rank == (1 if white else self.size) for _, rank in enemy):
            return -1, "crossed"
        if not own and self.no_pawns == "loses":
            return -1, "men"
        return (-1 if own and self.no_move == "loses" else 0), "blocked"

    def text(self, node):
        own, enemy, white = node
        whites, blacks = (own, enemy) if white else (enemy, own)
        rows = (
            "".join(
                "W" if (f, r) in whites else "B" if (f, r) in blacks else "."
                for f in range(1, self.size + 1)
            )
            for r in range(self.size, 0, -1)
        )
        return f"{'/'.join(rows)} {'w' if white else 'b'}"

    def reachable(self):
        found, waiting = set(), [self.start()]
        while waiting:
            node = waiting.pop()
            if node not in found:
                found.add(node)
                waiting.extend(self.successors(node).values())
        return found


def name(squares):
    (left, below), (right, above) = squares
    sign = "-" if left == right else "x"
    return f"{'abcdefgh'[left - 1]}{below}{sign}{'abcdefgh'[right - 1]}{above}"


@pytest.mark.parametrize(
    "rules", [(3,), (3, "draws"), (4,), (3, "loses", "loses"), (4, "loses", "loses")]
)
def test_every_position_agrees_with_the_second_program(rules):
    game, second = Hexapawn(Rules(*rules)), PawnSets(*rules)
    nodes = {second.text(node): node for node in second.reachable()}
    assert {str(position) for position in find_reachable(game.start())} == set(nodes)
    for text, node in nodes.items():
        position = game.parse(text)
        after = {str(move): str(position.play(move)) for move in position.legal_moves()}
        assert after == {name(m): second.text(n) for m, n in second.successors(node).items()}
        outcome = position.outcome()
        if after:
            assert outcome is None
        else:
            assert (outcome.score(position.mover), outcome.reason) == second.result(node)


def count_sequences(second, node, depth):
    if depth == 0:
        return 1
    return sum(count_sequences(second, n, depth - 1) for n in second.successors(node).values())


@pytest.mark.parametrize(("size", "depth"), [(3, 8), (4, 5), (5, 5), (8, 3)])
def test_sequences_agree_with_the_second_program(size, depth):
    game, second = Hexapawn(Rules(size)), PawnSets(size)
    for plies in range(1, depth + 1):
        ours = game.perft(game.start(), plies)
        assert ours == count_sequences(second, second.start(), plies)


def test_published_number_of_positions_on_four():
    """20,286: every board with its side to move, from the start to the finished games."""
    assert len(find_reachable(ludus.game("hexapawn:four").start())) == 20_286


@pytest.mark.slow
def test_published_number_of_positions_on_five():
    assert len(find_reachable(ludus.game("hexapawn:five").start())) == 3_210_411


def value(position, known):
    """1, 0 or -1 for the side to move under best play."""
    if position not in known:
        outcome = position.outcome()
        known[position] = (
            outcome.score(position.mover)
            if outcome is not None
            else max(-value(position.play(move), known) for move in position.legal_moves())
        )
    return known[position]


@pytest.mark.parametrize(
    ("preset", "up_to_mirror", "won", "drawn", "lost"),
    [("standard", True, 2, 3, 0), ("four", False, 10, 4, 2)],
)
def test_start_boards_of_muggleton_and_hocquette(preset, up_to_mirror, won, drawn, lost):
    """Boards after one move of each side, and what they are worth to white."""
    game = ludus.game("hexapawn", preset)
    symmetries = game.symmetries() if up_to_mirror else game.symmetries()[:1]
    boards = {
        min((game.transform(second, symmetry) for symmetry in symmetries), key=str)
        for first in map(game.start().play, game.start().legal_moves())
        for second in map(first.play, first.legal_moves())
    }
    known = {}
    values = Counter(value(board, known) for board in boards)
    assert (values[1], values[0], values[-1]) == (won, drawn, lost)


def test_a_side_without_moves_draws():
    game = ludus.game("hexapawn")
    stuck = game.parse("B../W../.W. b")
    assert stuck.outcome() == Outcome(None, "blocked")
    assert stuck.legal_moves() == []


def test_with_gardners_rules_who_has_no_move_loses_and_the_second_side_wins():
    """Gardner (1962): on the small board the side that moves second can always win."""
    game = ludus.game("hexapawn:gardner")
    assert game.parse("B../W../.W. b").outcome() == Outcome(0, "blocked")
    assert value(game.start(), {}) == -1
    assert value(ludus.game("hexapawn").start(), {}) == 0
    with pytest.raises(LudusError, match="no program"):
        ludus.player("migo", game)
    with pytest.raises(BadSpec, match="has no move draws"):
        HexapawnReasoner(None, game.rules)


@pytest.mark.parametrize("player", ["her:games=2000", "qlearning:games=2000", "perfect"])
def test_learners_of_gardners_rules_win_as_the_second_side(player):
    """Tables are trained at the first move, for the rules that are played."""
    game = ludus.game("hexapawn:gardner")
    result = ludus.match(game, "random", player, games=20, seed=3)
    assert result.wins[1] >= 16


@pytest.mark.parametrize(
    ("before", "move", "outcome"),
    [
        ("..B/W../.W. w", "a2-a3", Outcome(0, "crossed")),
        ("W.B/.B./... b", None, Outcome(0, "crossed")),
        (".../..B/W.. b", "c2-c1", Outcome(1, "crossed")),
        (".../B../.W. w", "b1xa2", Outcome(0, "men")),
        (".../B../.W. b", "a2xb1", Outcome(1, "crossed")),
        ("B.B/.W./..W w", "b2-b3", Outcome(0, "crossed")),
        ("B../.../WW. w", "a1-a2", Outcome(None, "blocked")),
    ],
)
def test_outcomes(before, move, outcome):
    game = ludus.game("hexapawn")
    position = game.parse(before)
    if move is not None:
        position = position.play(game.parse_move(move, position))
    assert position.outcome() == outcome
    assert position.legal_moves() == []


def test_moves_are_written_with_dash_and_cross():
    game = ludus.game("hexapawn")
    position = game.parse("B.B/.B./WWW w")
    moves = position.legal_moves()
    assert [str(move) for move in moves] == ["a1-a2", "a1xb2", "c1xb2", "c1-c2"]
    assert [move.is_capture for move in moves] == [False, True, True, False]
    assert game.steps(moves[1]) == ("a1", "b2")
    assert str(position.play(moves[1])) == "B.B/.W./.WW b"


def test_pawns_do_not_capture_around_the_edge():
    game = ludus.game("hexapawn")
    position = game.parse("..B/W.B/W.. w")
    assert [str(move) for move in position.legal_moves()] == ["a2-a3"]


def test_accessors():
    position = ludus.game("hexapawn:four").parse("BBBB/..../W.../.WWW b")
    assert (position.cells, position.size, position.mover) == ("BBBB....W....WWW", 4, 1)
    assert position.rules == Rules(4)


def test_illegal_moves_are_refused():
    game = ludus.game("hexapawn")
    for move in (Move(6, 4), Move(0, 3), Move(6, 0), Move(6, 3, 4)):
        with pytest.raises(BadMove, match="not a legal move"):
            game.start().play(move)
    with pytest.raises(BadMove, match="legal are a1-a2"):
        game.parse_move("a1xb2", game.start())


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("BBB/.../WWW", "a board and a side"),
        ("BBB/WWW w", "has 2 rows"),
        ("BBBB/.../WWW w", "rank 3, 'BBBB', has 4 squares"),
        ("BBB/.X./WWW w", "'X' in rank 2"),
        ("BBB/.../WWW x", "'x' is no side"),
        ("BBB/..W/WWW w", "4 white pawns; 3 is the most"),
        ("W../.B./... w", "white has crossed the board, so it cannot be its turn"),
        (".../.W./B.. b", "black has crossed"),
        (".../.../WWW w", "black has no pawn"),
        (".../.../... b", "white has no pawn"),
    ],
)
def test_bad_positions_say_what_is_wrong(text, complaint):
    with pytest.raises(BadPosition) as caught:
        ludus.game("hexapawn").parse(text)
    assert complaint in str(caught.value)


@pytest.mark.parametrize("size", [-1, 0, 2, 9])
def test_rules_out_of_range(size):
    with pytest.raises(BadSpec, match="between 3 and 8"):
        ludus.game("hexapawn", f"size={size}")


def test_a_side_without_pawns_draws_in_the_rules_of_the_paper():
    """`hexapawn.pl` of Muggleton and Hocquette: drawn is having no move, won is having crossed."""
    lost, drawn = (
        ludus.game(spec).parse("..W/.../... b") for spec in ("hexapawn", "hexapawn:migo")
    )
    assert lost.outcome() == drawn.outcome() == Outcome(0, "crossed")
    lost, drawn = (
        ludus.game(spec).parse(".../..W/... b") for spec in ("hexapawn", "hexapawn:migo")
    )
    assert lost.outcome() == Outcome(0, "men")
    assert drawn.outcome() == Outcome(None, "blocked")
    assert ludus.game("hexapawn:migo,size=4").rules == Rules(4, "draws")


@pytest.mark.parametrize(
    ("spec", "sentence"),
    [
        ("hexapawn", "and so does a side that takes the other side's last pawn."),
        ("hexapawn:migo", "the game is a draw, also if it has no pawn left."),
    ],
)
def test_the_page_says_what_the_rules_do(spec, sentence):
    text = " ".join(get_move_entry(ludus.game(spec)).describe_rules())
    assert sentence in text
    assert "has no move, the game is a draw" in text
    assert ("last pawn" in text) == (spec == "hexapawn")


def test_later_rules_do_not_change_the_seeds_of_tournaments():
    assert identify_rules(Rules()) == {"size": 3}
    assert identify_rules(Rules(4, "draws")) == {"size": 4, "no_pawns": "draws"}
