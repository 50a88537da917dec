// One thread's search: NegaScout with everything that it remembers on the way. How deep it goes,
// and how often, is decided in iterative_deepening.hpp.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <vector>

#include "common/random.hpp"
#include "morris/position.hpp"
#include "search/endgames.hpp"
#include "search/evaluation.hpp"
#include "search/ordering.hpp"
#include "search/settings.hpp"
#include "search/symmetric_key.hpp"
#include "search/table.hpp"

namespace ludus::search {

// What all threads of a search share.
struct Shared {
    Rules rules;
    Evaluation evaluation;
    Table table;
    const Endgames* endgames = nullptr;
    std::atomic<bool> is_stopped{false};
};

// The end of a line that is being searched.
struct Node {
    State state;
    int quiet = 0;          // plies since a man was placed or taken
    std::size_t since = 0;  // index of the first key that can be repeated
    bool can_repeat = false;
};

class Worker {
public:
    // `watch` is called every few milliseconds; by returning true it ends the search.
    using Watch = std::function<bool()>;

    Worker(Shared& shared, const Settings& settings, const Limits& limits, Watch watch)
        : shared_(shared),
          rules_(shared.rules),
          settings_(settings),
          limits_(limits),
          watch_(std::move(watch)),
          moves_(std::make_unique_for_overwrite<RankedMove[]>(std::size_t{kMaxPly + 1} *
                                                              morris::kMaxMoves)) {
        check_at_ = std::min<std::uint64_t>(kNodesPerCheck, limits_.nodes);
    }

    Node begin(const morris::Position& position) {
        keys_ = position.history.keys();
        return {position.state, position.quiet, 0, false};
    }

    // The score of a move of this node for its mover, between alpha and beta.
    Score after(const Node& node, Move move, int depth, Score alpha, Score beta, int ply,
                int extra) {
        Node next{morris::after(node.state, move), node.quiet + 1, node.since, true};
        keys_.push_back(node.state.key());
        if (move.is_irreversible()) next = {next.state, 0, keys_.size(), false};
        const Score score = -search(next, depth - 1, -beta, -alpha, ply + 1, extra);
        keys_.pop_back();
        return score;
    }

    // The moves at the root in the order in which they are tried at first.
    std::vector<Move> root_moves(const Node& node) {
        RankedMove* list = moves_at(0);
        int size = ordering_.generate(rules_, node.state, Move{}, 0, list);
        size = drop_overlooked(node.state, list, size, 0);
        Random random(settings_.seed);
        for (int i = size; settings_.seed != 0 && i > 1; --i) {
            std::swap(list[i - 1], list[random.below(static_cast<std::uint32_t>(i))]);
        }
        std::vector<Move> found;
        for (int i = 0; i < size; ++i) {
            Ordering::bring_best(list, i, size);
            found.push_back(list[i].move);
        }
        if (found.empty()) found.push_back(Move{});
        return found;
    }

    const std::vector<Move>& line(int ply) const { return lines_[static_cast<std::size_t>(ply)]; }
    std::uint64_t nodes() const { return nodes_; }
    int deepest() const { return deepest_; }
    bool is_stopped() const { return is_stopped_; }

private:
    static constexpr std::uint64_t kNodesPerCheck = 1024;
    static constexpr int kMaxExtra = 6;  // plies by which extensions may lengthen a line

    Score search(const Node& node, int depth, Score alpha, Score beta, int ply, int extra) {
        if (is_stopped_) return 0;
        if (++nodes_ >= check_at_) check_limits();
        deepest_ = std::max(deepest_, ply);
        lines_[static_cast<std::size_t>(ply)].clear();
        const State& s = node.state;
        const bool can_move = morris::can_move(rules_, s, s.mover);
        const int occurrence = count_occurrences(node);
        const morris::Outcome end = morris::outcome(rules_, s, occurrence, node.quiet, can_move);
        if (end.is_over()) return score_of(end, s, ply);
        if (shared_.endgames != nullptr) {
            if (const auto known = shared_.endgames->probe(s, ply)) return *known;
        }
        if (depth <= 0 || ply >= kMaxPly) return evaluate(rules_, shared_.evaluation, s);
        if (!can_move) return pass(node, depth, alpha, beta, ply, extra);
        // No line from here ends sooner than in the next ply.
        alpha = std::max(alpha, lost_in(ply));
        beta = std::min(beta, won_in(ply + 1));
        if (alpha >= beta) return alpha;
        return probe_or_search(node, depth, alpha, beta, ply, extra);
    }

    // Also one ply before the end of a line: without the table there, more nodes are visited in a
    // second, and twice as many are needed.
    Score probe_or_search(const Node& node, int depth, Score alpha, Score beta, int ply,
                          int extra) {
        if (!settings_.uses_table) {
            Move best;
            return try_moves(node, depth, alpha, beta, ply, extra, best);
        }
        const SymmetricKey key(node.state, countdown(node, depth));
        const auto known = shared_.table.find(key.key());
        Move best;
        if (known) {
            best = key.from_table(known->move);
            // Reported lines are searched in full.
            const bool is_reported = beta - alpha > 1;
            if (known->depth >= depth && !is_reported) {
                const Score score = from_root(known->score, ply);
                if (known->bound == Bound::exact ||
                    (known->bound == Bound::at_least && score >= beta) ||
                    (known->bound == Bound::at_most && score <= alpha)) {
                    return score;
                }
            }
        }
        const Score score = try_moves(node, depth, alpha, beta, ply, extra, best);
        if (is_stopped_) return 0;
        const Bound bound = score >= beta    ? Bound::at_least
                            : score <= alpha ? Bound::at_most
                                             : Bound::exact;
        shared_.table.store(key.key(), {key.to_table(best), from_here(score, ply), depth, bound});
        return score;
    }

    // The best score of all moves; `best` says which to try first and becomes the best one.
    Score try_moves(const Node& node, int depth, Score alpha, Score beta, int ply, int extra,
                    Move& best) {
        RankedMove* list = moves_at(ply);
        int size = ordering_.generate(rules_, node.state, best, ply, list);
        if (settings_.oversight > 0) size = drop_overlooked(node.state, list, size, ply);
        Score highest = -kInfinite;
        for (int i = 0; i < size; ++i) {
            Ordering::bring_best(list, i, size);
            const Move move = list[i].move;
            const Score score =
                try_move(node, list[i], i, depth, std::max(alpha, highest), beta, ply, extra);
            if (is_stopped_) return 0;
            if (score <= highest) continue;
            highest = score;
            best = move;
            if (score > alpha && beta - alpha > 1) keep_line(move, ply);
            if (score >= beta) {
                ordering_.learn(node.state, move, depth, ply);
                break;
            }
        }
        return highest;
    }

    // One move within a window: the first one in full, the others first on trial.
    Score try_move(const Node& node, const RankedMove& ranked, int number, int depth, Score alpha,
                   Score beta, int ply, int extra) {
        const Move move = ranked.move;
        const bool takes = move.take != morris::kNone;
        if (takes && depth == 1 && settings_.extends && extra < kMaxExtra) {
            ++depth;
            ++extra;
        }
        if (number == 0) return after(node, move, depth, alpha, beta, ply, extra);
        const int less = settings_.reduces && depth >= 3 && ranked.rank < Ordering::kKiller
                             ? (number >= 10  ? 2
                                : number >= 3 ? 1
                                              : 0)
                             : 0;
        Score score = after(node, move, depth - less, alpha, alpha + 1, ply, extra);
        if (less > 0 && score > alpha)
            score = after(node, move, depth, alpha, alpha + 1, ply, extra);
        if (score > alpha && score < beta)
            score = after(node, move, depth, alpha, beta, ply, extra);
        return score;
    }

    Score pass(const Node& node, int depth, Score alpha, Score beta, int ply, int extra) {
        const Score score = after(node, Move{}, depth, alpha, beta, ply, extra);
        if (beta - alpha > 1) keep_line(Move{}, ply);
        return score;
    }

    // The number of occurrences of the position by the rules; only the mover's own turns count.
    int count_occurrences(const Node& node) const {
        if (rules_.repetition == 0 || !node.can_repeat) return 1;
        const std::uint64_t key = node.state.key();
        int count = 1;
        for (std::size_t i = keys_.size(); i >= node.since + 2; i -= 2) {
            if (keys_[i - 2] == key) ++count;
        }
        return count;
    }

    static Score score_of(const morris::Outcome& end, const State& s, int ply) {
        if (end.winner == 2) return 0;
        return end.winner == s.mover ? won_in(ply) : lost_in(ply);
    }

    // Plies left until quiet play is a draw, if this search could get there; else zero.
    int countdown(const Node& node, int depth) const {
        if (rules_.quiet_plies == 0) return 0;
        const int left = rules_.quiet_plies - node.quiet;
        return left <= depth + kMaxExtra ? left : 0;
    }

    // Removes the moves that a careless player overlooks, the same for all captures of a move; at
    // least one move is left.
    int drop_overlooked(const State& s, RankedMove* list, int size, int ply) const {
        if (settings_.oversight <= 0 || ply > 1 || size < 2) return size;
        const auto is_noticed = [&](Move move) {
            const std::uint64_t step = std::uint64_t{move.from} << 8 | move.to;
            Random random(settings_.seed ^ (s.key() * 0x9E3779B97F4A7C15u) ^ (step << 40));
            return static_cast<double>(random.next() >> 11) * 0x1p-53 >= settings_.oversight;
        };
        int kept = 0;
        for (int i = 0; i < size; ++i) {
            if (is_noticed(list[i].move)) list[kept++] = list[i];
        }
        return kept > 0 ? kept : 1;
    }

    void keep_line(Move move, int ply) {
        const auto here = static_cast<std::size_t>(ply);
        const std::vector<Move> rest = ply < kMaxPly ? lines_[here + 1] : std::vector<Move>{};
        lines_[here].assign(1, move);
        lines_[here].insert(lines_[here].end(), rest.begin(), rest.end());
    }

    // Stops at the limits of time or nodes, or when the caller asks for it.
    void check_limits() {
        const Clock::time_point now = Clock::now();
        if (nodes_ >= limits_.nodes || now >= limits_.end || shared_.is_stopped) is_stopped_ = true;
        if (watch_ && now >= watch_at_) {
            if (watch_()) is_stopped_ = true;
            watch_at_ = now + std::chrono::milliseconds(10);
        }
        check_at_ = std::min(nodes_ + kNodesPerCheck, limits_.nodes);
    }

    RankedMove* moves_at(int ply) {
        return &moves_[static_cast<std::size_t>(ply) * morris::kMaxMoves];
    }

    Shared& shared_;
    const Rules rules_;
    const Settings settings_;
    const Limits limits_;
    Watch watch_;
    std::unique_ptr<RankedMove[]> moves_;
    Ordering ordering_;
    std::vector<std::uint64_t> keys_;  // keys of the game and of the line that is being searched
    std::array<std::vector<Move>, kMaxPly + 2> lines_;
    std::uint64_t nodes_ = 0, check_at_ = 0;
    Clock::time_point watch_at_ = Clock::now() + std::chrono::milliseconds(10);
    int deepest_ = 0;
    bool is_stopped_ = false;
};

}  // namespace ludus::search
