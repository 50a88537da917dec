% ludus migo 1 noughts_and_crosses
win_1_1_2(A,B) :- move(A,B), won(B).
win_1(A,B) :- win_1_1_2(A,B), won(B).
win_2_1_2(A,B) :- move(A,B), not(win_1(B,_)).
win_2(A,B) :- win_2_1_2(A,B), not(win_2_1_2(B,_)).
win_3_1_2(A,B) :- win_2_1_2(A,B), not(win_2(B,_)).
win_3(A,B) :- win_3_1_2(A,B), not(win_3_1_2(B,_)).
draw_1_1_10(A,B) :- win_3(A,B), drawn(B).
draw_1_1_5(A,B) :- win_2_1_2(A,B), not(win_1(B,_)).
draw_1(A,B) :- draw_1_1_5(A,B), not(win_1(B,_)).
draw_2_1_10(A,B) :- draw_1(A,B), not(draw_1_1_10(B,_)).
draw_2(A,B) :- draw_2_1_10(A,B), not(draw_1_1_10(B,_)).
draw_3_1_8(A,B) :- draw_2(A,B), not(draw_1_1_10(B,_)).
draw_3(A,B) :- draw_3_1_8(A,B), not(draw_1_1_10(B,_)).
draw_4_1_2(A,B) :- draw_3(A,B), not(draw_1_1_10(B,_)).
draw_4(A,B) :- draw_4_1_2(A,B), not(draw_1_1_10(B,_)).
