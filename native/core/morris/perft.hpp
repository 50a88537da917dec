// Counting move sequences: the test of every rule at once.
#pragma once

#include "morris/position.hpp"

namespace ludus::morris {

// The number of sequences of `depth` legal moves from a position.
inline std::uint64_t perft(const Rules& rules, const Position& position, int depth) {
    if (depth <= 0) return 1;
    if (position.outcome(rules).is_over()) return 0;
    if (position.must_pass(rules)) {
        return depth == 1 ? 1 : perft(rules, position.play(rules, Move{}), depth - 1);
    }
    if (depth == 1) return static_cast<std::uint64_t>(count_moves(rules, position.state));
    std::uint64_t nodes = 0;
    for_each_move(rules, position.state, [&](Move move) {
        nodes += perft(rules, position.play(rules, move), depth - 1);
    });
    return nodes;
}

}  // namespace ludus::morris
