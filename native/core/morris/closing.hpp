// Threats: where a side could close a mill if it were its turn.
#pragma once

#include "morris/moves.hpp"

namespace ludus::morris {

// Points on which a side would close a mill if it were to move.
inline Bits closing_points(const Rules& rules, State s, int side) {
    s.mover = static_cast<std::uint16_t>(side);
    const Bits own = s.own(), free = s.free();
    Bits found = places(s) ? completes_mill(own, rules.diagonals) & free : 0;
    if (!slides(rules, s)) return found;
    if (flies(rules, s)) {
        for_each_point(own, [&](int from) {
            found |= completes_mill(own & ~bit(from), rules.diagonals) & free;
        });
        return found;
    }
    for (const Slides& group : all_slides(rules, own, free)) found |= group.closing;
    return found;
}

}  // namespace ludus::morris
