package it.unibo.ai.didattica.mulino.DeepMill.domain.bitboard;

import fr.avianey.minimax4j.Minimax.Algorithm;
import it.unibo.ai.didattica.mulino.domain.State.Checker;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * A stand-in of ours for tests: a part of the board with one mill, a1 d1 g1.
 *
 * <p>Men are placed while a side has some left, then moved along lines. The best move is the first
 * that takes a man, else the first.
 */
public class BitBoardMinimax {
    private static final List<String> POINTS = Arrays.asList("a1", "d1", "g1", "b2", "d2", "a4", "g4");
    private static final List<String> LINES = Arrays.asList("a1d1", "d1g1", "a1a4", "g1g4", "d1d2", "b2d2");
    private static final List<String> MILL = POINTS.subList(0, 3);
    private static final int MEN = 9;

    private final Map<String, Checker> men = new TreeMap<>();
    private final int[] played = new int[2];
    private Checker mover = Checker.WHITE;

    public BitBoardMinimax(Algorithm algorithm, boolean useHeuristic) {}

    protected void setGridPosition(Checker side, String point) {
        this.men.put(point, side);
    }

    protected void setCount(int white, int black) {
        if (white + black != this.men.size()) {
            throw new IllegalArgumentException("the men are counted wrong");
        }
    }

    protected void setPlayed(int white, int black) {
        this.played[Checker.WHITE.ordinal()] = white;
        this.played[Checker.BLACK.ordinal()] = black;
    }

    public void next() {
        this.mover = this.mover == Checker.WHITE ? Checker.BLACK : Checker.WHITE;
    }

    public boolean isOver() {
        return getPossibleMoves().isEmpty();
    }

    public void makeMove(BitBoardMove move) {
        this.men.remove(move.origin);
        this.men.remove(move.taken);
        this.men.put(move.target, this.mover);
        if (move.isPutMove()) {
            this.played[this.mover.ordinal()]++;
        }
        next();
    }

    public List<BitBoardMove> getPossibleMoves() {
        List<BitBoardMove> moves = new ArrayList<>();
        boolean places = this.played[this.mover.ordinal()] < MEN;
        for (String target : POINTS) {
            if (this.men.containsKey(target)) {
                continue;
            }
            if (places) {
                addMoves(moves, "", target);
                continue;
            }
            for (String origin : POINTS) {
                boolean isLine = LINES.contains(origin + target) || LINES.contains(target + origin);
                if (isLine && this.men.get(origin) == this.mover) {
                    addMoves(moves, origin, target);
                }
            }
        }
        return moves;
    }

    private void addMoves(List<BitBoardMove> moves, String origin, String target) {
        boolean closes = MILL.contains(target) && !MILL.contains(origin);
        for (String point : MILL) {
            closes &= point.equals(target) || this.men.get(point) == this.mover;
        }
        if (!closes) {
            moves.add(new BitBoardMove(origin, target, ""));
            return;
        }
        for (Map.Entry<String, Checker> man : this.men.entrySet()) {
            if (man.getValue() != this.mover) {
                moves.add(new BitBoardMove(origin, target, man.getKey()));
            }
        }
    }

    public BitBoardMove getBestMove(int depth) {
        System.out.println("Depth 1"); // as the real one, which must not reach the protocol
        List<BitBoardMove> moves = getPossibleMoves();
        for (BitBoardMove move : moves) {
            if (move.isRemoveMove()) {
                return move;
            }
        }
        return moves.isEmpty() ? null : moves.get(0);
    }

    public BitBoardMove getBestMove(int depth, int milliseconds) {
        return getBestMove(depth);
    }
}
