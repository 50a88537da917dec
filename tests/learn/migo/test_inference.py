"""Inference: tabled proofs agree with plain proofs and with the rules."""

import pytest

from ludus.games import game
from ludus.learn.migo.games import StateGraph
from ludus.learn.migo.inference import (
    CountingReasoner,
    HexapawnReasoner,
    KnownLevels,
    Reasoner,
    Strategy,
    make_reasoner,
)
from ludus.learn.migo.program import load_shipped_program
from ludus.oracles import oracle as find_oracle
from support.migo_learners import all_boards, train_program


def _proves(program, graph, name, before, after):
    """Prove a goal as Prolog does, without tables."""
    if name == "move":
        return after in graph.moves(before)
    return any(
        _proves(program, graph, clause.first, before, after)
        and _passes(program, graph, clause, after)
        for clause in program[name]
    )


def _passes(program, graph, clause, board):
    if clause.metarule == "postcond":
        return graph.won(board) if clause.second == "won" else graph.drawn(board)
    replies = graph.moves(board)
    has_reply = any(_proves(program, graph, clause.second, board, each) for each in replies)
    return not has_reply and (clause.metarule == "negation" or bool(replies))


@pytest.mark.parametrize("mode", ["faithful", "improved"])
@pytest.mark.parametrize("text", ["X.O/.O./X.. x", "XO./.X./..O x", "XOX/.O./... x"])
def test_solutions_are_those_of_a_plain_proof_in_its_order(mode, text):
    program = train_program("noughts_and_crosses", mode)
    graph = StateGraph()
    reasoner = Reasoner(graph)
    board = graph.state_id(game("noughts_and_crosses").parse(text))
    for name, concept in reasoner.concepts(program).items():
        plain = [b for b in graph.moves(board) if _proves(program, graph, name, board, b)]
        assert list(reasoner.solutions(concept, board)) == plain
        assert reasoner.has_solution(concept, board) == bool(plain)


@pytest.mark.parametrize("spec", ["noughts_and_crosses", "hexapawn", "hexapawn:size=4"])
def test_improved_wins_are_the_wins_of_perfect_play(spec):
    """In every position of the game: win_k holds for moves that win in 2k - 1 plies at most."""
    played = game(spec)
    graph, program = StateGraph(), train_program(spec, "improved")
    reasoner = Reasoner(graph)
    concepts = reasoner.concepts(program)
    known = KnownLevels(reasoner, [concepts[name] for name in program.levels("win")])
    boards = all_boards(graph, played.start())
    assert len(boards) == {"noughts_and_crosses": 5478, "hexapawn:size=4": 20286}.get(
        spec, len(boards)
    )
    values = find_oracle(played).values([graph.states[board] for board in boards])
    for board, value in zip(boards, values, strict=True):
        is_near = value.result == "win" and value.depth < 2 * len(known.wins)
        assert known.win_level(board) == ((value.depth + 1) // 2 if is_near else None)


def test_published_wins_take_stalemate_for_a_win():
    """The second defect: white's b2-b3 leaves black no move, a draw, and win_2 holds for it."""
    graph = StateGraph()
    reasoner = Reasoner(graph)
    played = game("hexapawn:size=4")
    concepts = {
        mode: reasoner.concepts(train_program("hexapawn:size=4", mode))["win_2"]
        for mode in ("faithful", "improved")
    }
    stuck = [board for board in all_boards(graph, played.start()) if graph.drawn(board)]
    assert stuck
    assert any(reasoner.holds(concepts["faithful"], board) for board in stuck)
    assert not any(reasoner.holds(concepts["improved"], board) for board in stuck)


def test_counted_inferences_are_those_of_proofs_without_a_cache():
    program = train_program("noughts_and_crosses", "faithful")
    counting = CountingReasoner(StateGraph())
    plain = _PlainReasoner(StateGraph(is_memoized=False))
    for text in ("X.O/.O./X.. x", "X.O/.O./X.. x", "XO./.X./..O x"):
        position = game("noughts_and_crosses").parse(text)
        for reasoner in (counting, plain):
            board = reasoner.graph.state_id(position)
            for concept in reasoner.concepts(program).values():
                reasoner.has_solution(concept, board)
        assert counting.num_inferences == plain.num_inferences


class _PlainReasoner(Reasoner):
    """Counts every goal that is proved."""

    num_inferences = 0

    def holds(self, concept, state_id):
        self.num_inferences += 1
        return super().holds(concept, state_id)

    def has_solution(self, concept, state_id):
        self.num_inferences += 1
        return super().has_solution(concept, state_id)


@pytest.mark.parametrize("mode", ["faithful", "improved"])
@pytest.mark.parametrize("spec", ["hexapawn", "hexapawn:migo", "hexapawn:size=4"])
def test_native_proofs_are_those_in_python(spec, mode):
    """The same rule and the same moves in the same order, and the same answers to all goals."""
    played = game(spec)
    program = load_shipped_program(spec.replace(":migo", ""), mode).program
    plain = Strategy(Reasoner(StateGraph()), program)
    native = Strategy(make_reasoner(played, program), program)
    assert isinstance(native.reasoner, HexapawnReasoner)
    graph, twin = plain.reasoner.graph, native.reasoner.graph
    boards = [board for board in all_boards(graph, played.start()) if graph.moves(board)]
    for board in boards[:: 1 + len(boards) // 200]:
        here = twin.state_id(graph.states[board])
        expected, found = plain.decide(board), native.decide(here)
        assert found.rule == expected.rule
        assert [twin.states[each] for each in found.state_ids] == [
            graph.states[each] for each in expected.state_ids
        ]
        for name, concept in plain.concepts.items():
            answer = plain.reasoner.holds(concept, board)
            assert native.reasoner.holds(native.concepts[name], here) == answer


def test_the_first_move_of_hexapawn_5():
    """A third of a second of processor time; proofs in Python take half a minute."""
    played = game("hexapawn:size=5")
    program = load_shipped_program("hexapawn:size=5", "improved").program
    strategy = Strategy(make_reasoner(played, program), program)
    graph = strategy.reasoner.graph
    decision = strategy.decide(graph.state_id(played.start()))
    assert decision.rule == "draw_1"
    assert len(decision.state_ids) == 5


def test_the_native_prover_refuses_what_does_not_fit():
    from ludus._native.migo import MAX_CONCEPTS, HexapawnProver

    prover = HexapawnProver(3, True)
    assert prover.define([(0, "won", 0)]) == 1
    for rules in ([(2, "won", 0)], [(0, "negation", 2)], [(0, "lost", 0)], [(-1, "won", 0)]):
        with pytest.raises(ValueError, match=r"concept|condition"):
            prover.define(rules)
    for board in (("W" * 8, 0), ("W" * 9, 2)):
        with pytest.raises(ValueError, match="fit"):
            prover.holds(1, *board)
    with pytest.raises(ValueError, match="no such concept"):
        prover.has_solution(2, "BBB...WWW", 0)
    with pytest.raises(ValueError, match="3 to 8"):
        HexapawnProver(9, True)
    for _ in range(MAX_CONCEPTS - 2):
        prover.define([(0, "won", 0)])
    with pytest.raises(ValueError, match="too many"):
        prover.define([(0, "won", 0)])
