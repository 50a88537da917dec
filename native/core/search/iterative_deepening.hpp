// A whole search: deeper and deeper, in windows around the last score, on one thread or more.
#pragma once

#include <algorithm>
#include <system_error>

#include "common/threads.hpp"
#include "search/worker.hpp"

namespace ludus::search {

struct Line {
    Move move;
    Score score = 0;
    std::vector<Move> moves;  // what is expected, from `move` on
};

struct Result {
    int depth = 0;    // plies that were searched in full
    int deepest = 0;  // plies that the longest line was followed
    std::uint64_t nodes = 0;
    std::vector<Line> lines;  // best first
};

// Called after every depth searched in full; ends the search by returning true.
using Report = std::function<bool(const Result&)>;

// The root of one thread's search.
class Deepening {
public:
    Deepening(Shared& shared, const Settings& settings, const Limits& limits,
              const morris::Position& position, Worker::Watch watch, Report report = {})
        : worker_(shared, settings, limits, std::move(watch)),
          settings_(settings),
          limits_(limits),
          report_(std::move(report)),
          root_(worker_.begin(position)),
          order_(restrict(worker_.root_moves(root_))) {}

    // `first_depth` lets helping threads go ahead of each other.
    Result run(int first_depth = 1) {
        const auto wanted =
            std::min(order_.size(), static_cast<std::size_t>(std::max(settings_.num_lines, 1)));
        Result result;
        result.lines.push_back({order_.front(), 0, {order_.front()}});
        for (int depth = first_depth; depth <= std::min(limits_.depth, kMaxDepth); ++depth) {
            std::vector<Line> lines = search_lines(depth, wanted, result);
            if (worker_.is_stopped()) {
                // A part of the moves tells more than a shallower search of all of them, if the
                // best one of before was among them: it is tried first.
                merge(result, lines);
                break;
            }
            result.lines = std::move(lines);
            result.depth = depth;
            move_to_front(result.lines);
            count(result);
            if (report_ && report_(result)) break;
            if (is_settled(result.lines, depth)) break;
        }
        count(result);
        return result;
    }

private:
    // The generated moves that the search is restricted to; if there are none, the restriction
    // itself.
    std::vector<Move> restrict(std::vector<Move> moves) const {
        const std::vector<Move>& only = limits_.only;
        if (only.empty()) return moves;
        std::erase_if(moves, [&](const Move& move) {
            return std::find(only.begin(), only.end(), move) == only.end();
        });
        return moves.empty() ? only : moves;
    }

    void count(Result& result) const {
        result.nodes = worker_.nodes();
        result.deepest = worker_.deepest();
    }

    std::vector<Line> search_lines(int depth, std::size_t wanted, const Result& before) {
        std::vector<Line> lines;
        while (lines.size() < wanted) {
            const bool has_guess = before.depth >= 3 && lines.size() < before.lines.size();
            const auto found = has_guess ? near(before.lines[lines.size()].score, depth, lines)
                                         : within(depth, -kInfinite, kInfinite, lines);
            if (!found.moves.empty()) lines.push_back(found);
            if (worker_.is_stopped()) break;
        }
        std::stable_sort(lines.begin(), lines.end(),
                         [](const Line& a, const Line& b) { return a.score > b.score; });
        return lines;
    }

    // A narrow window around a guess, opened where the score turns out to lie beyond it.
    Line near(Score guess, int depth, const std::vector<Line>& others) {
        Score below = 20, above = 20;
        while (true) {
            const Score alpha = std::max(guess - below, -kInfinite);
            const Score beta = std::min(guess + above, kInfinite);
            const Line line = within(depth, alpha, beta, others);
            if (worker_.is_stopped()) return line;
            if (line.score <= alpha && alpha > -kInfinite) {
                below = below > 200 ? 2 * kInfinite : 4 * below;
            } else if (line.score >= beta && beta < kInfinite) {
                above = above > 200 ? 2 * kInfinite : 4 * above;
            } else {
                return line;
            }
        }
    }

    // The best move but those of other lines. On a stop, the best so far above alpha, if any.
    Line within(int depth, Score alpha, Score beta, const std::vector<Line>& others) {
        Line best{Move{}, -kInfinite, {}};
        bool is_first = true;
        for (const Move move : order_) {
            const bool is_other = std::any_of(others.begin(), others.end(),
                                              [&](const Line& line) { return line.move == move; });
            if (is_other) continue;
            const Score lowest = std::max(alpha, best.score);
            Score score = 0;
            if (is_first) {
                score = worker_.after(root_, move, depth, lowest, beta, 0, 0);
            } else {
                score = worker_.after(root_, move, depth, lowest, lowest + 1, 0, 0);
                if (score > lowest && score < beta)
                    score = worker_.after(root_, move, depth, lowest, beta, 0, 0);
            }
            if (worker_.is_stopped())
                return best.score > alpha ? best : Line{Move{}, -kInfinite, {}};
            is_first = false;
            if (score <= best.score) continue;
            best = {move, score, {move}};
            const std::vector<Move>& rest = worker_.line(1);
            best.moves.insert(best.moves.end(), rest.begin(), rest.end());
            if (score >= beta) break;
        }
        return best;
    }

    // What was found before a stop goes first; what is missing is taken from the last depth.
    static void merge(Result& result, std::vector<Line> partial) {
        if (result.depth > 0 && result.lines.size() > 1 && partial.size() < result.lines.size())
            return;
        if (partial.empty()) return;
        result.lines = std::move(partial);
    }

    void move_to_front(const std::vector<Line>& lines) {
        for (auto line = lines.rbegin(); line != lines.rend(); ++line) {
            const auto place = std::find(order_.begin(), order_.end(), line->move);
            std::rotate(order_.begin(), place, place + 1);
        }
    }

    // Whether a deeper search cannot change anything: every reported line ends within the depth.
    static bool is_settled(const std::vector<Line>& lines, int depth) {
        return std::all_of(lines.begin(), lines.end(), [&](const Line& line) {
            return is_decided(line.score) && plies_to_end(line.score) <= depth;
        });
    }

    Worker worker_;
    Settings settings_;
    Limits limits_;
    Report report_;
    Node root_;
    std::vector<Move> order_;
};

// Searches a position in which the game goes on. `watch` may end it from the calling thread.
inline Result search(Shared& shared, const Settings& settings, Limits limits,
                     const morris::Position& position, const Worker::Watch& watch,
                     const Report& report = {}) {
    shared.table.begin_search();
    const auto threads = static_cast<std::size_t>(std::clamp(settings.threads, 1, 256));
    if (limits.nodes != ~std::uint64_t{0})
        limits.nodes = std::max<std::uint64_t>(limits.nodes / threads, 1);
    Result result;
    std::atomic<std::uint64_t> nodes{0};
    {
        const morris::Position own = position.unshared();  // outlives the threads, some start late
        Threads helpers;
        try {
            for (std::size_t i = 1; i < threads; ++i) {
                helpers.start([&, i] {
                    Deepening helper(shared, settings, limits, own, {});
                    nodes += helper.run(1 + static_cast<int>(i % 2)).nodes;
                });
            }
        } catch (const std::system_error&) {
            // The machine gives no more threads; those that are there do all the work.
        }
        result = Deepening(shared, settings, limits, own, watch, report).run();
        shared.is_stopped = true;
    }
    result.nodes += nodes;
    return result;
}

}  // namespace ludus::search
