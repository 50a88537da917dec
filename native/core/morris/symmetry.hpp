// The 16 symmetries: eight of the square, with and without turning the rings inside out.
#pragma once

#include <utility>

#include "morris/board.hpp"

namespace ludus::morris {

constexpr int kSymmetries = 16;

LUDUS_HD constexpr Bits mirrored(Bits b) {
    b = ((b >> 1) & 0x555555) | ((b & 0x555555) << 1);
    b = ((b >> 2) & 0x333333) | ((b & 0x333333) << 2);
    b = ((b >> 4) & 0x0F0F0F) | ((b & 0x0F0F0F) << 4);
    return turned(b, 3);  // place i went to 7 - i; the left-right mirror sends it to 2 - i
}

LUDUS_HD constexpr Bits inside_out(Bits b) { return ((b & 0xFF) << 16) | (b & 0xFF00) | (b >> 16); }

// Symmetry 8 * inside_out + 4 * mirrored + quarter turns, in the order of Python's SYMMETRIES.
LUDUS_HD constexpr Bits transformed(Bits b, int symmetry) {
    if ((symmetry & 8) != 0) b = inside_out(b);
    if ((symmetry & 4) != 0) b = mirrored(b);
    const int turns = symmetry & 3;
    return turns == 0 ? b : turned(b, 2 * turns);
}

// The smallest pair of bitboards, the first one deciding first, among the 16 symmetric pairs.
LUDUS_HD constexpr std::pair<Bits, Bits> canonical(Bits first, Bits second) {
    std::pair<Bits, Bits> best{first, second};
    for (int half = 0; half < 4; ++half) {
        Bits a = transformed(first, 4 * half), b = transformed(second, 4 * half);
        for (int turn = 0; turn < 4; ++turn) {
            if (a < best.first || (a == best.first && b < best.second)) best = {a, b};
            a = turned(a, 2);
            b = turned(b, 2);
        }
    }
    return best;
}

}  // namespace ludus::morris
