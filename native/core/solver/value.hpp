// The value of a position under perfect play, in one byte: the number of plies to the end of the
// game, odd where the mover wins and even where it loses; or a draw.
#pragma once

#include <cstdint>

#include "common/device.hpp"

namespace ludus::solver {

using Value = std::uint8_t;

constexpr Value kLost = 0;        // lost where it stands
constexpr Value kDeepest = 253;   // the deepest end that can be represented
constexpr Value kDraw = 255;      // in a finished table; while solving: not known yet
constexpr Value kCandidate = 254; // while solving: to be examined in this round

// The best that irreversible moves (placing, taking) offer the mover; kNothing where it has none.
// Wins and losses are written as values; a draw as kSafe.
constexpr Value kNothing = 255;
constexpr Value kSafe = 254;

LUDUS_HD constexpr bool is_win(Value v) { return v <= kDeepest && (v & 1) != 0; }
LUDUS_HD constexpr bool is_loss(Value v) { return v <= kDeepest && (v & 1) == 0; }

// The value of a move to the mover when the position after it has this value for the opponent.
LUDUS_HD constexpr Value after_move(Value v) {
    return v == kDraw ? kSafe : static_cast<Value>(v + 1);
}

// Higher is better for the mover: quick wins, slow wins, draws, slow losses, quick losses, nothing.
LUDUS_HD constexpr int preference(Value offer) {
    if (offer == kNothing) return -1;
    if (offer == kSafe) return 256;
    return (offer & 1) != 0 ? 600 - offer : offer;
}

// preference(after_move(v)) and its inverse, for code that compares many moves.
LUDUS_HD constexpr int preference_after(Value v) {
    return v == kDraw ? 256 : (v & 1) != 0 ? v + 1 : 599 - v;
}
LUDUS_HD constexpr Value preferred(int preference) {
    if (preference < 0) return kNothing;
    return static_cast<Value>(preference == 256  ? kSafe
                              : preference > 256 ? 600 - preference
                                                 : preference);
}

// The value of a position whose best move, of all it has, has this value.
LUDUS_HD constexpr Value value_of(Value best) {
    return best == kNothing ? kLost : best == kSafe ? kDraw : best;
}

LUDUS_HD constexpr Value better(Value a, Value b) { return preference(a) >= preference(b) ? a : b; }

}  // namespace ludus::solver
