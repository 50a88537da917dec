// All moves of a position, written out in a row.
#pragma once

#include "sampling/positions.hpp"

namespace ludus::sampling {

// A move as one number: where to, where from, what it takes; 24 for a part it does not have.
LUDUS_HD constexpr std::uint32_t packed(morris::Move move) {
    return std::uint32_t{move.to} | std::uint32_t{move.from} << 8 | std::uint32_t{move.take} << 16;
}

// Rows of `length` children, one row for each position of a batch.
struct Rows {
    std::uint32_t length;
    std::int32_t* count;  // number of moves of a position, including those that do not fit its row
    Positions child;  // from the view of the side then to move
    std::uint32_t* move;

    LUDUS_HD std::uint32_t num_shown(std::uint64_t i) const {
        const auto moves = static_cast<std::uint32_t>(count[i]);
        return moves < length ? moves : length;
    }
};

// Fills the row of position i in the order of for_each_move. Where there are more moves than the
// row is long, it gets a random choice of them, each subset of that size being equally likely.
LUDUS_HD inline void expand(const Rules& rules, const Positions& positions, const Rows& rows,
                            std::uint64_t seed, std::uint64_t i) {
    const State s = positions.get(i);
    const std::uint64_t first = i * rows.length;
    std::uint32_t num_moves = 0;
    if (!is_over(rules, s)) {
        Random random = random_of(seed, i);
        morris::for_each_move(rules, s, [&](morris::Move move) {
            // Reservoir sampling: later moves replace earlier ones with equal probability.
            const std::uint32_t at =
                num_moves < rows.length ? num_moves : random.below(num_moves + 1);
            ++num_moves;
            if (at >= rows.length) return;
            rows.child.put(first + at, child_of(s, move));
            rows.move[first + at] = packed(move);
        });
    }
    rows.count[i] = static_cast<std::int32_t>(num_moves);
}

}  // namespace ludus::sampling
