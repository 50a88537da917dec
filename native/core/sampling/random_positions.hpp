// Random positions with given numbers of men.
#pragma once

#include "sampling/positions.hpp"

namespace ludus::sampling {

// Kinds of positions to draw from, and how often each one comes about.
struct Kinds {
    std::uint32_t size;
    const std::int32_t* men;           // own and other men on the board, then in hand: four each
    const std::uint32_t* cumulative;  // a kind's share and those before it, in 2^32; the last: all

    LUDUS_HD std::uint32_t pick(Random& random) const {
        const auto at = static_cast<std::uint32_t>(random.next() >> 32);
        std::uint32_t low = 0, high = size - 1;
        while (low < high) {
            const std::uint32_t middle = (low + high) / 2;
            if (at < cumulative[middle])
                high = middle;
            else
                low = middle + 1;
        }
        return low;
    }
};

// `wanted` points of a set, each subset equally likely.
LUDUS_HD inline Bits some_points(Random& random, Bits set, int wanted) {
    Bits chosen = 0;
    for (; wanted > 0 && set != 0; --wanted) {
        Bits rest = set;
        const auto before = random.below(static_cast<std::uint32_t>(morris::count(set)));
        for (std::uint32_t i = 0; i < before; ++i) rest &= rest - 1;
        const Bits point = rest & (~rest + 1);
        chosen |= point;
        set &= ~point;
    }
    return chosen;
}

// After this number of finished positions the last one is returned; the caller ensures that the
// kinds hold unfinished ones.
constexpr int kTries = 1000;

// Position i of a batch: any of its kind as likely as any other, those that are over left out.
LUDUS_HD inline State draw(const Rules& rules, const Kinds& kinds, std::uint64_t seed,
                           std::uint64_t i) {
    Random random = random_of(seed, i);
    const std::int32_t* men = kinds.men + 4 * kinds.pick(random);
    State s{{0, 0}, {static_cast<std::uint8_t>(men[2]), static_cast<std::uint8_t>(men[3])}, 0};
    for (int tries = 0; tries < kTries; ++tries) {
        s.men[0] = some_points(random, morris::kAll, men[0]);
        s.men[1] = some_points(random, morris::kAll & ~s.men[0], men[1]);
        if (!is_over(rules, s)) break;
    }
    return s;
}

}  // namespace ludus::sampling
