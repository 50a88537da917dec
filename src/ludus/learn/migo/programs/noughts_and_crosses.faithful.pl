% ludus migo 1 noughts_and_crosses
win_1(A,B) :- move(A,B), won(B).
draw_1(A,B) :- move(A,B), not(win_1(B,_)).
win_2(A,B) :- draw_1(A,B), not(draw_1(B,_)).
win_3_1_2(A,B) :- draw_1(A,B), not(win_2(B,_)).
win_3(A,B) :- win_3_1_2(A,B), not(win_3_1_2(B,_)).
