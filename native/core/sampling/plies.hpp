// One ply of many games at once, from the moves and values that are known of each position.
#pragma once

#include "sampling/children.hpp"
#include "solver/value.hpp"

namespace ludus::sampling {

using solver::Value;

// Whether a move to a position of value `child` keeps the value of its position.
LUDUS_HD constexpr bool keeps(Value value, Value child) {
    const bool is_draw = value == solver::kDraw;
    if (is_draw != (child == solver::kDraw)) return false;
    return is_draw || ((value ^ child) & 1) != 0;
}

struct Plies {
    Rows rows;                      // the moves of the games' positions
    const Value* values;            // of the games' positions
    const Value* child_values;      // in rows
    const std::int32_t* chosen;     // packed moves chosen by the caller; or nullptr
    const std::int32_t* before;     // plies that the games have had
    std::uint64_t noise;            // how often in 2^32 any move will do
    std::int32_t max_plies;         // then a game begins anew
    Positions restarts;             // where games begin
    std::uint32_t num_restarts;
    Positions next;                 // where the games stand then
    std::int32_t* after;
};

// The move's place in the row: the chosen one, or a random one that keeps the value, or,
// by way of noise or for want of such, any.
LUDUS_HD inline std::uint32_t pick_move(const Plies& p, Random& random, std::uint64_t i) {
    const std::uint32_t shown = p.rows.num_shown(i);
    const std::uint64_t first = i * p.rows.length;
    if (p.chosen != nullptr && p.chosen[i] >= 0) {
        for (std::uint32_t at = 0; at < shown; ++at) {
            if (p.rows.move[first + at] == static_cast<std::uint32_t>(p.chosen[i])) return at;
        }
    }
    std::uint32_t picked = random.below(shown), num_kept = 0;
    if (happens(random, p.noise)) return picked;
    for (std::uint32_t at = 0; at < shown; ++at) {
        if (!keeps(p.values[i], p.child_values[first + at])) continue;
        if (random.below(++num_kept) == 0) picked = at;
    }
    return picked;
}

// Takes game i one ply further. A game that is then over, or long enough, begins anew.
LUDUS_HD inline void advance(const Rules& rules, const Plies& p, std::uint64_t seed,
                             std::uint64_t i) {
    Random random = random_of(seed, i);
    if (p.rows.num_shown(i) > 0 && p.before[i] < p.max_plies - 1) {
        const State s = p.rows.child.get(i * p.rows.length + pick_move(p, random, i));
        if (!is_over(rules, s)) {
            p.next.put(i, s);
            p.after[i] = p.before[i] + 1;
            return;
        }
    }
    p.next.put(i, p.restarts.get(random.below(p.num_restarts)));
    p.after[i] = 0;
}

}  // namespace ludus::sampling
