% Noughts and crosses. A state is s(Mover,Cells), the cells row by row from the top left:
% x, o or e. line/1 holds for the squares of a line, counted from 0.
other(x,o).
other(o,x).
move(s(M,Cells),s(N,After)) :- \+ won(s(M,Cells)), other(M,N), mark(Cells,M,After).
mark([e|Cells],M,[M|Cells]).
mark([Cell|Cells],M,[Cell|After]) :- mark(Cells,M,After).
won(s(M,Cells)) :- other(M,N), line(Line), forall(member(I,Line),nth0(I,Cells,N)), !.
drawn(s(M,Cells)) :- \+ memberchk(e,Cells), \+ won(s(M,Cells)).
