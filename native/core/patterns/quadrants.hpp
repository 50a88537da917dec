// The board cut diagonally into four quadrants that turn onto one another. The twin of
// ludus.learn.patterns.network, which says how patterns are read.
#pragma once

#include <array>

#include "morris/board.hpp"

namespace ludus::patterns {

using morris::Bits;

constexpr int kQuadrants = 4;
constexpr std::size_t kPatterns = 512;

using Pattern = std::uint16_t;

// The points of each quadrant as a bitboard: places 2q, 2q + 1 and 2q + 2 of every ring.
struct QuadrantTable {
    std::array<Bits, kQuadrants> points{};

    constexpr QuadrantTable() {
        points[0] = 0x070707;
        for (int q = 1; q < kQuadrants; ++q) {
            points[static_cast<std::size_t>(q)] = morris::turned(points[0], 2 * q);
        }
    }
};
inline constexpr QuadrantTable kQuadrantPoints;

inline bool has_point(int quadrant, int point) {
    return (kQuadrantPoints.points[static_cast<std::size_t>(quadrant)] & morris::bit(point)) != 0;
}

// One side's men in a quadrant: the outer row first, each row from left to right.
inline Pattern pattern(Bits men, int quadrant) {
    constexpr std::array<Pattern, 8> kRow{0, 4, 2, 6, 1, 5, 3, 7};  // three bits, mirrored
    const Bits top = quadrant == 0 ? men : morris::turned(men, 8 - 2 * quadrant);
    return static_cast<Pattern>(kRow[top & 7] << 6 | kRow[top >> 8 & 7] << 3 | kRow[top >> 16 & 7]);
}

}  // namespace ludus::patterns
