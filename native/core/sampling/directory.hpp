// All tables of a solved game side by side, and the value of any position from them.
#pragma once

#include "sampling/positions.hpp"
#include "solver/flat.hpp"
#include "solver/sector.hpp"
#include "solver/value.hpp"

namespace ludus::sampling {

using solver::Value;

// For positions that have no value: of a sector that is not there, or already won by their mover,
// which play does not lead to. Finished tables do not hold this byte.
constexpr Value kNoValue = 254;

constexpr int kBase = morris::kMaxMen + 1;
constexpr int kNumHalves = kBase * kBase * kBase * kBase;

// The place in the directory of the positions with these men of the mover and of the other side on
// the board, then in hand; -1 where there are no such positions.
LUDUS_HD inline int half_number(int own, int other, int own_hand, int other_hand) {
    if (own >= kBase || other >= kBase || own_hand >= kBase || other_hand >= kBase) return -1;
    return ((own * kBase + other) * kBase + own_hand) * kBase + other_hand;
}

// Pointers into one memory, handed to kernels by value.
struct Directory {
    Rules rules;
    solver::FlatTables tables;
    const Value* const* halves;     // by half_number; nullptr where there is none
    const std::uint32_t* num_cols;  // of a table, by half_number too

    LUDUS_HD Value value(const State& s) const {
        if (s.total(0) < rules.lose_below) return solver::kLost;
        if (s.total(1) < rules.lose_below) return kNoValue;
        const Bits own = s.men[0] & morris::kAll, other = s.men[1] & morris::kAll;
        const int a = morris::count(own), b = morris::count(other);
        const int number = half_number(a, b, s.hand[0], s.hand[1]);
        const Value* values = number < 0 ? nullptr : halves[number];
        if (values == nullptr) return kNoValue;
        const bool own_is_x = a > b || (a == b && s.hand[0] >= s.hand[1]);
        return values[tables.slot(own_is_x ? own : other, own_is_x ? other : own,
                                  num_cols[number])];
    }
};

}  // namespace ludus::sampling
