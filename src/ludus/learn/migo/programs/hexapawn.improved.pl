% ludus migo 1 hexapawn
win_1(A,B) :- move(A,B), won(B).
win_2_1_1(A,B) :- move(A,B), not(win_1(B,_)).
win_2(A,B) :- win_2_1_1(A,B), move(B,_), not(win_2_1_1(B,_)).
draw_1(A,B) :- win_2_1_1(A,B), not(win_2(B,_)).
