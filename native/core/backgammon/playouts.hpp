// Games played to the end with random moves.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>

#include "backgammon/plays.hpp"
#include "common/random.hpp"

namespace ludus::backgammon {

// Games won by the viewer and by the other side, each as single games, gammons, backgammons.
using Tally = std::array<std::array<std::uint64_t, 3>, 2>;

// Two dice in the order in which they fall; equal ones are rolled again in a roll-off.
inline std::array<int, 2> throw_dice(Random& random, bool is_opening) {
    for (;;) {
        const int first = 1 + static_cast<int>(random.fairly_below(6));
        const int second = 1 + static_cast<int>(random.fairly_below(6));
        if (!is_opening || first != second) {
            return {first, second};
        }
    }
}

inline Dice roll(Random& random, bool is_opening) {
    const auto [first, second] = throw_dice(random, is_opening);
    return {std::max(first, second), std::min(first, second)};
}

struct Ending {
    int winner;
    int points;
};

// One game from here; sides are numbered from the viewer, 0, on.
inline Ending play_out(View view, std::optional<Dice> dice, bool is_opening, Random& random,
                       Plays& plays) {
    for (int side = 0;; side = 1 - side) {
        if (view.is_over()) {
            return {1 - side, view.points_lost()};
        }
        plays.find(view, dice ? *dice : roll(random, is_opening));
        const auto choice = random.fairly_below(static_cast<std::uint32_t>(plays.size()));
        view = plays[static_cast<int>(choice)].end.turned();
        dice.reset();
        is_opening = false;
    }
}

// `watch` is called between games, so that many of them can be broken off by throwing.
template <typename Watch>
Tally play_out_games(const View& view, std::optional<Dice> dice, bool is_opening,
                     std::uint64_t games, std::uint64_t seed, Watch watch) {
    const auto plays = std::make_unique<Plays>();
    Random random(seed);
    Tally tally{};
    for (std::uint64_t game = 0; game < games; ++game) {
        watch();
        const Ending ending = play_out(view, dice, is_opening, random, *plays);
        ++tally[static_cast<std::size_t>(ending.winner)]
               [static_cast<std::size_t>(ending.points - 1)];
    }
    return tally;
}

}  // namespace ludus::backgammon
