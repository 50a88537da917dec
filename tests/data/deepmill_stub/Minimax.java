package fr.avianey.minimax4j;

/** A stand-in of ours for tests. */
public class Minimax {
    public enum Algorithm {
        NEGASCOUT
    }
}
