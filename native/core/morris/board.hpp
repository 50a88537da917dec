// The board as bits: three bytes, one per ring (outer, middle, inner), each clockwise from its
// top-left corner. A quarter turn is then a rotation of the bytes, and the mills of a whole
// bitboard come out of a few ANDs.
#pragma once

#include <bit>
#include <cstdint>

#include "common/device.hpp"

namespace ludus::morris {

using Bits = std::uint32_t;

constexpr int kPoints = 24;
constexpr Bits kAll = 0xFFFFFF;
constexpr Bits kCorners = 0x555555;
constexpr Bits kSides = 0xAAAAAA;  // the middle of each side of each ring

LUDUS_HD constexpr Bits bit(int point) { return Bits{1} << point; }

LUDUS_HD inline int count(Bits b) {
#ifdef __CUDA_ARCH__
    return __popc(b);
#else
    return std::popcount(b);
#endif
}

LUDUS_HD inline int lowest(Bits b) {
#ifdef __CUDA_ARCH__
    return __ffs(static_cast<int>(b)) - 1;
#else
    return std::countr_zero(b);
#endif
}

// Calls f(point) for each point of the set, in rising order.
template <class F>
LUDUS_HD constexpr void for_each_point(Bits set, F&& f) {
    for (; set != 0; set &= set - 1) f(lowest(set));
}

// Every ring turned clockwise by 1 to 7 places.
LUDUS_HD constexpr Bits turned(Bits b, int places) {
    const Bits low = (0xFFu >> (8 - places)) * 0x010101u;  // where the wrapped bits arrive
    return ((b << places) & kAll & ~low) | ((b >> (8 - places)) & low);
}

// The rings moved inwards by one or two, the innermost coming out again.
LUDUS_HD constexpr Bits ring_shifted(Bits b, int rings) {
    return ((b << (8 * rings)) | (b >> (24 - 8 * rings))) & kAll;
}

// Points from which a line leads across the rings.
LUDUS_HD constexpr Bits spokes(bool diagonals) { return diagonals ? kAll : kSides; }

// All points one step away from some point of the set.
LUDUS_HD constexpr Bits neighbours(Bits b, bool diagonals) {
    const Bits s = b & spokes(diagonals);
    return turned(b, 1) | turned(b, 7) | ((s << 8) & kAll) | (s >> 8);
}

// The same for single points, as a table: kNeighbours[diagonals][point].
struct NeighbourTable {
    Bits of[2][kPoints]{};

    constexpr NeighbourTable() {
        for (int diagonals = 0; diagonals < 2; ++diagonals) {
            for (int point = 0; point < kPoints; ++point) {
                of[diagonals][point] = neighbours(bit(point), diagonals != 0);
            }
        }
    }
};
inline constexpr NeighbourTable kNeighbours;

// The points one step away from a point. On a GPU a few shifts are cheaper than a table.
LUDUS_HD inline Bits neighbours_of(int point, bool diagonals) {
#ifdef __CUDA_ARCH__
    return neighbours(bit(point), diagonals);
#else
    return kNeighbours.of[diagonals ? 1 : 0][point];
#endif
}

// The men of a set that stand in mills of that set.
LUDUS_HD constexpr Bits in_mills(Bits b, bool diagonals) {
    const Bits side = b & turned(b, 7) & turned(b, 6) & kCorners;  // first corner of a full side
    const Bits across = b & ring_shifted(b, 1) & ring_shifted(b, 2) & spokes(diagonals);
    return side | turned(side, 1) | turned(side, 2) | across;
}

// Points whose two partners on some side of their own ring belong to the set.
LUDUS_HD constexpr Bits completes_side(Bits b) {
    const Bits ahead = turned(b, 7), behind = turned(b, 1);
    return (ahead & behind & kSides) |
           (((ahead & turned(b, 6)) | (behind & turned(b, 2))) & kCorners);
}

// Points whose two partners on the line across the rings belong to the set.
LUDUS_HD constexpr Bits completes_spoke(Bits b, bool diagonals) {
    return ring_shifted(b, 1) & ring_shifted(b, 2) & spokes(diagonals);
}

// Points on which a further man of the set's owner closes a mill.
LUDUS_HD constexpr Bits completes_mill(Bits b, bool diagonals) {
    return completes_side(b) | completes_spoke(b, diagonals);
}

}  // namespace ludus::morris
