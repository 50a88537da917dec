// A position of the Morris family as plain numbers from Python, checked before it is used.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <utility>

#include "morris/moves.hpp"

namespace ludus::bind {

using Boards = std::pair<morris::Bits, morris::Bits>;
using Hands = std::pair<std::uint8_t, std::uint8_t>;

inline void require(bool is_so, const char* otherwise) {
    if (!is_so) throw std::invalid_argument(otherwise);
}

inline morris::State checked(const morris::Rules& rules, Boards men, Hands hands,
                             std::uint8_t mover) {
    using morris::count, morris::kAll;
    require(((men.first | men.second) & ~kAll) == 0 && (men.first & men.second) == 0,
            "men off the board, or two men on one point");
    require(count(men.first) + hands.first <= rules.men &&
                count(men.second) + hands.second <= rules.men,
            "a side has more men than the rules give");
    require(mover <= 1, "the mover must be 0 or 1");
    return {{men.first, men.second}, {hands.first, hands.second}, mover};
}

}  // namespace ludus::bind
