% Hexapawn. A state is s(Mover,Cells), the cells row by row from the top left: w, b or e.
% size/1 holds for the squares along an edge. White moves up, black moves down.
% no_pawns/1 holds for what a side without pawns does: loses or draws.
other(w,b).
other(b,w).
ahead(w,From,To) :- size(N), To is From-N.
ahead(b,From,To) :- size(N), To is From+N.
move(s(M,Cells),s(N,After)) :-
    \+ won(s(M,Cells)), other(M,N), nth0(From,Cells,M), goal(M,From,To,Wanted),
    (Wanted == enemy -> Letter = N ; Letter = e), nth0(To,Cells,Letter),
    put(From,Cells,e,Left), put(To,Left,M,After).
goal(M,From,To,enemy) :- size(N), From mod N > 0, ahead(M,From,Front), To is Front-1.
goal(M,From,To,nobody) :- ahead(M,From,To).
goal(M,From,To,enemy) :- size(N), From mod N < N-1, ahead(M,From,Front), To is Front+1.
put(0,[_|Cells],Letter,[Letter|Cells]) :- !.
put(I,[Cell|Cells],Letter,[Cell|After]) :- J is I-1, put(J,Cells,Letter,After).
won(s(M,Cells)) :- no_pawns(loses), \+ memberchk(M,Cells), !.
won(s(b,Cells)) :- size(N), nth0(I,Cells,w), I < N, !.
won(s(w,Cells)) :- size(N), nth0(I,Cells,b), I >= N*(N-1), !.
drawn(S) :- \+ won(S), \+ move(S,_).
