% ludus migo 1 hexapawn
win_1(A,B) :- move(A,B), won(B).
draw_1(A,B) :- move(A,B), not(win_1(B,_)).
