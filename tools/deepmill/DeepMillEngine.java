package it.unibo.ai.didattica.mulino.DeepMill.domain.bitboard;

import fr.avianey.minimax4j.Minimax.Algorithm;
import it.unibo.ai.didattica.mulino.domain.State.Checker;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * An engine for the player `external` of Ludus that asks DeepMill for its moves.
 *
 * <p>DeepMill is not part of Ludus. This class is compiled against the user's own copy of it
 * (tools/deepmill/build.sh), in DeepMill's package because a board can only be set up there. It
 * reads the commands of docs/engine.md from standard input: uci, isready, ucinewgame, position, go
 * with movetime or depth, and quit.
 */
public final class DeepMillEngine {

    private static final int MEN = 9;
    private static final int DEFAULT_MILLISECONDS = 1000;

    /** Points in reading order, as in the rows of a position's text. */
    private static final String[][] ROWS = {
        {"a7", "d7", "g7"},
        {"b6", "d6", "f6"},
        {"c5", "d5", "e5"},
        {"a4", "b4", "c4", "e4", "f4", "g4"},
        {"c3", "d3", "e3"},
        {"b2", "d2", "f2"},
        {"a1", "d1", "g1"},
    };

    private final PrintStream out;
    private BitBoardMinimax search = newSearch();
    private String start = "startpos";
    private List<String> moves = new ArrayList<>();

    private DeepMillEngine(PrintStream out) {
        this.out = out;
    }

    public static void main(String[] arguments) throws IOException {
        PrintStream out = System.out;
        // DeepMill reports its progress on standard output, which belongs to the protocol here.
        System.setOut(new PrintStream(OutputStream.nullOutputStream()));
        DeepMillEngine engine = new DeepMillEngine(out);
        InputStreamReader input = new InputStreamReader(System.in, StandardCharsets.UTF_8);
        try (BufferedReader lines = new BufferedReader(input)) {
            String line = lines.readLine();
            while (line != null && !line.trim().equals("quit")) {
                try {
                    engine.execute(line.trim().split("\\s+"));
                } catch (IllegalArgumentException error) {
                    engine.write("info string error: " + error.getMessage());
                }
                line = lines.readLine();
            }
        }
        // A timer of DeepMill may still be asleep.
        System.exit(0);
    }

    private void execute(String[] words) {
        switch (words[0]) {
            case "uci":
                write("id name DeepMill");
                write("id author the authors of DeepMill");
                write("uciok");
                break;
            case "isready":
                write("readyok");
                break;
            case "ucinewgame":
                setUp("startpos", new ArrayList<>());
                break;
            case "position":
                readPosition(Arrays.asList(words).subList(1, words.length));
                break;
            case "go":
                go(words);
                break;
            default:
                break; // commands that are not known are ignored, as the protocol asks
        }
    }

    private void write(String line) {
        this.out.println(line);
        this.out.flush();
    }

    private static BitBoardMinimax newSearch() {
        return new BitBoardMinimax(Algorithm.NEGASCOUT, true);
    }

    /** Read `startpos` or `fen POSITION`, then `moves MOVE...`. */
    private void readPosition(List<String> words) {
        int end = words.indexOf("moves");
        List<String> head = words.subList(0, end < 0 ? words.size() : end);
        List<String> played =
                end < 0 ? new ArrayList<>() : new ArrayList<>(words.subList(end + 1, words.size()));
        if (head.isEmpty()) {
            throw new IllegalArgumentException("position needs startpos or fen");
        }
        String board = head.get(0).equals("fen") ? String.join(" ", head.subList(1, head.size())) : "startpos";
        boolean continues =
                board.equals(this.start)
                        && played.size() >= this.moves.size()
                        && played.subList(0, this.moves.size()).equals(this.moves);
        if (!continues) {
            setUp(board, new ArrayList<>());
        }
        // What was searched before stays in DeepMill's tables as long as the game goes on.
        for (String move : played.subList(this.moves.size(), played.size())) {
            this.search.makeMove(findMove(move));
            this.moves.add(move);
        }
    }

    private void setUp(String board, List<String> played) {
        BitBoardMinimax fresh = newSearch();
        if (!board.equals("startpos")) {
            readBoard(fresh, board);
        }
        this.search = fresh;
        this.start = board;
        this.moves = played;
    }

    /** Set up a position such as `.BB/.WW/.../....../.../.../... w 7 7`. */
    private static void readBoard(BitBoardMinimax search, String text) {
        String[] parts = text.split(" ");
        String[] rows = parts[0].split("/");
        if (parts.length != 4 || rows.length != ROWS.length) {
            throw new IllegalArgumentException(text + " is not a position");
        }
        int[] count = new int[2];
        for (int row = 0; row < ROWS.length; row++) {
            if (rows[row].length() != ROWS[row].length) {
                throw new IllegalArgumentException(rows[row] + " is not a row of the board");
            }
            for (int column = 0; column < ROWS[row].length; column++) {
                char letter = rows[row].charAt(column);
                if (letter != '.') {
                    boolean isWhite = letter == 'W';
                    count[isWhite ? 0 : 1]++;
                    search.setGridPosition(isWhite ? Checker.WHITE : Checker.BLACK, ROWS[row][column]);
                }
            }
        }
        search.setCount(count[0], count[1]);
        search.setPlayed(MEN - Integer.parseInt(parts[2]), MEN - Integer.parseInt(parts[3]));
        if (parts[1].equals("b")) {
            search.next();
        }
    }

    private BitBoardMove findMove(String text) {
        for (BitBoardMove move : this.search.getPossibleMoves()) {
            if (format(move).equals(text)) {
                return move;
            }
        }
        throw new IllegalArgumentException(text + " is not a move here");
    }

    /** Write a move as `d6`, `d6-d5`, `d6xa1` or `d6-d5xa1`. */
    private static String format(BitBoardMove move) {
        String points = move.toStringMove();
        StringBuilder text = new StringBuilder(points.substring(0, 2));
        int next = 2;
        if (!move.isPutMove()) {
            text.append('-').append(points, next, next + 2);
            next += 2;
        }
        if (move.isRemoveMove()) {
            text.append('x').append(points, next, next + 2);
        }
        return text.toString();
    }

    private void go(String[] words) {
        List<String> given = Arrays.asList(words);
        int time = given.indexOf("movetime");
        int depth = given.indexOf("depth");
        BitBoardMove best;
        if (depth >= 0 && time < 0) {
            // DeepMill stops before this depth.
            best = this.search.getBestMove(Integer.parseInt(words[depth + 1]) + 1);
        } else {
            int milliseconds = time < 0 ? DEFAULT_MILLISECONDS : Integer.parseInt(words[time + 1]);
            best = this.search.getBestMove(0, milliseconds);
        }
        if (best == null && !this.search.isOver()) {
            // Not even the first depth was completed in time.
            best = this.search.getPossibleMoves().get(0);
        }
        write("bestmove " + (best == null ? "(none)" : format(best)));
    }
}
