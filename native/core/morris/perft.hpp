// Counting move sequences: the test of every rule at once.
#pragma once

#include "morris/position.hpp"

namespace ludus::morris {

constexpr int kMaxDepth = 100;  // the count goes as deep as the stack; no machine gets there

// The number of sequences of `depth` legal moves from a position. `watch` is called now and then,
// so that a long count can be broken off by throwing.
template <class Watch>
std::uint64_t perft(const Rules& rules, const Position& position, int depth, const Watch& watch) {
    constexpr int kMinWatchedDepth = 5;
    if (depth <= 0) return 1;
    if (depth >= kMinWatchedDepth) watch();
    if (position.outcome(rules).is_over()) return 0;
    if (position.must_pass(rules)) {
        return depth == 1 ? 1 : perft(rules, position.play(rules, Move{}), depth - 1, watch);
    }
    if (depth == 1) return static_cast<std::uint64_t>(count_moves(rules, position.state));
    std::uint64_t nodes = 0;
    for_each_move(rules, position.state, [&](Move move) {
        nodes += perft(rules, position.play(rules, move), depth - 1, watch);
    });
    return nodes;
}

}  // namespace ludus::morris
