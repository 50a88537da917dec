// Many positions at once, as columns: each one as its mover sees it, which is all that a value, a
// network or the rules need to know.
#pragma once

#include <cstdint>

#include "common/random.hpp"
#include "morris/outcome.hpp"

namespace ludus::sampling {

using morris::Bits;
using morris::Rules;
using morris::State;

// Columns in main memory or in that of a GPU. In such a State the mover is side 0.
struct Positions {
    std::uint32_t* own;
    std::uint32_t* other;
    std::uint8_t* own_hand;
    std::uint8_t* other_hand;

    LUDUS_HD State get(std::uint64_t i) const {
        return {{own[i], other[i]}, {own_hand[i], other_hand[i]}, 0};
    }
    LUDUS_HD void put(std::uint64_t i, const State& s) const {
        own[i] = s.men[0];
        other[i] = s.men[1];
        own_hand[i] = s.hand[0];
        other_hand[i] = s.hand[1];
    }
};

// The position after a move, as the side that is then to move sees it.
LUDUS_HD inline State child_of(const State& s, morris::Move move) {
    const State then = morris::after(s, move);
    return {{then.men[1], then.men[0]}, {then.hand[1], then.hand[0]}, 0};
}

LUDUS_HD inline bool is_over(const Rules& rules, const State& s) {
    return morris::outcome(rules, s, 1, 0).is_over();
}

// A generator of its own for each position of a batch: what comes out depends neither on the
// number of threads nor on their order, and is the same on a GPU.
LUDUS_HD inline Random random_of(std::uint64_t seed, std::uint64_t i) {
    return Random(Random(Random(seed).next() ^ i).next());
}

// Whether something comes about that does so this often in 2^32 times.
LUDUS_HD inline bool happens(Random& random, std::uint64_t in_2_32) {
    return (random.next() >> 32) < in_2_32;
}

}  // namespace ludus::sampling
