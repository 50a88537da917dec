% ludus migo 1 hexapawn:size=4
win_1(A,B) :- move(A,B), won(B).
win_2_1_19(A,B) :- move(A,B), not(win_1(B,_)).
win_2(A,B) :- win_2_1_19(A,B), move(B,_), not(win_2_1_19(B,_)).
win_3_1_10(A,B) :- win_2_1_19(A,B), not(win_2(B,_)).
win_3(A,B) :- win_3_1_10(A,B), move(B,_), not(win_3_1_10(B,_)).
win_4_1_11(A,B) :- win_3_1_10(A,B), not(win_3(B,_)).
win_4(A,B) :- win_4_1_11(A,B), move(B,_), not(win_4_1_11(B,_)).
win_5_1_13(A,B) :- win_4_1_11(A,B), not(win_4(B,_)).
win_5(A,B) :- win_5_1_13(A,B), move(B,_), not(win_5_1_13(B,_)).
win_6_1_1(A,B) :- win_5_1_13(A,B), not(win_5(B,_)).
win_6(A,B) :- win_6_1_1(A,B), move(B,_), not(win_6_1_1(B,_)).
draw_1(A,B) :- win_6_1_1(A,B), not(win_6(B,_)).
