// What a search may spend, and how it goes about it.
#pragma once

#include <chrono>
#include <cstdint>
#include <vector>

#include "morris/moves.hpp"
#include "search/score.hpp"

namespace ludus::search {

using Clock = std::chrono::steady_clock;

struct Limits {
    int depth = kMaxDepth;
    std::uint64_t nodes = ~std::uint64_t{0};
    Clock::time_point end = Clock::time_point::max();
    // Moves at the root to choose from; all of them if empty.
    std::vector<morris::Move> only = {};
};

struct Settings {
    int num_lines = 1;       // best moves to report, each with its own score (multi-PV)
    int threads = 1;         // more than one are faster, and no two runs are alike
    bool extends = true;     // captures at the end of a line are followed by one more ply
    bool reduces = true;     // moves that are unlikely to be good are searched less deeply first
    bool uses_table = true;  // positions are remembered

    // A careless player does not see every move of its own, nor every reply to it: each one is
    // overlooked with this probability, which depends on nothing but the seed and the position.
    double oversight = 0;

    // Also decides which of equally good moves is found first; 0 leaves them in their order.
    std::uint64_t seed = 0;
};

}  // namespace ludus::search
