// Which rolls hit a blot, and which let a man out: points as bits, so that a roll is a few shifts.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include "backgammon/view.hpp"
#include "common/device.hpp"

namespace ludus::gammon {

using backgammon::kBar;
using backgammon::kOff;
using backgammon::View;

// Bit p is point p as the walker counts up from the bar, bit 0.
using Mask = std::uint64_t;

inline constexpr Mask kPoints = ((Mask{1} << 24) - 1) << 1;

inline constexpr int kRolls = 36;

// The board as a side that walks up sees it: its own men, and the other side's blots and points.
struct Walkers {
    Mask men = 0;
    int on_bar = 0;
    Mask blots = 0;
    Mask blocks = 0;
};

// The other side, who rolls next, before the viewer's men.
LUDUS_HD inline Walkers walkers_against(const View& view) {
    Walkers walkers;
    walkers.on_bar = view.their[kOff];
    for (int place = 1; place < kBar; ++place) {
        const auto at = static_cast<std::size_t>(place);
        const Mask bit = Mask{1} << place;
        walkers.men |= view.their[at] > 0 ? bit : 0;
        walkers.blots |= view.own[at] == 1 ? bit : 0;
        walkers.blocks |= view.own[at] > 1 ? bit : 0;
    }
    return walkers;
}

// Where men can be after one step of a die.
LUDUS_HD inline Mask step(Mask men, int die, const Walkers& walkers) {
    return (men << die) & ~walkers.blocks;
}

// Points reached with two different dice, by one man in one or both of them. A man on the bar goes
// first; with two of them there, nobody else moves.
LUDUS_HD inline Mask reached(const Walkers& walkers, int high, int low) {
    const Mask bar = walkers.on_bar > 0 ? 1 : 0;
    const Mask with_high = step(bar, high, walkers);
    const Mask with_low = step(bar, low, walkers);
    if (walkers.on_bar > 1) {
        return with_high | with_low;
    }
    if (walkers.on_bar == 1) {
        Mask all =
            with_high | with_low | step(with_high, low, walkers) | step(with_low, high, walkers);
        all |= with_low != 0 ? step(walkers.men, high, walkers) : 0;
        all |= with_high != 0 ? step(walkers.men, low, walkers) : 0;
        return all;
    }
    const Mask first = step(walkers.men, high, walkers);
    const Mask second = step(walkers.men, low, walkers);
    return first | second | step(first, low, walkers) | step(second, high, walkers);
}

// The same with a double: four steps, of which each man on the bar takes one.
LUDUS_HD inline Mask reached(const Walkers& walkers, int die) {
    const int free_steps = 4 - walkers.on_bar;
    Mask men = walkers.on_bar > 0 ? step(1, die, walkers) : walkers.men;
    Mask all = walkers.on_bar > 0 ? men : 0;
    if (walkers.on_bar > 0 && men == 0) {
        return 0;
    }
    men |= walkers.on_bar > 0 ? walkers.men : 0;
    for (int i = 0; i < free_steps; ++i) {
        men = step(men, die, walkers);
        all |= men;
    }
    return all;
}

// In how many of 36 rolls a blot is hit: each of them, and any.
struct Shots {
    std::array<std::int8_t, 26> at{};
    int any = 0;
};

LUDUS_HD inline Shots shots(const Walkers& walkers) {
    Shots found;
    if (walkers.blots == 0 || (walkers.men == 0 && walkers.on_bar == 0)) {
        return found;
    }
    for (int high = 1; high <= 6; ++high) {
        for (int low = 1; low <= high; ++low) {
            const int ways = high == low ? 1 : 2;
            Mask hit = (high == low ? reached(walkers, high) : reached(walkers, high, low)) &
                       walkers.blots;
            found.any += hit != 0 ? ways : 0;
            for (; hit != 0; hit &= hit - 1) {
                auto& count = found.at[static_cast<std::size_t>(std::countr_zero(hit))];
                count = static_cast<std::int8_t>(count + ways);
            }
        }
    }
    return found;
}

// In how many of 36 rolls the walkers' rearmost man gets past the six points in front of him.
LUDUS_HD inline int escapes(const Walkers& walkers) {
    if (walkers.men == 0 && walkers.on_bar == 0) {
        return kRolls;
    }
    const int rear = walkers.on_bar > 0 ? 0 : std::countr_zero(walkers.men);
    const Walkers alone{rear == 0 ? Mask{0} : Mask{1} << rear, rear == 0 ? 1 : 0, 0,
                        walkers.blocks};
    const Mask beyond = ~Mask{0} << (rear + 7);
    int count = 0;
    for (int high = 1; high <= 6; ++high) {
        for (int low = 1; low <= high; ++low) {
            const Mask ends = high == low ? reached(alone, high) : reached(alone, high, low);
            count += (ends & beyond) != 0 ? (high == low ? 1 : 2) : 0;
        }
    }
    return count;
}

}  // namespace ludus::gammon
