% Drives the authors' program (github.com/migo19/MIGO) on games that were played elsewhere.
%
% After `setup`, each term on standard input is game(Boards, Outcome): the boards of one game, the
% learner to move on the first, and the mark of the winner or d. For each game this labels its moves
% and learns again, by the authors' predicates, and prints the moves that their strategy had before
% the game for the learner's boards, the examples and the clauses.

:- dynamic(mark/2), dynamic(depth_game/1), dynamic(ref_counter/1), dynamic(counter/1).
:- dynamic(learning/1), dynamic(next_mark/2).
:- style_check(-singleton), style_check(-discontiguous).

setup(Folder, Rules, Learner, Opponent, Depth, Learning, Patience) :-
    atomic_list_concat([Folder, '/MIGO/migo'], Migo), consult(Migo),
    atomic_list_concat([Folder, '/', Rules], Game), consult(Game),
    assertz(mark(learner, Learner)), assertz(mark(opponent, Opponent)),
    (predicate_property(next_mark(_, _), number_of_clauses(N)), N > 0 -> true ;
        assertz(next_mark(Learner, Opponent)), assertz(next_mark(Opponent, Learner))),
    assertz(depth_game(Depth)), assertz(learning(Learning)),
    assertz(ref_counter(Patience)), assertz(counter(0)).

run :- read(Term), run(Term, [], [], 1).

run(end_of_file, _, _, _) :- !.
run(game(Lists, Outcome), Sw, Sd, E) :-
    maplist([L, B]>>(B =.. [b|L]), Lists, Boards),
    print_moves(Boards, Sw, Sd),
    once(update_exs(Boards, Outcome, Sw, Sd)),
    (learning(mixed) -> once(update_draw_moves(Sw, E)) ; true),
    once(dependent_learning(Sw2, Sd2)),
    once(prog_equivalent(Sw, Sw2, E2)),
    once(update_counter(E2, Sw2)),
    forall(episode(Name, Examples, _, _), (Examples = [] -> true ; print_examples(Name, Examples))),
    forall((member(Sub, Sw2) ; member(Sub, Sd2)), print_clause(Sub)),
    writeln(end), flush_output,
    read(Next), run(Next, Sw2, Sd2, E2).

print_moves(Boards, Sw, Sd) :-
    assert_prog_and_prims(Sw), assert_win, assert_prog_and_prims(Sd), assert_draw,
    print_moves(Boards),
    retract_win, retract_draw, retract_prog_and_prims(Sw), retract_prog_and_prims(Sd).

print_moves([Board, Next|Rest]) :- !,
    mark(learner, Mark),
    (execute_strategy(s(Mark, _, Board), _, s(_, _, Chosen)) -> Move = Chosen ; Move = none),
    print_line(move, Move),
    (Rest = [Own|More] -> print_moves([Own|More]) ; true).
print_moves(_).

print_examples(Name, Examples) :-
    format('example ~w', [Name]),
    forall((member(Example, Examples), Example =.. [_, s(_, _, Before), s(_, _, After)]),
        (write(' '), print_cells(Before), write('>'), print_cells(After))),
    nl.

print_line(Kind, none) :- !, format('~w none~n', [Kind]).
print_line(Kind, Board) :- format('~w ', [Kind]), print_cells(Board), nl.

print_cells(Board) :- Board =.. [_|Cells], atomic_list_concat(Cells, Text), write(Text).

print_clause(Sub) :-
    metasub_to_clause_list(Sub, [Head|Body]),
    maplist(name_literal, [Head|Body], Literals),
    atomic_list_concat(Literals, ' ', Text),
    format('clause ~w~n', [Text]).

name_literal([not, [Name|_]], Text) :- !, atom_concat('not ', Name, Text).
name_literal([Name|_], Name).
