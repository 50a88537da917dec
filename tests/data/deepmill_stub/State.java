package it.unibo.ai.didattica.mulino.domain;

/** A stand-in of ours for tests. */
public class State {
    public enum Checker {
        WHITE,
        BLACK
    }
}
