package it.unibo.ai.didattica.mulino.DeepMill.domain.bitboard;

/** A stand-in of ours for tests: a man placed on a point. */
public class BitBoardMove {
    private final String point;

    BitBoardMove(String point) {
        this.point = point;
    }

    public String toStringMove() {
        return this.point;
    }

    public boolean isPutMove() {
        return true;
    }

    public boolean isRemoveMove() {
        return false;
    }
}
