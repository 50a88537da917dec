// The rules of the Morris family as a value. The Python class `Rules` documents each field.
#pragma once

#include <cstdint>

namespace ludus::morris {

enum class Blocked : std::uint8_t { loses, passes };
enum class TakeFromMills : std::uint8_t { when_all, never, always };

struct Rules {
    std::uint8_t men = 9;
    bool diagonals = false;
    bool flying = true;
    Blocked blocked = Blocked::loses;
    std::uint8_t lose_below = 3;
    TakeFromMills take_from_mills = TakeFromMills::when_all;
    std::uint16_t repetition = 2;
    std::uint16_t quiet_plies = 0;
    bool place_or_move = false;
    bool full_board_draws = false;
};

}  // namespace ludus::morris
