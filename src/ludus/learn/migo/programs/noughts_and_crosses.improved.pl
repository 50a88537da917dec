% ludus migo 1 noughts_and_crosses
win_1(A,B) :- move(A,B), won(B).
win_2_1_8(A,B) :- move(A,B), not(win_1(B,_)).
win_2(A,B) :- win_2_1_8(A,B), move(B,_), not(win_2_1_8(B,_)).
win_3_1_8(A,B) :- win_2_1_8(A,B), not(win_2(B,_)).
win_3(A,B) :- win_3_1_8(A,B), move(B,_), not(win_3_1_8(B,_)).
draw_1(A,B) :- win_3_1_8(A,B), not(win_3(B,_)).
