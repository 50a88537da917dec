package it.unibo.ai.didattica.mulino.DeepMill.domain.bitboard;

/** A stand-in of ours for tests: a man placed or moved, and a man taken; "" where there is none. */
public class BitBoardMove {
    final String origin;
    final String target;
    final String taken;

    BitBoardMove(String origin, String target, String taken) {
        this.origin = origin;
        this.target = target;
        this.taken = taken;
    }

    public String toStringMove() {
        return this.origin + this.target + this.taken;
    }

    public boolean isPutMove() {
        return this.origin.isEmpty();
    }

    public boolean isRemoveMove() {
        return !this.taken.isEmpty();
    }
}
