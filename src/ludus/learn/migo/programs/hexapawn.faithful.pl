% ludus migo 1 hexapawn
win_1_1_1(A,B) :- move(A,B), won(B).
win_1(A,B) :- win_1_1_1(A,B), won(B).
draw_1_1_3(A,B) :- move(A,B), drawn(B).
draw_1_1_1(A,B) :- move(A,B), not(win_1(B,_)).
draw_1(A,B) :- draw_1_1_1(A,B), not(win_1(B,_)).
draw_2_1_1(A,B) :- draw_1(A,B), not(win_1(B,_)).
draw_2(A,B) :- draw_2_1_1(A,B), not(win_1(B,_)).
