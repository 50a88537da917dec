% ludus migo 1 connect_three
win_1(A,B) :- move(A,B), won(B).
win_2_1_33(A,B) :- move(A,B), not(win_1(B,_)).
win_2(A,B) :- win_2_1_33(A,B), move(B,_), not(win_2_1_33(B,_)).
win_3_1_24(A,B) :- win_2_1_33(A,B), not(win_2(B,_)).
win_3(A,B) :- win_3_1_24(A,B), move(B,_), not(win_3_1_24(B,_)).
win_4_1_18(A,B) :- win_3_1_24(A,B), not(win_3(B,_)).
win_4(A,B) :- win_4_1_18(A,B), move(B,_), not(win_4_1_18(B,_)).
win_5_1_5(A,B) :- win_4_1_18(A,B), not(win_4(B,_)).
win_5(A,B) :- win_5_1_5(A,B), move(B,_), not(win_5_1_5(B,_)).
win_6_1_2(A,B) :- win_5_1_5(A,B), not(win_5(B,_)).
win_6(A,B) :- win_6_1_2(A,B), move(B,_), not(win_6_1_2(B,_)).
win_7_1_2(A,B) :- win_6_1_2(A,B), not(win_6(B,_)).
win_7(A,B) :- win_7_1_2(A,B), move(B,_), not(win_7_1_2(B,_)).
draw_1(A,B) :- win_7_1_2(A,B), not(win_7(B,_)).
