package it.unibo.ai.didattica.mulino.DeepMill.domain.bitboard;

import fr.avianey.minimax4j.Minimax.Algorithm;
import it.unibo.ai.didattica.mulino.domain.State.Checker;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** A stand-in of ours for tests: knows that men are placed on free points, and no mills. */
public class BitBoardMinimax {
    private final List<String> free = new ArrayList<>(Arrays.asList("a1", "d1", "g1", "b2", "d2"));

    public BitBoardMinimax(Algorithm algorithm, boolean useHeuristic) {}

    protected void setGridPosition(Checker side, String point) {
        this.free.remove(point);
    }

    protected void setCount(int white, int black) {}

    protected void setPlayed(int white, int black) {}

    public void next() {}

    public boolean isOver() {
        return this.free.isEmpty();
    }

    public void makeMove(BitBoardMove move) {
        this.free.remove(move.toStringMove());
    }

    public List<BitBoardMove> getPossibleMoves() {
        List<BitBoardMove> moves = new ArrayList<>();
        for (String point : this.free) {
            moves.add(new BitBoardMove(point));
        }
        return moves;
    }

    public BitBoardMove getBestMove(int depth) {
        System.out.println("Depth 1"); // as the real one, which must not reach the protocol
        return this.free.isEmpty() ? null : new BitBoardMove(this.free.get(0));
    }

    public BitBoardMove getBestMove(int depth, int milliseconds) {
        return getBestMove(depth);
    }
}
