// One position at a time: what its moves lead to. The same rules as the row-wise CPU code, from
// the same headers, written for one thread per position.
#pragma once

#include "cuda/tables.cuh"
#include "solver/value.hpp"

namespace ludus::cuda {

using morris::Rules;
using solver::Side;

// Positions of one sector with a given side to move; the sides are called A and B.
struct Target {
    const Value* values = nullptr;
    const Row* rows = nullptr;
    std::uint32_t cols = 0;
    bool a_is_x = true, is_lost = false;

    __device__ Value look_up(const FlatTables& tables, Bits a, Bits b) const {
        if (is_lost) return solver::kLost;
        const Bits x = a_is_x ? a : b, y = a_is_x ? b : a;
        const std::uint32_t place = __ldg(tables.places + x);
        const std::uint32_t row = place & 0xFFFFF;
        const Bits image = morris::transformed(y, static_cast<int>(place >> 20));
        return values[std::uint64_t{row} * cols + tables.rank(rows[row].squeezed(image))];
    }
};

// All that a kernel needs to know about the sector it works on.
struct Sector {
    FlatTables tables;
    Rules rules;
    Side x_side, y_side;
    const Row* rows;
    const Bits* columns;
    std::uint32_t num_rows, cols;
    bool full_board_draws;
    Target x_places, x_places_taking, x_slides_taking;
    Target y_places, y_places_taking, y_slides_taking;
    Target after_x, after_y;  // the sector itself after a slide, the other side to move
};

// A position's men, by its slot.
struct Men {
    Bits x, y;
};

__device__ inline Men men_at(const Sector& s, std::uint32_t slot) {
    const std::uint32_t row = slot / s.cols, col = slot - row * s.cols;
    const Row& r = s.rows[row];
    return {r.x, r.spread(__ldg(s.columns + col))};
}

// Calls f(own men after the slide) for each slide of the mover that takes nothing.
template <class F>
__device__ inline void for_each_slide(const Sector& s, const Side& mover, Bits own, Bits other,
                                      F&& f) {
    if (!mover.slides) return;
    const Bits free = kAll & ~(own | other);
    const bool is_taking = morris::takeable(s.rules, other) != 0;
    for (Bits men = own; men != 0; men &= men - 1) {
        const int from = morris::lowest(men);
        const Bits rest = own & ~morris::bit(from);
        Bits targets = solver::reach(s.rules, mover, from) & free;
        if (is_taking && targets != 0) targets &= ~morris::completes_mill(rest, s.rules.diagonals);
        for (; targets != 0; targets &= targets - 1) {
            if (!f(rest | (targets & (~targets + 1)))) return;
        }
    }
}

// Calls f(own men before the slide) for each slide that took nothing and led here; it is the
// other side's turn.
template <class F>
__device__ inline void for_each_unslide(const Sector& s, const Side& moved, Bits own, Bits other,
                                        F&& f) {
    if (!moved.slides) return;
    const Bits free = kAll & ~(own | other);
    Bits men = own;
    if (morris::takeable(s.rules, other) != 0) men &= ~morris::in_mills(own, s.rules.diagonals);
    for (; men != 0; men &= men - 1) {
        const int to = morris::lowest(men);
        const Bits rest = own & ~morris::bit(to);
        Bits origins = solver::reach(s.rules, moved, to) & free;
        for (; origins != 0; origins &= origins - 1) f(rest | (origins & (~origins + 1)));
    }
}

// The best that placing and taking offer the mover, as a preference (see value.hpp).
__device__ inline int best_offer(const Sector& s, Bits x, Bits y, bool x_to_move) {
    const Side& mover = x_to_move ? s.x_side : s.y_side;
    const Bits own = x_to_move ? x : y, other = x_to_move ? y : x, free = kAll & ~(x | y);
    const Bits booty = morris::takeable(s.rules, other);
    int best = solver::preference(solver::kNothing);
    const auto consider = [&](const Target& target, Bits own_after, Bits other_after) {
        const Value v = x_to_move ? target.look_up(s.tables, own_after, other_after)
                                  : target.look_up(s.tables, other_after, own_after);
        best = max(best, solver::preference_after(v));
    };
    const auto take = [&](const Target& target, Bits own_after) {
        if (target.is_lost) {
            best = max(best, solver::preference_after(solver::kLost));
            return;
        }
        for (Bits taken = booty; taken != 0; taken &= taken - 1) {
            consider(target, own_after, other & ~(taken & (~taken + 1)));
        }
    };
    const Bits closing = booty == 0 ? 0 : morris::completes_mill(own, s.rules.diagonals);
    if (mover.places) {
        for (Bits targets = free; targets != 0; targets &= targets - 1) {
            const Bits to = targets & (~targets + 1);
            if ((closing & to) != 0) {
                take(x_to_move ? s.x_places_taking : s.y_places_taking, own | to);
            } else {
                consider(x_to_move ? s.x_places : s.y_places, own | to, other);
            }
        }
    }
    if (!mover.slides || (closing & free) == 0) return best;
    for (Bits men = own; men != 0; men &= men - 1) {
        const int from = morris::lowest(men);
        const Bits rest = own & ~morris::bit(from);
        Bits targets = solver::reach(s.rules, mover, from) & free;
        if (targets != 0) targets &= morris::completes_mill(rest, s.rules.diagonals);
        for (; targets != 0; targets &= targets - 1) {
            take(x_to_move ? s.x_slides_taking : s.y_slides_taking,
                 rest | (targets & (~targets + 1)));
        }
    }
    return best;
}

__device__ inline bool can_slide(const Sector& s, Bits own, Bits other, const Side& mover) {
    if (!mover.slides) return false;
    const Bits free = kAll & ~(own | other);
    const Bits reached =
        mover.flies ? (own != 0 ? kAll : 0) : morris::neighbours(own, s.rules.diagonals);
    return (reached & free) != 0;
}

}  // namespace ludus::cuda
