% ludus migo 1 hexapawn:size=5
win_1(A,B) :- move(A,B), won(B).
win_2_1_94(A,B) :- move(A,B), not(win_1(B,_)).
win_2(A,B) :- win_2_1_94(A,B), move(B,_), not(win_2_1_94(B,_)).
win_3_1_34(A,B) :- win_2_1_94(A,B), not(win_2(B,_)).
win_3(A,B) :- win_3_1_34(A,B), move(B,_), not(win_3_1_34(B,_)).
win_4_1_37(A,B) :- win_3_1_34(A,B), not(win_3(B,_)).
win_4(A,B) :- win_4_1_37(A,B), move(B,_), not(win_4_1_37(B,_)).
win_5_1_29(A,B) :- win_4_1_37(A,B), not(win_4(B,_)).
win_5(A,B) :- win_5_1_29(A,B), move(B,_), not(win_5_1_29(B,_)).
win_6_1_24(A,B) :- win_5_1_29(A,B), not(win_5(B,_)).
win_6(A,B) :- win_6_1_24(A,B), move(B,_), not(win_6_1_24(B,_)).
win_7_1_23(A,B) :- win_6_1_24(A,B), not(win_6(B,_)).
win_7(A,B) :- win_7_1_23(A,B), move(B,_), not(win_7_1_23(B,_)).
win_8_1_17(A,B) :- win_7_1_23(A,B), not(win_7(B,_)).
win_8(A,B) :- win_8_1_17(A,B), move(B,_), not(win_8_1_17(B,_)).
win_9_1_9(A,B) :- win_8_1_17(A,B), not(win_8(B,_)).
win_9(A,B) :- win_9_1_9(A,B), move(B,_), not(win_9_1_9(B,_)).
win_10_1_1(A,B) :- win_9_1_9(A,B), not(win_9(B,_)).
win_10(A,B) :- win_10_1_1(A,B), move(B,_), not(win_10_1_1(B,_)).
draw_1(A,B) :- win_10_1_1(A,B), not(win_10(B,_)).
